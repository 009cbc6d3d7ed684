"""Columns of data frames (pandas, polars, Arrow): read by their dtype, whatever gaps they hold.

What one cell holds must not change how another is read, nor whether a column is taken at all: a gap is NaN among
numbers, False among truths that are labels, None among others.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.rows.owned import NUMBERS, Array, check_dtype

Column = npt.NDArray[Any]


def frame_of(X: Any) -> Array | None:
    """All columns side by side, refused by dtype; None for what is no frame that we know."""
    columns = _columns(X)
    if columns is None:
        return None
    table = np.empty((len(X), len(columns)))
    for place, column in enumerate(columns):
        found = _column(column)
        check_dtype(found.dtype)
        table[:, place] = found
    return table


def labels_in(y: Any) -> Column | None:
    """A column of labels, or a frame with one column as such a table; None for what is neither."""
    columns = _columns(y)
    if columns is not None:
        return _labels(columns[0]).reshape(-1, 1) if len(columns) == 1 else np.empty((len(y), len(columns)))
    return _labels(y) if _is_column(y) else None


def with_gaps(held: Column, gaps: npt.NDArray[np.bool_]) -> Column:
    """A copy with nothing where the gaps are: NaN among numbers, None among others."""
    numbers = held.dtype.kind in NUMBERS
    own = np.array(held, dtype=np.float64 if numbers else object, copy=True)
    own[gaps] = np.nan if numbers else None
    return own


def _columns(X: Any) -> list[Any] | None:
    pandas, polars, arrow = _libraries()
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if polars is not None and isinstance(X, polars.DataFrame):
        return list(X.get_columns())
    if arrow is not None and isinstance(X, arrow.Table | arrow.RecordBatch):
        return [X.column(place) for place in range(X.num_columns)]
    return None


def _is_column(y: Any) -> bool:
    pandas, polars, arrow = _libraries()
    return (
        (pandas is not None and isinstance(y, pandas.Series | pandas.Index | pandas.api.extensions.ExtensionArray))
        or (polars is not None and isinstance(y, polars.Series))
        or (arrow is not None and isinstance(y, arrow.Array | arrow.ChunkedArray))
    )


def _libraries() -> tuple[Any, Any, Any]:
    """Those that are loaded: whoever has one of their tables has loaded it."""
    return sys.modules.get("pandas"), sys.modules.get("polars"), sys.modules.get("pyarrow")


def _column(column: Any) -> Column:
    _, polars, arrow = _libraries()
    if polars is not None and isinstance(column, polars.Series):
        return _from_polars(column, polars)
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        return _from_arrow(column, arrow)
    return _from_pandas(column)


def _labels(column: Any) -> Column:
    """As `_column`, but truths stay truths."""
    pandas, polars, arrow = _libraries()
    if polars is not None and isinstance(column, polars.Series):
        truths = column.dtype == polars.Boolean
        return np.array(column.fill_null(False).to_numpy()) if truths else _from_polars(column, polars)
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        truths = arrow.types.is_boolean(column.type)
        return _held(column.fill_null(False)) if truths else _from_arrow(column, arrow)
    column = pandas.Series(column)
    if column.dtype.kind == "b":
        return np.array(column.to_numpy(dtype=bool, na_value=False))
    return _from_pandas(column)


def _from_pandas(column: Any) -> Column:
    dtype = column.dtype
    categories = getattr(dtype, "categories", None)
    if categories is not None:
        held, codes = np.append(np.asarray(categories), [None]), np.asarray(column.cat.codes)
        numbers = np.asarray(categories).dtype.kind in NUMBERS
        return with_gaps(held[codes].astype(np.float64 if numbers else object), codes < 0)
    if isinstance(dtype, np.dtype):
        return np.array(column.to_numpy(), copy=True, subok=False)
    if dtype.kind in NUMBERS:
        return np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.array(column.to_numpy(dtype=object))


def _from_polars(column: Any, polars: Any) -> Column:
    if column.dtype.is_numeric() or column.dtype == polars.Boolean:
        return np.array(column.cast(polars.Float64, strict=False).to_numpy())
    return np.fromiter(column.to_list(), dtype=object, count=len(column))


def _from_arrow(column: Any, arrow: Any) -> Column:
    types = arrow.types
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
        return _held(column.cast(arrow.float64(), safe=False))
    return np.fromiter(column.to_pylist(), dtype=object, count=len(column))


def _held(column: Any) -> Column:
    """Of an Arrow array or of one in chunks."""
    return np.array([] if len(column) == 0 else column.to_numpy(zero_copy_only=False))
