"""Whatever stands in a field of a schema: a schema that is written and read back as it is, or one line."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import equipoise as eq

PLAIN: dict[str, Any] = {
    "about": "a table",
    "target": {"column": "y", "classes": ["a", "b"]},
    "person": {"column": "p", "rows_per_person": 3},
    "missing_words": ["", "NA"],
    "columns": {
        "n": {"kind": "number", "bounds": [0, 1], "scale": "knots", "knots": [0, 0.5, 1], "missing": "middle"},
        "c": {"kind": "category", "values": ["a", "b"], "missing": "other"},
        "b": {"kind": "boolean", "yes": ["j"], "no": ["n"], "missing": "middle"},
        "d": {"kind": "date", "bounds": ["2020-01-01", "2021-01-01"], "parts": ["time"]},
        "t": {"kind": "text", "buckets": 4},
    },
}
ODD: list[Any] = [
    *(None, True, -1, 10**400, 1.5, float("nan"), float("inf"), "", "x", [], {}, [[]], [1], {"a": 1}, [None, None]),
    *([float("nan"), 1], ["a", ["b"]], [10**400, 10**401], {1: 2}, b"x", [{}], [float("inf"), "a"]),
]


def fields(held: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    pairs = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    for name, inner in pairs:
        yield from fields(inner, (*way, name))


def changed(way: tuple[Any, ...], odd: Any) -> dict[str, Any]:
    held = copy.deepcopy(PLAIN)
    place: Any = held
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = odd
    return held


def made(plain: dict[str, Any]) -> eq.Schema | str:
    """The schema, or what is said against it."""
    try:
        return eq.Schema.from_dict(plain)
    except eq.EquipoiseError as problem:
        return str(problem)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_any_field_may_hold_anything(odd: Any, tmp_path: Path) -> None:
    for way in fields(PLAIN):
        if not way:
            continue
        schema = made(changed(way, odd))
        if isinstance(schema, str):
            assert "\n" not in schema, way
            continue
        schema.save(tmp_path / "schema.yaml")
        assert eq.Schema.load(tmp_path / "schema.yaml") == schema, way
