"""From whatever the caller holds to a table of our own, judged by types, dtypes and shapes and never by a value.

A dtype is the caller's word about a whole column, so a wrong one is refused at once and for free.  A list has none: it
is read cell by cell, and a cell that is no number is a missing one; only a list of nothing but words is taken for text.
docs/reference/refusals.md.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from equipoise.errors import InvalidInput
from equipoise.rows.cells import number_of
from equipoise.rows.owned import NUMBERS, Array, check_dtype, own_csr, own_dense, settle

NOT_TWO = "X: Expected 2D array. Reshape your data: one row per record, one column per feature"
NOT_FLAT = "y: must be one flat list of labels, give one label per row"
UNREADABLE = "X: cannot be read as a table, give a NumPy array, a sparse matrix or a data frame"


def own_table(X: Any, middles: Array | float = 0.0) -> Array | csr_array:
    """A finite table in doubles that nobody else holds: missing cells are the middle of their column."""
    if issparse(X):
        return own_csr(X)
    table = _dense(X)
    if table.ndim != 2:
        raise InvalidInput(NOT_TWO)
    if np.size(middles) not in (1, table.shape[1]):
        raise InvalidInput(f"column_bounds: give one (low, high) pair for each of the {table.shape[1]} columns")
    settle(table, middles)
    return table


def own_labels(y: Any) -> npt.NDArray[Any]:
    """A copy, plain: numbers and booleans by their dtype, NaN or False where missing; others as text or objects."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if isinstance(y, list | tuple):
        return _label_by_label(y)
    if isinstance(y, np.ma.MaskedArray):
        return _with_gaps(np.asarray(y), np.ma.getmaskarray(y))
    if pandas is not None and isinstance(y, pandas.Series | pandas.Index | pandas.api.extensions.ExtensionArray):
        column = pandas.Series(y)
        truths = column.dtype.kind == "b"
        return np.array(column.to_numpy(dtype=bool, na_value=False)) if truths else _from_pandas(column)
    if polars is not None and isinstance(y, polars.Series):
        return np.array(y.fill_null(False).to_numpy()) if y.dtype == polars.Boolean else _from_polars(y, polars)
    if issparse(y) or isinstance(y, str | bytes | dict | set):
        raise InvalidInput(NOT_FLAT)
    return np.array(_read(y, NOT_FLAT), copy=True, subok=False)


def _dense(X: Any) -> Array:
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return _side_by_side([_from_pandas(X.iloc[:, place]) for place in range(X.shape[1])], len(X))
    if polars is not None and isinstance(X, polars.DataFrame):
        return _side_by_side([_from_polars(column, polars) for column in X.get_columns()], X.height)
    if isinstance(X, list | tuple):
        return _cell_by_cell(X)
    return own_dense(X if isinstance(X, np.ma.MaskedArray) else _read(X, UNREADABLE))


def _read(X: Any, otherwise: str) -> npt.NDArray[Any]:
    """An array by NumPy; an error of somebody's `__array__` might show values."""
    try:
        return np.asarray(X)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever it is, it is not ours
        pass
    raise InvalidInput(otherwise)


def _side_by_side(columns: list[npt.NDArray[Any]], rows: int) -> Array:
    table = np.empty((rows, len(columns)))
    for place, column in enumerate(columns):
        check_dtype(column.dtype)
        table[:, place] = column
    return table


def _from_pandas(column: Any) -> npt.NDArray[Any]:
    """Numbers as doubles where the column may have gaps: what one cell holds must not change how another is read."""
    dtype = column.dtype
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        held, codes = np.append(np.asarray(categories), [None]), np.asarray(column.cat.codes)
        numbers = np.asarray(categories).dtype.kind in NUMBERS
        return _with_gaps(held[codes].astype(np.float64 if numbers else object), codes < 0)
    if isinstance(dtype, np.dtype):
        return np.array(column.to_numpy(), copy=True, subok=False)
    if dtype.kind in NUMBERS:
        return np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.array(column.to_numpy(dtype=object))


def _from_polars(column: Any, polars: Any) -> npt.NDArray[Any]:
    if column.dtype.is_numeric() or column.dtype == polars.Boolean:
        return np.array(column.cast(polars.Float64, strict=False).to_numpy())
    return np.fromiter(column.to_list(), dtype=object, count=len(column))


def _with_gaps(held: npt.NDArray[Any], gaps: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """A copy with nothing where the gaps are: NaN among numbers, None among others."""
    numbers = held.dtype.kind in NUMBERS
    own = np.array(held, dtype=np.float64 if numbers else object, copy=True)
    own[gaps] = np.nan if numbers else None
    return own


def _cell_by_cell(X: Any) -> Array:
    """A list of rows; at once where NumPy finds numbers only."""
    found = _nested(X, None)
    if found.dtype.kind in NUMBERS and found.ndim == 2:
        return own_dense(found)
    cells = _nested(X, object)
    if cells.ndim != 2:
        raise InvalidInput(NOT_TWO)
    flat = cells.ravel().tolist()
    if only_words(flat):
        check_dtype(np.dtype(str))
    return np.array([number_of(cell) for cell in flat], dtype=np.float64).reshape(cells.shape)


def only_words(cells: list[Any]) -> bool:
    """Whether a list is one of words; an empty one is not."""
    return bool(cells) and all(isinstance(cell, str | bytes) for cell in cells)


def _label_by_label(y: Any) -> npt.NDArray[Any]:
    """A list of labels: whole numbers as such, since NumPy would turn them into text beside a word."""
    found = _nested(y, None)
    return np.array(found if found.dtype.kind in "biu" else _nested(y, object), copy=True, subok=False)


def _nested(rows: Any, dtype: Any) -> npt.NDArray[Any]:
    """Lists as an array; an empty one where they are ragged."""
    try:
        return np.asarray(rows, dtype=dtype)
    except (Exception, SystemExit):  # noqa: BLE001 - cells may be objects with ideas of their own
        return np.empty(0, dtype=object)
