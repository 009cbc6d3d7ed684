"""A person's id is compared as every other value of a table is, so that no spelling wins a person more rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import equipoise as eq
from equipoise.rows.persons import people_in

SCHEMA = eq.Schema.from_dict(
    {
        "target": {"column": "ill", "classes": ["no", "yes"]},
        "person": {"column": "who", "rows_per_person": 1},
        "columns": {"age": {"kind": "number", "bounds": [0, 100]}},
    }
)
FINE: dict[str, list[Any]] = {"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": list(range(20))}
OTHERS = [f"p{place}" for place in range(18)]


def rows_used(data: Any) -> float:
    return eq.fit(data, SCHEMA, epsilon=1.0, random_state=0).guarantee_.constants["records"]


@pytest.mark.parametrize("again", [["7", "7"], ["7 ", " 7"], [7, 7.0], ["7", 7], ["7", "7.0"], [7.0, "7.00"]])
def test_a_person_has_one_row_however_the_id_is_written(again: list[Any]) -> None:
    who = np.empty(20, dtype=object)
    who[:] = [*OTHERS, *again]
    assert rows_used({"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": who}) == 19


@pytest.mark.parametrize("other", ["07", "7.5", "7e0", "-7.0", "0.7", "7."])
def test_ids_that_are_other_words_are_other_people(other: str) -> None:
    assert rows_used({"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": [*OTHERS, "7", other]}) == 20


def test_two_exports_joined_name_the_same_people_though_one_has_a_gap(tmp_path: Path) -> None:
    """pandas writes whole numbers beside a gap as 3.0.  Fifteen people have an id, and one row has none."""
    first = pd.DataFrame({"age": range(15), "ill": "no", "who": range(15)})
    second = first.assign(who=[None, *range(1, 15)])
    path = tmp_path / "joined.csv"
    path.write_text(first.to_csv(index=False) + second.to_csv(index=False, header=False))
    assert rows_used(path) == 16


def test_blanks_around_an_id_in_a_file_do_not_count(tmp_path: Path) -> None:
    lines = [f"{place},{'no' if place % 2 else 'yes'},{who}" for place, who in enumerate([*OTHERS, "7", " 7 "])]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["age,ill,who", *lines]))
    assert rows_used(path) == 19


@pytest.mark.parametrize("gap", [None, float("nan"), "", " NA "])
def test_rows_without_an_id_are_still_alone(gap: Any) -> None:
    who = np.empty(20, dtype=object)
    who[:] = [*OTHERS, gap, gap]
    assert rows_used({"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": who}) == 20


def test_a_masked_id_is_none() -> None:
    ids = np.ma.array([1, 1, 0, 0, 0], mask=[False, False, True, True, True])
    assert people_in(ids, 5, 1).rows.tolist() == [0, 2, 3, 4]
    assert people_in(ids, 5).rows.tolist() == [0, 1]


class Talkative:
    """Warns when it is compared."""

    def __eq__(self, other: object) -> bool:
        warnings.warn("compared", stacklevel=1)
        return self is other

    def __hash__(self) -> int:
        return 1


def test_an_id_is_not_heard() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        people_in([Talkative(), Talkative()], 2, 1)
    assert not heard


class Loud:
    """Warns when it is read as an array."""

    def __array__(self, *given: Any, **named: Any) -> Any:
        warnings.warn("read", stacklevel=1)
        return np.array(1.0)


@pytest.mark.parametrize("cell", [Talkative(), Loud()], ids=["compared", "read"])
@pytest.mark.parametrize("column", ["age", "ill", "who"])
def test_no_cell_of_a_table_is_heard(column: str, cell: Any) -> None:
    model = eq.fit(FINE, SCHEMA, epsilon=1.0)
    table = FINE | {column: [cell, *FINE[column][1:]]}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        eq.fit(table, SCHEMA, epsilon=1.0)
        eq.evaluate(model, table, epsilon=1.0)
        eq.PrivateBounds(SCHEMA, 1.0).fit(table)
    assert not heard


WRAPPED: dict[str, Any] = {
    "lists": lambda who: [[each] for each in who],
    "lists of words": lambda who: [[str(each)] for each in who],
    "arrays": lambda who: [np.array([each]) for each in who],
    "records": lambda who: [{"id": each} for each in who],
    "a series": lambda who: pd.Series([[each, "x"] for each in who]),
    "now and then": lambda who: [[each] if place % 3 else each for place, each in enumerate(who)],
}


@pytest.mark.parametrize("way", WRAPPED)
def test_a_persons_cap_holds_whatever_ids_are_wrapped_in(way: str) -> None:
    who = WRAPPED[way]([place // 4 for place in range(20)])
    table = {"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": who}
    assert rows_used(table) == rows_used(pd.DataFrame(table)) == 5


@pytest.mark.parametrize("cell", [{"id": 1}, [1]], ids=["structures", "lists"])
@pytest.mark.parametrize("make", [pl.DataFrame, pa.table], ids=["polars", "arrow"])
def test_a_nested_type_names_nobody_and_is_refused_for_free(make: Any, cell: Any, tmp_path: Path) -> None:
    table = make({"age": list(range(20)), "ill": ["no", "yes"] * 10, "who": [cell] * 20})
    path = tmp_path / "table.parquet"
    parquet.write_table(table if isinstance(table, pa.Table) else table.to_arrow(), path)
    model, own = eq.fit(FINE, SCHEMA, epsilon=1.0), eq.Ledger(5.0, unit="person")
    ways: list[Callable[[Any], Any]] = [
        lambda data: eq.fit(data, SCHEMA, epsilon=1.0, ledger=own),
        lambda data: eq.PrivateBounds(SCHEMA, 1.0, ledger=own).fit(data),
        lambda data: eq.PrivateScaler(SCHEMA, 1.0, ledger=own).fit(data),
        lambda data: eq.evaluate(model, data, epsilon=1.0, ledger=own),
    ]
    for data in (table, path):
        assert not SCHEMA.check(data).ok
        for way in ways:
            with pytest.raises(eq.InvalidInput, match=r"'who'.*lists, structures"):
                way(data)
    assert not own.entries()
    assert len(model.predict(table)) == 20  # which needs nobody's name
