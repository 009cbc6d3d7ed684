"""Every field of a stored guarantee, changed alone: an audit says that it is broken, or that it could not be checked.

What no check can know is listed here by name, with the reason.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.lists.stored import MODELS, kept

from equipoise.cli.audit.command import Options, _model
from equipoise.errors import UnreadableFile

Where = tuple[str | int, ...]

UNITS = ("one row", "one person with at most 5 rows", "one person with at most 2 rows", "one person, however many rows")
WORDS: dict[Where, tuple[str, ...]] = {
    ("unit",): UNITS,
    ("adjacency",): ("replace-one", "add-remove"),
    ("mechanism",): ("output", "objective", "noisy-gradient"),
    ("theorem",): ("output perturbation, spherical noise", "output perturbation, Gaussian noise"),
}
"""Texts that are valid somewhere."""

REMOVED = object()

SUMS = ("statistics", "functional", "histogram")
NUMBERS = (*SUMS, "gradients", "anchor")
ON_THE_GRID = ("huber", "elastic net", "tasks")
PURE = ("auto", "functional", "histogram", "elastic net", "tasks", "pairs")

NOBODY_KNOWS: dict[Where, tuple[tuple[str, ...], str]] = {
    ("delta",): (PURE, "the release is pure: no δ was used, and one that is larger but below one promises less"),
    ("constants", "records"): (SUMS, "noise lies on sums, whatever the number of rows: no other number rests on it"),
    ("constants", "alpha"): (
        (*SUMS, "bends"),
        "coefficients are computed from what was released: the ridge costs no privacy",
    ),
    **{
        ("constants", name): (("bends",), "steps are public: how long they are costs no privacy")
        for name in ("step size", "momentum")
    },
    ("constants", "label lower bound"): (
        NUMBERS,
        "it moves and stretches the answer, in whose units nothing is stated",
    ),
    ("constants", "label upper bound"): (
        (*NUMBERS, "usual labels"),
        "it moves and stretches the answer, in whose units nothing is stated",
    ),
    ("constants", "l1"): (("elastic net",), "a penalty without strong convexity: no sensitivity rests on it"),
    ("constants", "l1 corner"): (("elastic net",), "as for l1: it rounds a corner, which costs no privacy"),
    ("constants", "row bound over the usual length"): (
        ("usual length", "usual labels", "anchor"),
        "it was chosen from the rows and released: another of the fifteen public lengths may have come out",
    ),
}
"""Where a changed number (not one that is missing) cannot be noticed: in which models, and why."""


BY_CHANCE: dict[Where, tuple[tuple[str, ...], str]] = {
    ("constants", name): (ON_THE_GRID, "the grid tells, unless all released numbers happen to lie on the coarser one")
    for name in ("label lower bound", "label upper bound")
}
"""What a check notices nearly always."""


def is_free_text(where: Where) -> bool:
    """Notes are sentences for people: no number is read from them."""
    return where[0] == "notes"


def fields(value: Any, where: Where = ()) -> Iterator[tuple[Where, Any]]:
    if isinstance(value, dict):
        for name, held in value.items():
            yield from fields(held, (*where, name))
    elif isinstance(value, list):
        for place, held in enumerate(value):
            yield from fields(held, (*where, place))
    else:
        yield where, value


def changes(where: Where, value: Any) -> Iterator[Any]:
    yield REMOVED
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from {value * 1.01, value * 2, value + 1} - {value}
    elif where in WORDS:
        yield from (word for word in WORDS[where] if word != value)
    else:
        yield 1.0 if value == "inf" else f"{value} indeed"


def guarantee_in(file: dict[str, Any]) -> dict[str, Any]:
    """A model with a schema has it one level deeper."""
    if "guarantee" in file:
        return file["guarantee"]  # type: ignore[no-any-return]
    return guarantee_in(next(held for held in file.values() if isinstance(held, dict) and "guarantee" in str(held)))


def changed(file: dict[str, Any], where: Where, other: Any) -> dict[str, Any]:
    made = copy.deepcopy(file)
    holder: Any = guarantee_in(made)
    for step in where[:-1]:
        holder = holder[step]
    if other is REMOVED:
        del holder[where[-1]]
    else:
        holder[where[-1]] = other
    return made


@cache
def saved(name: str, room: Path) -> str:
    kept(MODELS[name]()).save(room / "honest.json")
    return (room / "honest.json").read_text(encoding="utf-8")


def said(file: dict[str, Any], room: Path) -> dict[str, bool | None] | None:
    """Outcomes by name; None where the file is refused."""
    (room / "model.json").write_text(json.dumps(file), encoding="utf-8")
    try:
        return {each.name: each.held for each in _model(room / "model.json", Options()).attempts}
    except UnreadableFile:
        return None


def is_noticed(found: dict[str, bool | None] | None, honest: dict[str, bool | None]) -> bool:
    """Refused, broken, said not to be derivable, or no longer what an honest file is."""
    if found is None or False in found.values() or found["constants derived again"] is None:
        return True
    return any(honest[name] is True and found.get(name) is not True for name in honest)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stored")


@pytest.mark.parametrize("name", MODELS)
def test_no_field_of_a_guarantee_changes_unnoticed(name: str, room: Path) -> None:
    file = json.loads(saved(name, room))
    honest = said(file, room)
    assert honest is not None
    assert False not in honest.values(), "an honest file survives"
    derivable = name not in ("draws", "corners", "density")
    assert honest["constants derived again"] is (True if derivable else None)
    unnoticed = {
        (where, repr(other))
        for where, value in fields(guarantee_in(file))
        for other in changes(where, value)
        if not is_free_text(where) and not is_noticed(said(changed(file, where, other), room), honest)
    }
    known = {where for where, (models, _) in NOBODY_KNOWS.items() if name in models}
    lucky = {where for where, (models, _) in BY_CHANCE.items() if name in models}
    assert {each for each in unnoticed if each[0] not in known | lucky or each[1] == repr(REMOVED)} == set()
    assert known == {where for where, _ in unnoticed} - lucky, "what is listed as unknowable is so"


TWICE = ("sensitivity", "noise scale", "tilt noise scale", "row norm with intercept", "rows per person")


@pytest.mark.parametrize("name", MODELS)
def test_what_is_told_twice_and_differs_is_broken(name: str, room: Path) -> None:
    """In files of every kind, be they derived again or not."""
    file = json.loads(saved(name, room))
    constants = guarantee_in(file)["constants"]
    tilted = "tilt noise scale" in constants
    edits: list[tuple[Where, Any]] = [
        (("constants", each), constants[each] * factor)
        for each in TWICE
        for factor in (0.5, 1.001, 2)
        if each in constants and not (tilted and each == "noise scale")
    ]
    edits += [((field,), guarantee_in(file)[field] * 0.999) for field in ("sensitivity", "noise_scale")]
    unit = guarantee_in(file)["unit"]
    edits += [(("unit",), other) for other in UNITS if other != unit and {other, unit} != {UNITS[0], UNITS[3]}]
    edits += [(("constants", "rows per person"), 7.0), (("constants", "records"), 400.5)]
    checked = 0
    for where, other in edits:
        if where == ("noise_scale",) and not {"noise scale", "tilt noise scale"} & constants.keys():
            continue
        found = said(changed(file, where, other), room)
        assert found is not None
        assert found["the file against itself"] is False, (where, other)
        checked += 1
    assert checked >= 6


@pytest.mark.parametrize("unit", ["one group of at most 5 rows", UNITS[3]])
def test_the_units_of_searches_and_shards_need_no_constant(unit: str, room: Path) -> None:
    file = changed(json.loads(saved("density", room)), ("unit",), unit)
    found = said(file, room)
    assert found is not None
    assert found["the file against itself"] is True
    for other in ("one group of at most 0 rows", "one group", "", "nobody", "one row\n"):
        found = said(changed(file, ("unit",), other), room)
        assert found is not None
        assert found["the file against itself"] is False, other
