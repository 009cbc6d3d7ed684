"""Columns of data frames (pandas, polars, Arrow): read by their dtype, whatever gaps they hold.

What one cell holds must not change how another is read, nor whether a column is taken at all: a gap is NaN among
numbers, False among truths that are labels, None among others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown
from equipoise.rows.cells import number_of
from equipoise.rows.column_cells import cells_in, is_column, loaded
from equipoise.rows.owned import NUMBERS, Array, check_dtype

Column = npt.NDArray[Any]

LARGEST_WHOLE = 2.0**53
"""Below it every whole number is a double."""


def frame_of(X: Any) -> Array | None:
    """All columns side by side, refused by dtype; None for what is no frame that we know."""
    columns = _columns(X)
    if columns is None:
        return None
    table = np.empty((len(X), len(columns)))
    for name, column in zip(_names(X), columns, strict=True):
        check_dtype(_dtype(column), f"X: column {shown(name)}")  # before a cell is read
    for place, column in enumerate(columns):
        table[:, place] = _column(column)
    return table


def labels_in(y: Any, *, exact: bool = False) -> Column | None:
    """A column of labels, or a frame with one column as such a table; None for what is neither.  With `exact`, whole
    numbers that doubles do not tell apart are objects."""
    columns = _columns(y)
    if columns is not None and len(columns) != 1:
        return np.empty((len(y), len(columns)))
    if columns is None and not is_column(y):
        return None
    column = y if columns is None else columns[0]
    found = _labels(column)
    found = told_apart(found, lambda: cells_in(column)) if exact else found
    return found if columns is None else found.reshape(-1, 1)


def of_numbers(y: Any) -> bool:
    """Whether the type of a column, of a frame's first one or of an array says that it holds numbers."""
    column = (_columns(y) or [y])[0]
    return (is_column(column) and _dtype(column).kind in NUMBERS) or (
        isinstance(column, np.ndarray) and column.dtype.kind in NUMBERS
    )


def told_apart(numbers: Column, cells: Callable[[], list[Any]]) -> Column:
    """Doubles as long as they are as good as the numbers that were given, else these; so each is what it is, whatever
    stands beside it."""
    if numbers.dtype.kind != "f" or not np.any(np.abs(numbers) >= LARGEST_WHOLE):
        return numbers
    held = cells()
    return np.fromiter(held, dtype=object, count=len(held))


def with_gaps(held: Column, gaps: npt.NDArray[np.bool_]) -> Column:
    """A copy with nothing where the gaps are: NaN among numbers, None among others."""
    numbers = held.dtype.kind in NUMBERS
    own = np.array(held, dtype=np.float64 if numbers else object, copy=True)
    own[gaps] = np.nan if numbers else None
    return own


def _columns(X: Any) -> list[Any] | None:
    pandas, polars, arrow = loaded()
    if pandas is not None and isinstance(X, pandas.DataFrame):
        return [X.iloc[:, place] for place in range(X.shape[1])]
    if polars is not None and isinstance(X, polars.DataFrame):
        return list(X.get_columns())
    if arrow is not None and isinstance(X, arrow.Table | arrow.RecordBatch):
        return [X.column(place) for place in range(X.num_columns)]
    return None


def _names(X: Any) -> list[Any]:
    _, _, arrow = loaded()
    if arrow is not None and isinstance(X, arrow.Table | arrow.RecordBatch):
        return list(X.schema.names)
    return list(X.columns)


def _dtype(column: Any) -> np.dtype[Any]:
    """What `_column` gives, by the column's type alone; an extension type of anything but numbers is objects."""
    _, polars, arrow = loaded()
    if polars is not None and isinstance(column, polars.Series):
        numbers = column.dtype.is_numeric() or column.dtype == polars.Boolean
    elif arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        numbers = _of_numbers(column.type, arrow.types)
    elif getattr(column.dtype, "categories", None) is not None:
        numbers = np.asarray(column.dtype.categories).dtype.kind in NUMBERS
    elif isinstance(column.dtype, np.dtype):
        return column.dtype
    else:
        numbers = column.dtype.kind in NUMBERS
    return np.dtype(np.float64 if numbers else object)


def _column(column: Any) -> Column:
    _, polars, arrow = loaded()
    if polars is not None and isinstance(column, polars.Series):
        return _from_polars(column, polars)
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        return _from_arrow(column, arrow)
    return _from_pandas(column)


def _labels(column: Any) -> Column:
    """As `_column`, but truths stay truths."""
    pandas, polars, arrow = loaded()
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
    return _objects(column)


def _from_polars(column: Any, polars: Any) -> Column:
    if column.dtype.is_numeric() or column.dtype == polars.Boolean:
        return np.array(column.cast(polars.Float64, strict=False).to_numpy())
    return _objects(column)


def _from_arrow(column: Any, arrow: Any) -> Column:
    if not _of_numbers(column.type, arrow.types):
        return _objects(column)
    try:
        if arrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return _held(column.cast(arrow.float64(), safe=False))
    except Exception:  # noqa: BLE001 - a place that its dictionary has not: that cell's doing
        return np.array([number_of(cell) for cell in cells_in(column)], dtype=np.float64)


def _of_numbers(kind: Any, types: Any) -> bool:
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind))


def _objects(column: Any) -> Column:
    return np.fromiter(cells_in(column), dtype=object, count=len(column))


def _held(column: Any) -> Column:
    """Of an Arrow array or of one in chunks."""
    return np.array([] if len(column) == 0 else column.to_numpy(zero_copy_only=False))
