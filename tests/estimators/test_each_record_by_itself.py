"""What one record holds changes neither how another is read, nor what anybody hears, in any container."""

from __future__ import annotations

import array
import datetime
import decimal
import enum
import warnings
from collections import UserList, deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import equipoise as eq
from equipoise.estimators._labels import declared, own_classes, own_numbers, settled
from equipoise.estimators.density.density_inputs import density_rows
from equipoise.inside.labels import numbers_within
from equipoise.rows.tables import own_table


class Sex(enum.IntEnum):
    FEMALE = 0
    MALE = 1


class Dose(float):
    """A number with a unit, as libraries of units make them."""


class Scalar:
    """A tensor of no dimension."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[np.float64]:
        return np.array(0.5)


class Stubborn:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[np.float64]:
        raise RuntimeError("secret-7")


CELLS: dict[str, Any] = {
    "double": 0.5,
    "whole": 3,
    "truth": True,
    "nothing": None,
    "word": "a",
    "number in words": "1.5",
    "bytes": b"x",
    "nan": float("nan"),
    "infinite": float("inf"),
    "beyond doubles": 10**400,
    "beyond 64 bits": 2**64,
    "below 64 bits": -(2**63) - 1,
    "minus zero": -0.0,
    "half": np.float16(0.5),
    "single": np.float32(0.1),
    "long double": np.longdouble("0.5"),
    "long and large": np.longdouble("1e4000"),
    "numpy truth": np.bool_(True),
    "byte": np.int8(1),
    "unsigned": np.uint64(2**64 - 1),
    "complex": 1 + 0j,
    "decimal": decimal.Decimal("0.5"),
    "date": datetime.date(2020, 1, 1),
    "numpy date": np.datetime64("2020-01-01", "ns"),
    "enum": Sex.MALE,
    "unit": Dose(0.5),
    "numpy word": np.str_("a"),
    "array of no dimension": np.array(0.5),
    "array of one": np.array([0.5]),
    "masked": np.ma.masked,
    "masked array": np.ma.masked_array(0.5, mask=True),
    "list of one": [0.5],
    "empty list": [],
    "tuple": (1, 2),
    "nested": [[1]],
    "dictionary": {},
    "range": range(1),
    "buffer": array.array("d", [0.5]),
    "series": pd.Series([0.5]),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "arrow": pa.scalar(1.0),
    "tensor": Scalar(),
    "stubborn": Stubborn(),
}


SOME = ("double", "truth", "nothing", "word", "beyond doubles", "enum", "masked", "tuple", "list of one", "stubborn")
"""Beside which every cell is read where reading takes long."""


def heard(read: Callable[[Any], Any], given: Any) -> Any:
    """What comes out, or the error, and every warning, where numpy's settings are the strictest."""
    with warnings.catch_warnings(record=True) as told, np.errstate(all="raise"):
        warnings.simplefilter("always")
        try:
            found = read(given)
        except Exception as error:  # noqa: BLE001 - whatever a caller would see
            found = f"{type(error).__name__}: {error}"
    return repr(found), [str(each.message) for each in told]


def others(found: Any) -> Any:
    """All but the second record, and what shows of the whole."""
    return np.delete(found, 1, axis=0).tolist(), found.dtype, found.shape


def read_usual(y: Any) -> Any:
    labels = own_classes(y, None, "estimator")
    classes = declared(None, labels)
    return classes, others(settled(labels, classes))


SCHEMA = eq.Schema.from_dict(
    {
        "columns": {
            "number": {"kind": "number", "bounds": [0, 10], "missing": "indicator"},
            "category": {"kind": "category", "values": ["a", "1", 3]},
            "boolean": {"kind": "boolean"},
            "date": {"kind": "date", "bounds": ["2000-01-01", "2030-01-01"]},
            "text": {"kind": "text", "buckets": 4},
        }
    }
)
PLAIN = eq.Schema.from_dict({"columns": {name: SCHEMA.to_dict()["columns"][name] for name in ("number", "category")}})


def encoded(cells: Any) -> Any:
    """The same cells as a column of every kind."""
    return others(eq.Encoder(SCHEMA).transform(dict.fromkeys(SCHEMA.columns, cells)))


READERS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "table": (lambda one, two: [[one, 0.0], [two, 1.0], [2.0, 3.0]], lambda X: others(own_table(X))),
    "rows of tuples": (lambda one, two: ((0.0, one), (1.0, two), (2.0, 3.0)), lambda X: others(own_table(X))),
    "queue": (lambda one, two: deque([[one], [two], [2.0]]), lambda X: others(own_table(X))),
    "values": (lambda one, two: [one, two, 0.25], lambda x: others(density_rows(eq.HistogramDensity(), x, 1, 1))),
    "classes": (lambda one, two: [one, two, 1, 0], lambda y: others(settled(own_classes(y, [0, 1], "e"), (0, 1)))),
    "words": (lambda one, two: [one, two, "b"], lambda y: others(settled(own_classes(y, "ab", "e"), ("a", "b")))),
    "usual classes": (lambda one, two: [one, two, True, False], read_usual),
    "labels in lists": (lambda one, two: [[one], two, [1], [0]], read_usual),
    "labels in a queue": (lambda one, two: UserList([one, two, True]), read_usual),
    "encoded": (lambda one, two: [one, two, "a", 1.5], encoded),
    "numbers": (lambda one, two: [one, two, 1], lambda y: others(numbers_within(own_numbers(y, "e"), -10, 10))),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_list_is_read_cell_by_cell_whatever_else_it_holds(reader: str) -> None:
    make, read = READERS[reader]
    for name, cell in CELLS.items():
        alike = {str(heard(read, make(cell, CELLS[other]))) for other in (SOME if reader == "encoded" else CELLS)}
        assert len(alike) == 1, f"{name}: {sorted(alike)[:3]}"


