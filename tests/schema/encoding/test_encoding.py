"""The encoding is defined for every cell, row by row, and keeps to its norm."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.schema import Boolean, Category, Column, Date, Number, Ordinal, Text
from equipoise.schema.encoding import Encoding
from equipoise.schema.tables import read_table

EVERY: dict[str, Column] = {
    "line": Number((0, 100)),
    "log": Number((1, 1000), scale="log", missing="indicator"),
    "log1p": Number((0, 1000), scale="log1p", missing=0),
    "knots": Number((0, 100), scale="knots", knots=(0, 1, 10, 100)),
    "bins": Number((0, 100), shape="bins", pieces=4, missing="indicator"),
    "spline": Number((0, 100), shape="spline", knots=(0, 10, 100)),
    "category": Category(("a", "b", "NA")),
    "marked": Category((1, 2.5, True), missing="indicator"),
    "ordinal": Ordinal(("low", "middle", "high"), missing="indicator"),
    "boolean": Boolean(missing="indicator"),
    "date": Date(("2020-01-01", "2020-12-31"), ("time", "year", "month", "weekday", "day"), missing="indicator"),
    "text": Text(16),
}
SCHEMA = eq.Schema(EVERY)
CELLS = (
    st.none()
    | st.text(max_size=8)
    | st.floats()
    | st.integers()
    | st.booleans()
    | st.dates()
    | st.sampled_from(["a", "low", "yes", "50", "2020-02-29", "NA", "?", " 7 ", "1e999", "-inf", "nan", "1_0"])
    | st.just(object())
)


def dense(encoding: Encoding, table: dict[str, list[Any]]) -> npt.NDArray[np.float64]:
    found = encoding.rows(read_table(table), wide=False)
    assert isinstance(found, np.ndarray)
    return found


def encoded(column: Column, cells: list[Any]) -> npt.NDArray[np.float64]:
    return dense(Encoding(eq.Schema({"x": column})), {"x": cells})


def test_numbers_run_from_minus_one_to_one_along_their_scale() -> None:
    cases: list[tuple[Number, list[Any], list[float]]] = [
        (Number((0, 100)), [0, 25, 100, -7, 1e300, math.inf], [-1, -0.5, 1, -1, 1, 1]),
        (Number((1, 100), scale="log"), [1, 10, 100, 0, -5], [-1, 0, 1, -1, -1]),
        (Number((0, math.e**2 - 1), scale="log1p"), [0, math.e - 1, 1e9], [-1, 0, 1]),
        (Number((0, 100), scale="knots", knots=(0, 1, 100)), [0, 0.5, 1, 50.5, 100], [-1, -0.5, 0, 0.5, 1]),
    ]
    for column, cells, wanted in cases:
        np.testing.assert_allclose(encoded(column, cells)[:, 0], wanted, atol=1e-9)


def test_a_missing_cell_follows_the_rule_of_its_column() -> None:
    gone = [None, "", "NA", "abc", math.nan, "1_000", object()]
    np.testing.assert_allclose(encoded(Number((0, 100)), gone), 0.0)
    np.testing.assert_allclose(encoded(Number((0, 100), missing=25), gone)[:, 0], -0.5, atol=1e-9)
    marked = encoded(Number((0, 100), missing="indicator"), [*gone, 0])
    np.testing.assert_allclose(marked, [[0, 1]] * len(gone) + [[-1, 0]], atol=1e-9)
    truths = encoded(Boolean(missing=False), [None, "ja", "YES", 0])
    np.testing.assert_allclose(truths[:, 0], [-1, -1, 1, -1], atol=1e-9)
    np.testing.assert_allclose(encoded(Ordinal((1, 2, 3), missing=3), [None, 9, 1.0])[:, 0], [1, 1, -1], atol=1e-9)


def test_categories_have_a_slot_for_other_and_one_for_missing_where_asked() -> None:
    plain = encoded(Category(("a", "b")), ["a", " b ", "c", None, "?"])
    np.testing.assert_allclose(plain, np.eye(3)[[0, 1, 2, 2, 2]], atol=1e-9)
    marked = encoded(Category(("a", "?"), missing="indicator"), ["a", "?", "c", None])
    np.testing.assert_allclose(marked, np.eye(4)[[0, 1, 2, 3]], atol=1e-9)
    as_value = encoded(Category(("a", "b"), missing="b"), [None, "x"])
    np.testing.assert_allclose(as_value, np.eye(3)[[1, 2]], atol=1e-9)
    codes = encoded(Category((1, 2)), [1, 2.0, "1", "2.0", True, "x"])
    np.testing.assert_allclose(codes, np.eye(3)[[0, 1, 0, 1, 2, 2]], atol=1e-9)


def test_curves_share_one_between_their_pieces() -> None:
    values = list(np.linspace(0, 100, 57))
    bins = encoded(Number((0, 100), shape="bins", pieces=4), [*values, 200])
    spline = encoded(Number((0, 100), shape="spline", knots=(0, 10, 100)), values)
    for found in (bins, spline):
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
        assert (found >= 0).all()
    assert set(np.unique(bins.round(9))) == {0.0, 1.0}
    np.testing.assert_allclose(encoded(Number((0, 100), shape="spline", pieces=2), [25]), [[0.5, 0.5, 0]], atol=1e-9)


def test_dates_give_their_parts() -> None:
    days: list[Any] = ["2020-01-01", datetime.date(2020, 12, 31), datetime.datetime(2020, 7, 1, 23, 59)]
    days.append(np.datetime64("2020-02-29"))
    found = encoded(Date(("2020-01-01", "2020-12-31")), [*days, "1999-01-01", "2020-02-30", "yesterday"])
    np.testing.assert_allclose(found[:, 0], [-1, 1, -0.0027, -0.6767, -1, 0, 0], atol=1e-3)
    weekday = encoded(Date(("2020-01-01", "2020-12-31"), ("weekday",)), ["2020-01-06"])  # a Monday
    np.testing.assert_allclose(weekday, np.eye(7)[[0]], atol=1e-9)


def test_words_are_hashed_whatever_their_order_or_case() -> None:
    found = encoded(Text(64), ["Fever and cough", "COUGH, fever; and", "", None, "cough"])
    np.testing.assert_allclose(found[0], found[1])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1, 0, 0, 1], atol=1e-9)
    assert found[0] @ found[4] > 0.5


def columns(rows: list[list[Any]]) -> dict[str, list[Any]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(EVERY)}


@given(st.lists(st.lists(CELLS, min_size=len(EVERY), max_size=len(EVERY)), min_size=1, max_size=4))
def test_any_table_is_encoded_row_by_row_within_the_norm(rows: list[list[Any]]) -> None:
    encoding = Encoding(SCHEMA, norm=0.7, interactions=(("category", "line"), ("text", "ordinal")))
    whole = dense(encoding, columns(rows))
    assert whole.shape == (len(rows), len(encoding.names))
    assert np.isfinite(whole).all()
    assert (np.linalg.norm(whole, axis=1) <= 0.7).all()
    for place, row in enumerate(rows):
        alone = dense(encoding, columns([row]))
        np.testing.assert_array_equal(whole[place], alone[0])


def test_the_norm_is_reached_and_interactions_share_it() -> None:
    schema = eq.Schema({"a": Category(("x",)), "b": Number((0, 1)), "c": Boolean()})
    table: dict[str, list[Any]] = {"a": ["x"], "b": [1.0], "c": [True]}
    for pairs in ((), (("a", "b"),), (("a", "b"), ("b", "c"))):
        found = dense(Encoding(schema, interactions=pairs), table)
        assert np.linalg.norm(found) == pytest.approx(1.0)
        assert np.linalg.norm(found) <= 1.0
    assert Encoding(schema, interactions=(("a", "b"),)).names[-2:] == ("a=x × b", "a=other × b")


def test_sparse_and_dense_are_the_same_numbers() -> None:
    encoding, table = Encoding(SCHEMA), read_table(columns([["a"] * len(EVERY), [7] * len(EVERY)]))
    np.testing.assert_array_equal(encoding.rows(table, wide=True).toarray(), encoding.rows(table, wide=False))  # type: ignore[union-attr]
    assert encoding.rows(table).shape == (2, len(encoding.names))


@pytest.mark.parametrize("pairs", ["ab", [("a",)], [("line", "nobody")], [("line", "line")], 7])
def test_interactions_that_are_no_pairs_of_columns_are_refused(pairs: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="interactions"):
        Encoding(SCHEMA, interactions=pairs)


SCALES: dict[str, Any] = {"linear": lambda x: x, "log": np.log, "log1p": np.log1p}


@given(
    st.sampled_from(sorted(SCALES)),
    st.floats(-1e9, 1e9),
    st.floats(1e-3, 1e9),
    st.lists(st.floats() | st.integers(-(10**12), 10**12).map(float), min_size=1, max_size=30),
    st.sampled_from(["f8", "f4", "f2", "O", "i8"]),
    st.booleans(),
)
def test_numbers_are_those_of_the_plain_formula_bit_by_bit(
    scale: str, low: float, width: float, values: list[float], dtype: str, alone: bool
) -> None:
    """Bend, centre, scale, clip: however a column is read and wherever its numbers are written."""
    low = low if scale == "linear" else abs(low) + 1e-3
    column = Number((low, low + width), scale=scale)
    with np.errstate(all="ignore"):
        held = np.array([0.0 if dtype == "i8" and not abs(v) < 2**60 else v for v in values]).astype(dtype)
        doubles = held.astype(np.float64)
        bend = SCALES[scale]
        bottom, top = bend(np.array(column.bounds)).tolist()
        inside = doubles if scale == "linear" else bend(np.clip(doubles, *column.bounds))
        place = (inside - (bottom / 2 + top / 2)) * (2.0 / (top - bottom))
    expected = np.where(np.isnan(place), 0.0, np.clip(place, -1.0, 1.0))
    columns: dict[str, Column] = {"x": column} if alone else {"x": column, "z": Number((0, 1), missing="indicator")}
    how = Encoding(eq.Schema(columns))
    table = read_table({"x": held, "z": np.zeros(len(held))})
    for wide in (False, True):
        found: Any = how.rows(table, wide=wide)
        first = found.toarray()[:, 0] if wide else found[:, 0]
        np.testing.assert_array_equal(first, expected * how.weight)
