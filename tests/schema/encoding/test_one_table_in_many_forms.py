"""A table is the same table as text, with types, as decimals and in a file: a cell becomes what it says.

A column that cannot be read in one of these forms is refused by its type; none is learnt from as nothing but gaps.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.estimators.table.labels import labels_of
from equipoise.estimators.table.people import ids_of
from equipoise.schema import Boolean, Category, Classes, Column, Date, Number, Ordinal, Person, Range, Text
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import column_types, read_table

GONE = -999
OF_NUMBERS: dict[str, Column] = {
    "line": Number((0, 10), missing="indicator"),
    "plain": Number((0, 10)),
    "bins": Number((0, 10), shape="bins", pieces=4, missing="indicator"),
    "knots": Number((0, 10), scale="knots", knots=(0, 1, 10)),
    "category": Category((0, 1, 2), missing="indicator"),
    "ordinal": Ordinal((0, 1, 2), missing="indicator"),
    "boolean": Boolean(missing="indicator"),
    "stated": Boolean((1,), (0, 2), missing="indicator"),
}
SCHEMA = eq.Schema(OF_NUMBERS, Range("y", (0, 2)), missing_words=("", str(GONE)))
CELLS = st.lists(st.sampled_from([None, GONE, 0, 1, 2, 7, -3]), min_size=1, max_size=8)

FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "whole numbers": lambda cells: cells,
    "floats": lambda cells: np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64),
    "single precision": lambda cells: np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float32),
    "text": lambda cells: ["" if cell is None else str(cell) for cell in cells],
    "text of floats": lambda cells: ["" if cell is None else f"{cell:.1f}" for cell in cells],
    "decimals": lambda cells: [None if cell is None else Decimal(cell) for cell in cells],
    "decimals with places": lambda cells: [None if cell is None else Decimal(f"{cell}.00") for cell in cells],
    "pandas": lambda cells: pd.Series(cells, dtype="Int64"),
    "polars": lambda cells: pl.Series(cells, dtype=pl.Int32),
    "polars' decimals": lambda cells: pl.Series(cells, dtype=pl.Int64).cast(pl.Decimal(10, 2)),
    "Arrow's decimals": lambda cells: pa.array(cells, pa.decimal128(10, 0)),
}


def frame(column: Any, names: list[str]) -> Any:
    """A table whose every column is this one."""
    if isinstance(column, pd.Series):
        return pd.DataFrame(dict.fromkeys(names, column))
    if isinstance(column, pl.Series):
        return pl.DataFrame([column.alias(name) for name in names])
    return pa.table(dict.fromkeys(names, column)) if isinstance(column, pa.Array) else dict.fromkeys(names, column)


def read(column: Any) -> list[npt.NDArray[Any]]:
    table = read_table(frame(column, [*OF_NUMBERS, "y"]))
    linear = Encoding(SCHEMA).rows(table, wide=False)
    return [np.asarray(linear), AdditiveEncoding(SCHEMA).rows(table), labels_of(table, SCHEMA)]


@given(CELLS)
def test_numbers_say_the_same_in_every_form(cells: list[int | None]) -> None:
    wanted = read(cells)
    for name, form in FORMS.items():
        for found, right in zip(read(form(cells)), wanted, strict=True):
            np.testing.assert_array_equal(found, right, err_msg=name)


@given(st.lists(st.decimals(allow_nan=True, allow_infinity=True), min_size=1, max_size=8))
def test_a_decimal_is_the_double_next_to_it(cells: list[Decimal]) -> None:
    found = Encoding(eq.Schema({"x": Number((-1e9, 1e9))})).rows(read_table({"x": cells}), wide=False)
    doubles = [float("nan") if cell.is_nan() else float(cell) for cell in cells]
    right = Encoding(eq.Schema({"x": Number((-1e9, 1e9))})).rows(read_table({"x": doubles}), wide=False)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(right))


def test_decimals_in_lists_are_numbers_and_labels() -> None:
    rows = [[Decimal(place) / 50 - 1] for place in range(100)] * 20
    as_decimals, as_numbers = (
        eq.LinearRegression(1.0, label_bounds=(-1, 1), random_state=0).fit(table, labels)
        for table, labels in (
            (rows, [row[0] for row in rows]),
            ([[float(row[0])] for row in rows], [float(row[0]) for row in rows]),
        )
    )
    np.testing.assert_array_equal(as_decimals.coef_, as_numbers.coef_)


def test_ids_that_are_decimals_name_whom_their_number_names_and_are_never_rounded() -> None:
    schema = eq.Schema({"x": Number((0, 1))}, Range("y", (0, 1)), Person("who", 1))
    near = [Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002")]
    who = [Decimal("3.0"), 3, "3", Decimal("0.5"), 0.5, *near, Decimal("sNaN")]
    ids = ids_of(schema, read_table({"who": who}))
    assert ids[:5] == ["3", "3", "3", "0.5", "0.5"]
    assert len({*ids[:1], *ids[3:4], *ids[5:7]}) == 4


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, pd.NA, "", "NA"])
def test_a_gap_in_text_is_no_word(nothing: Any) -> None:
    found = Encoding(eq.Schema({"x": Text(8)})).rows(read_table({"x": [nothing, "nan nan nan"]}), wide=False)
    assert not np.asarray(found)[0].any()
    assert np.asarray(found)[1].any()


def test_a_word_that_a_boolean_lists_is_never_missing_and_a_truth_needs_no_word() -> None:
    schema = eq.Schema({"x": Boolean(("x", "1"), ("", "0"), missing="indicator")})
    found = Encoding(schema).rows(read_table({"x": ["x", "", " ", True, False, 1.0, 0, "NA", None]}), wide=False)
    assert np.sign(np.asarray(found)[:, 0]).tolist() == [1, -1, -1, 1, -1, 1, -1, 0, 0]


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns"])
def test_dates_of_every_unit_are_dates(unit: str) -> None:
    days = np.array(["1999-12-31", "2001-07-04", "NaT"], dtype="datetime64[D]").astype(f"datetime64[{unit}]")
    texts = ["" if np.isnat(day) else str(day)[:10] for day in days]
    encoding = Encoding(eq.Schema({"x": Date(("1960-01-01", "2010-01-01"), missing="indicator")}))
    found, right = (encoding.rows(read_table({"x": cells}), wide=False) for cells in (days, texts))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(right))


class Odd(str):
    """Text whose own methods quote it."""

    def strip(self, *_: Any) -> str:
        raise RuntimeError(str.__str__(self))


class OddDay(datetime.date):
    """A date like any other."""


def test_a_cell_of_a_subclass_is_what_it_holds() -> None:
    encoding = Encoding(eq.Schema({"x": Date(("2000-01-01", "2010-01-01"))}))
    found = encoding.rows(read_table({"x": [Odd("2005-01-01"), OddDay(2005, 1, 1), "2005-01-01"]}), wide=False)
    assert len(set(np.asarray(found)[:, 0].tolist())) == 1


ARROWS = {
    "bytes": pa.array([b"1", b"2"]),
    "large bytes": pa.array([b"1", b"2"], pa.large_binary()),
    "bytes of one length": pa.array([b"1", b"2"], pa.binary(1)),
    "bytes that are seen": pa.array([b"1", b"2"], pa.binary_view()),
    "spans": pa.array([1, 2], pa.duration("s")),
    "spans of the calendar": pa.array([pa.MonthDayNano([1, 2, 3])] * 2),
    "times of day": pa.array([1, 2], pa.time32("s")),
    "finer times of day": pa.array([1, 2], pa.time64("ns")),
    "marks of bytes": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"1" * 16] * 2, pa.binary(16))),
}
IN_DICTIONARIES = {
    f"{name} in a dictionary": array.dictionary_encode()
    for name, array in ARROWS.items()
    if name not in ("bytes that are seen", "spans of the calendar", "marks of bytes")  # which Arrow does not encode
}
UNREADABLE: dict[str, Any] = {
    **{f"Arrow's {name}": pa.table({"x": array}) for name, array in (ARROWS | IN_DICTIONARIES).items()},
    **{
        f"pandas' {name} of Arrow": pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(array))})
        for name, array in (ARROWS | IN_DICTIONARIES).items()
    },
    "spans of time": pl.DataFrame({"x": [datetime.timedelta(1), None]}),
    "times of day": pl.DataFrame({"x": [datetime.time(1), None]}),
    "bytes": pl.DataFrame({"x": [b"1", None]}),
    "lists": pl.DataFrame({"x": [[1], None]}),
    "pandas' spans": pd.DataFrame({"x": pd.to_timedelta([1, 2])}),
    "NumPy's spans": {"x": np.array([1, 2], dtype="timedelta64[s]")},
    "NumPy's bytes": {"x": np.array([b"1", b"2"])},
    "complex": {"x": np.array([1j, 2])},
}


NOT_IN_PARQUET = ("Arrow's spans of the calendar", "Arrow's spans in a dictionary")
"""It has no type for these, and writes numbers for the second."""


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_type_that_holds_nothing_readable_is_refused_for_free(name: str, tmp_path: Path) -> None:
    table = UNREADABLE[name]
    for column in (Number((0, 1)), Category(("1",)), Ordinal(("1", "2")), Boolean(), Text()):
        found = eq.Schema({"x": column}).check(table)
        assert not found.ok, column.kind
        with pytest.raises(InvalidInput, match="cannot be read"):
            Encoding(eq.Schema({"x": column})).check_types(column_types(table))
    for target in (Range("x", (0, 1)), Classes("x", ("1", "2"))):
        assert not eq.Schema({"z": Number((0, 1))}, target).check(table).ok
    assert "kind: ignored" in eq.Schema.template(column_types(table))
    if isinstance(table, pa.Table) and name not in NOT_IN_PARQUET:
        pq.write_table(table, tmp_path / "bytes.parquet")
        assert column_types(tmp_path / "bytes.parquet") == {"x": "other"}


def test_a_class_is_no_date() -> None:
    table = pl.DataFrame({"x": [0.5], "y": [datetime.date(2020, 1, 1)]})
    assert not eq.Schema({"x": Number((0, 1))}, Classes("y", ("2020-01-01", "2021-01-01"))).check(table).ok