def signalling(dtype: Any, whole: Any, bits: int) -> npt.NDArray[Any]:
    """A NaN that makes the processor complain when it is converted."""
    return np.array([0, bits, 0], dtype=whole).view(dtype)


def categories(*values: Any) -> pd.Series[Any]:
    return pd.Series(pd.Categorical(values, categories=[False, True]))


LONG = np.longdouble
COLUMNS: dict[str, Sequence[Any]] = {
    "pandas Int64": [pd.Series([0, x, 0], dtype="Int64") for x in (1, None, 2**63 - 1)],
    "pandas Float32": [pd.Series([0, x, 0], dtype="Float32") for x in (1, None, np.inf)],
    "pandas boolean": [pd.Series([False, x, False], dtype="boolean") for x in (True, None)],
    "pandas categories": [categories(False, x, False) for x in (True, None)],
    "pandas sparse": [pd.Series([0, x, 0]).astype(pd.SparseDtype(float, 0.0)) for x in (1, np.nan, 0)],
    "pandas long": [pd.Series(np.array([0, x, 0], dtype=LONG)) for x in (LONG(1), LONG("1e4000"), LONG("1e-4000"))],
    "pandas single": [pd.Series(np.zeros(3, np.float32)), pd.Series(signalling(np.float32, np.uint32, 0x7F800001))],
    "pandas arrow": [pd.Series([False, x, False], dtype=pd.ArrowDtype(pa.bool_())) for x in (True, None)],
    "polars whole": [pl.Series([0, x, 0], dtype=pl.UInt8) for x in (1, None)],
    "polars truths": [pl.Series([False, x, False], dtype=pl.Boolean) for x in (True, None)],
    "polars decimal": [pl.Series([0, x, 0], dtype=pl.Decimal(10, 2)) for x in (1, None)],
    "arrow whole": [pa.array([0, x, 0], pa.int64()) for x in (1, None, 2**62)],
    "arrow truths": [pa.array([False, x, False], pa.bool_()) for x in (True, None)],
    "arrow chunks": [pa.chunked_array([pa.array([False]), pa.array([x, False], pa.bool_())]) for x in (True, None)],
    "arrow words": [pa.array(["0", x, "0"], pa.string()) for x in ("1", None)],
    "arrow dictionary": [pa.array([0, x, 0], pa.int64()).dictionary_encode() for x in (1, None)],
    "long": [np.array([0, x, 0], dtype=LONG) for x in (LONG(1), LONG("1e4000"), LONG("nan"))],
    "single": [np.zeros(3, np.float32), signalling(np.float32, np.uint32, 0x7F800001)],
    "half": [np.zeros(3, np.float16), signalling(np.float16, np.uint16, 0x7C01)],
    "double": [np.zeros(3), signalling(np.float64, np.uint64, 0x7FF0000000000001)],
    "masked": [np.ma.masked_array([0, 1, 0], mask=[False, gap, False]) for gap in (False, True)],
    "masked truths": [np.ma.masked_array([False, True, False], mask=[False, gap, False]) for gap in (False, True)],
    "masked long": [np.ma.masked_array(np.array([0, x, 0], dtype=LONG), mask=False) for x in (LONG(1), LONG("1e4000"))],
}


def framed(column: Any) -> Any:
    if isinstance(column, pd.Series):
        return pd.DataFrame({"a": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"a": column})
    return pa.table({"a": column}) if isinstance(column, pa.Array | pa.ChunkedArray) else column.reshape(-1, 1)


def doubled(column: Any) -> Any:
    """A frame with the column under two names."""
    if isinstance(column, pd.Series):
        return pd.DataFrame({"number": column, "category": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"number": column, "category": column})
    same = {"number": column, "category": column}
    return pa.table(same) if isinstance(column, pa.Array | pa.ChunkedArray) else same


KINDS: dict[str, Callable[[Any], Any]] = {
    "table": lambda column: others(own_table(framed(column))),
    "classes": lambda column: others(settled(own_classes(column, [0, 1], "e"), (0, 1))),
    "words": lambda column: others(settled(own_classes(column, ["0", "1"], "e"), ("0", "1"))),
    "usual classes": read_usual,
    "usual classes in a frame": lambda column: read_usual(framed(column)),
    "encoded": lambda column: others(eq.Encoder(PLAIN).transform({"number": column, "category": column})),
    "encoded frames": lambda column: others(eq.Encoder(PLAIN).transform(doubled(column))),
    "numbers": lambda column: others(numbers_within(own_numbers(column, "e"), -1, 1)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_is_read_by_its_dtype_whatever_gaps_it_holds(column: str, kind: str) -> None:
    alike = {str(heard(KINDS[kind], each)) for each in COLUMNS[column]}
    assert len(alike) == 1, sorted(alike)


def test_what_a_list_of_labels_holds_does_not_show_on_the_fitted_model() -> None:
    X = np.linspace(-1, 1, 20)[:, None]
    truths = [bool(x > 0) for x in X[:, 0]]
    shown = set[str]()
    for label in (True, 1, 1.0, None, "a", Sex.MALE, np.bool_(True)):
        model = eq.LogisticRegression().fit(X.tolist(), [*truths[:-1], label])
        shown.add(repr((model.classes_, model.predict(X).dtype, model.guarantee_)))
    assert len(shown) == 1
