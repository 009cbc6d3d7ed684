"""The cells of one column of a data frame (pandas, polars, Arrow) as Python's objects, each by itself.

Libraries make objects of a whole column and fail as a whole, at bytes that are no text or at a day beyond Python's
calendar, with an error that quotes them: one cell would decide whether a table is taken.  Such a cell is a missing one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np

from equipoise._asking import asked, is_a

EPOCH = date(1970, 1, 1).toordinal()
"""What polars counts its days from."""

DAYS = {"ms": 86_400 * 10**3, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}
"""How many of each unit make a day."""


def loaded() -> tuple[Any, Any, Any]:
    """pandas, polars and pyarrow, where they are: whoever has one of their tables has loaded it."""
    return sys.modules.get("pandas"), sys.modules.get("polars"), sys.modules.get("pyarrow")


def is_column(y: Any) -> bool:
    """Whether it is one of theirs, by its type."""
    pandas, polars, arrow = loaded()
    return (
        (pandas is not None and is_a(y, pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray))
        or (polars is not None and is_a(y, polars.Series))
        or (arrow is not None and is_a(y, arrow.Array, arrow.ChunkedArray))
    )


def is_nested(column: Any) -> bool:
    """Whether its type says that cells are lists, structures or the like; a column of objects does not say."""
    _, polars, arrow = loaded()
    if polars is not None and isinstance(column, polars.Series):
        return bool(column.dtype.is_nested())
    held = arrow_type(column)
    return held is not None and bool(arrow.types.is_nested(held))


def arrow_type(column: Any) -> Any:
    """Arrow's type of the cells, taken out of dictionaries and extensions; None of a column of another library."""
    arrow = loaded()[2]
    held = getattr(column, "type", None) or getattr(getattr(column, "dtype", None), "pyarrow_dtype", None)
    while arrow is not None and isinstance(held, arrow.BaseExtensionType | arrow.DictionaryType):
        held = held.storage_type if isinstance(held, arrow.BaseExtensionType) else held.value_type
    return held if arrow is not None and isinstance(held, arrow.DataType) else None


def unwrapped(cell: Any) -> Any:
    """What a cell of Arrow's holds; None where it cannot be read.  Others as they are."""
    arrow = loaded()[2]
    return _one(lambda _: cell.as_py(), 0) if arrow is not None and is_a(cell, arrow.Scalar) else cell


def held_by(scalar: Any) -> tuple[str, Any]:
    """The kind of a NumPy scalar's dtype, and Python's own object for what it holds; no subclass is asked."""
    return np.generic.__dict__["dtype"].__get__(scalar).kind, np.generic.item(scalar)


def cells_in(column: Any) -> list[Any]:
    """Every cell; None, or the library's own mark, where there is none or none that can be read."""
    _, polars, arrow = loaded()
    if polars is not None and isinstance(column, polars.Series):
        return _of_polars(column, polars)
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        return _all_or_each(column.to_pylist, lambda place: column[place].as_py(), len(column))
    held = asked(lambda: column.array, column)  # of a series or an index of pandas; one of several levels has none
    return _all_or_each(column.tolist, lambda place: held[place], len(column))


def _of_polars(column: Any, polars: Any) -> list[Any]:
    """By type first: where polars itself cannot go on it writes to the terminal, whoever catches the error."""
    kind = column.dtype
    if kind.is_nested():
        return [None] * len(column)
    if kind in (polars.Categorical, polars.Enum):
        column, kind = column.cast(polars.String), polars.String
    if kind == polars.String:
        return [_text(cell) for cell in column.cast(polars.Binary).to_list()]
    if kind.is_temporal() and kind != polars.Time:
        column = _within_the_calendar(column, polars)
    return _all_or_each(column.to_list, lambda place: column[place], len(column))


def _within_the_calendar(column: Any, polars: Any) -> Any:
    """The column without days and spans that Python has no objects for."""
    kind, first, last = column.dtype, date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH
    if kind == polars.Duration:
        first, last = timedelta.min.days, timedelta.max.days
    each_day = 1 if kind == polars.Date else DAYS[kind.time_unit]
    held = column.to_physical().cast(polars.Int128)
    known = held.is_between(first * each_day, (last + 1) * each_day - 1).fill_null(value=False)
    return column.zip_with(known, column.clear(len(column)))


def _all_or_each(everything: Callable[[], list[Any]], one: Callable[[int], Any], count: int) -> list[Any]:
    found = asked(everything, None)  # a stranger's message would quote the cell
    return [_one(one, place) for place in range(count)] if found is None else found


def _one(read: Callable[[int], Any], place: int) -> Any:
    return asked(lambda: read(place), None)


def _text(cell: bytes | None) -> str | None:
    try:
        return None if cell is None else cell.decode()
    except UnicodeDecodeError:
        return None
