"""A column of a data frame is read cell by cell: no cell decides how another is read, or whether the column is."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import cells_in
from equipoise.rows.persons import people_in

ROWS = 24
ODD = 7

FITTING = Callable[[Any, Any], Any]


def text(odd: bool) -> pa.Array:
    """Arrow does not look whether bytes are text, neither does a Parquet file that it reads."""
    held = [(b"yes" if place % 3 else b"no") for place in range(ROWS)]
    if odd:
        held[ODD] = b"\xff\xfe"
    return pa.Array.from_buffers(pa.string(), ROWS, pa.array(held, type=pa.binary()).buffers())


def whole(dtype: pa.DataType, beyond: int) -> Callable[[bool], pa.Array]:
    def made(odd: bool) -> pa.Array:
        held = [place % 5 for place in range(ROWS)]
        if odd:
            held[ODD] = beyond
        return pa.array(held, pa.int32() if dtype == pa.date32() else pa.int64()).cast(dtype)

    return made


COLUMNS: dict[str, Callable[[bool], pa.Array]] = {
    "text": text,
    "categories": lambda odd: text(odd).dictionary_encode(),
    "days": whole(pa.date32(), 2**30),
    "days before": whole(pa.date32(), -(2**30)),
    "seconds": whole(pa.timestamp("s"), 2**60),
    "microseconds": whole(pa.timestamp("us"), 2**62),
    "before": whole(pa.timestamp("us"), -(2**62)),
    "in Paris": whole(pa.timestamp("us", tz="Europe/Paris"), 2**62),
    "spans": whole(pa.duration("s"), 2**60),
}
"""Each with one cell that the library it comes from cannot make an object of."""

HOLDERS: dict[str, Callable[[pa.Array], Any]] = {
    "arrow": lambda column: column,
    "arrow in chunks": lambda column: pa.chunked_array([column.slice(0, 5), column.slice(5)]),
    "pandas of arrow": lambda column: pd.Series(column, dtype=pd.ArrowDtype(column.type)),
    "pandas index": lambda column: pd.Index(pd.array(column, dtype=pd.ArrowDtype(column.type))),
    "pandas": lambda column: column.to_pandas(),
    "polars": lambda column: pl.from_arrow(column),
}


def held(name: str, holder: str, *, odd: bool) -> Any:
    return HOLDERS[holder](COLUMNS[name](odd))


def can_be_held(name: str, holder: str) -> bool:
    """A holder that takes no such cell, or type, never hands it to us."""
    try:
        held(name, holder, odd=True)
    except Exception:  # noqa: BLE001 - whatever it says
        return False
    return True


HELD = [(name, holder) for name in COLUMNS for holder in HOLDERS if can_be_held(name, holder)]


def test_most_columns_can_be_held() -> None:
    assert len(HELD) >= 40
    assert {name for name, _ in HELD} == set(COLUMNS)
    assert {holder for _, holder in HELD} == set(HOLDERS)


def same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and (left == right or (left != left and right != right))


@pytest.mark.parametrize(("name", "holder"), HELD)
def test_one_cell_that_cannot_be_read_leaves_the_others_as_they_were(
    name: str, holder: str, capfd: pytest.CaptureFixture[str]
) -> None:
    usual, odd = cells_in(held(name, holder, odd=False)), cells_in(held(name, holder, odd=True))
    assert len(usual) == len(odd) == ROWS
    assert all(same(usual[place], odd[place]) for place in range(ROWS) if place != ODD)
    assert capfd.readouterr() == ("", "")


def test_cells_are_what_their_library_says_they_are() -> None:
    days = pl.Series([datetime.date.min, None, datetime.date.max])
    assert cells_in(days) == days.to_list()
    assert cells_in(pl.Series(["é", None, ""])) == ["é", None, ""]
    assert cells_in(pl.Series(["b", "a", None], dtype=pl.Categorical)) == ["b", "a", None]
    assert cells_in(pa.array([Decimal("1.5"), None])) == [Decimal("1.5"), None]
    assert cells_in(pd.Series(["a", 1, None], dtype=object)) == ["a", 1, None]
    assert cells_in(pl.Series([], dtype=pl.Date)) == []


def told(fit: Callable[[], Any], ledger: eq.Ledger) -> tuple[str, list[str]]:
    """What a caller sees besides the released numbers."""
    try:
        fit()
    except BaseException as problem:  # noqa: BLE001 - polars' own are no Exceptions
        return f"{type(problem).__name__}: {problem}", [entry.label for entry in ledger.entries()]
    return "released", [entry.label for entry in ledger.entries()]


X = np.linspace(-0.5, 0.5, 2 * ROWS).reshape(ROWS, 2)


def as_labels(column: Any, ledger: eq.Ledger) -> Any:
    return eq.LogisticRegression(classes=["no", "yes"], ledger=ledger, random_state=0).fit(X, column)


def as_people(column: Any, ledger: eq.Ledger) -> Any:
    model = eq.LogisticRegression(rows_per_person=ROWS, ledger=ledger, random_state=0)
    return model.fit(X, np.arange(ROWS) % 2, groups=column)


def framed(column: Any, **others: Any) -> Any:
    """A table of the library that the column is from."""
    if isinstance(column, pl.Series):
        return pl.DataFrame({"x": column, **others})
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return pa.table({"x": column, **others})
    return pd.DataFrame({"x": column, **others})


def as_features(column: Any, ledger: eq.Ledger) -> Any:
    return eq.LogisticRegression(ledger=ledger, random_state=0).fit(framed(column), np.arange(ROWS) % 2)


def as_tasks(column: Any, ledger: eq.Ledger) -> Any:
    model = eq.MultiTaskRegressor(
        tasks=["no", "yes"], task_column="x", label_bounds=(-1, 1), ledger=ledger, random_state=0
    )
    return model.fit(framed(column, number=X[:, 0]), X[:, 1])


def by_schema(kind: dict[str, Any]) -> FITTING:
    schema = eq.Schema.from_dict({"target": {"column": "y", "classes": [0, 1]}, "columns": {"x": kind}})
    return lambda column, ledger: eq.fit(framed(column, y=np.arange(ROWS) % 2), schema, 1.0, ledger=ledger)


FITS: dict[str, FITTING] = {
    "labels": as_labels,
    "people": as_people,
    "features": as_features,
    "tasks": as_tasks,
    "a category": by_schema({"kind": "category", "values": ["no", "yes"]}),
    "a text": by_schema({"kind": "text", "buckets": 8}),
    "a date": by_schema({"kind": "date", "bounds": ["1960-01-01", "1980-01-01"]}),
}


FITTED = [
    (name, holder, use)
    for name, holder in HELD
    for use in FITS
    if name in ("text", "categories", "days", "microseconds", "in Paris")
    and not (use == "tasks" and holder.startswith("arrow"))  # words of tasks are read from data frames alone
]


@pytest.mark.parametrize(("name", "holder", "use"), FITTED)
def test_no_cell_of_a_frame_decides_whether_a_fit_is_refused(
    name: str, holder: str, use: str, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for odd in (False, True):
        ledger = eq.Ledger(10.0, unit="person" if use == "people" else "row")
        column = held(name, holder, odd=odd)
        seen.append(told(partial(FITS[use], column, ledger), ledger))
    assert seen[0] == seen[1]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, pa.RecordBatch.from_pydict])
def test_a_column_that_is_no_number_is_refused_by_its_name(kind: Any) -> None:
    table = kind({"age": np.arange(2.0), "town": ["Bath", "York"]})
    with pytest.raises(InvalidInput, match="X: column 'town': its dtype is object"):
        eq.LogisticRegression(1.0).fit(table, [0, 1])


def test_columns_that_are_no_numbers_are_refused_before_a_cell_is_read() -> None:
    looked_at = []

    class Watched(pd.api.extensions.ExtensionArray):  # type: ignore[misc]
        """Says what it holds, and shows no cell."""

        dtype = pd.StringDtype()

        def __len__(self) -> int:
            return ROWS

        def __getitem__(self, place: Any) -> Any:
            looked_at.append(place)
            return "secret"

        def copy(self) -> Watched:
            return self

    with pytest.raises(InvalidInput, match="nothing was spent"):
        as_features(pd.Series(Watched()), eq.Ledger(1.0))
    assert looked_at == []


@pytest.mark.parametrize(
    "holder",
    [
        pa.array,
        lambda ids: pa.chunked_array([pa.array(ids[:3]), pa.array(ids[3:])]),
        lambda ids: pa.array([None if each is None else str(each) for each in ids]).dictionary_encode(),
        lambda ids: [pa.scalar(each) for each in ids],
        lambda ids: [pa.NA if each is None else each for each in ids],
        pl.Series,
        lambda ids: pd.Series(ids, dtype="Int64"),
        lambda ids: pd.Series(ids, dtype=pd.ArrowDtype(pa.int64())),
    ],
)
def test_rows_without_an_id_are_people_of_their_own_in_every_container(holder: Callable[[list[Any]], Any]) -> None:
    ids = [None, 1, None, 1, None, 1, 2, None]
    found = people_in(holder(ids), len(ids), cap=2)
    assert found.rows.tolist() == [0, 1, 2, 3, 4, 6, 7]
    assert found.count == 6


def test_an_id_of_arrow_is_the_value_that_it_holds() -> None:
    found = people_in([1, pa.scalar(1), pa.scalar(1.0), 1.0], 4, cap=2)
    assert found.rows.tolist() == [0, 1]
