"""Data frames of pandas, polars and pyarrow, through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import arrow_type, cells_in, is_column, is_nested, loaded
from equipoise.schema.tables.table import Cells, Table, one_by_one

EXTRA = 'install it with: pip install "equipoise[tables]"'


def is_frame(source: Any) -> bool:
    """Whether narwhals may know it: by the type's own module, without importing anything."""
    return type(source).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow", "modin", "narwhals", "cudf")


def frame_types(source: Any) -> dict[str, str]:
    """The type of each column, by its dtype alone."""
    frame = _frame(source)
    return {_name(name): _type(frame, name) for name in frame.columns}


def read_frame(source: Any, wanted: Sequence[str] | None) -> Table:
    """The wanted columns."""
    frame = _frame(source)
    chosen = [name for name in frame.columns if wanted is None or name in wanted]
    columns = {_name(name): _cells(frame.get_column(name)) for name in chosen}
    return Table(columns, {_name(name): _type(frame, name) for name in chosen}, len(frame))


def column_type(column: Any) -> str:
    """Of one column, by its dtype alone."""
    return next(iter(frame_types(_alone(column)).values()))


def column_cells(column: Any) -> Cells:
    """Of one column."""
    return next(iter(read_frame(_alone(column), None).columns.values()))


def _alone(column: Any) -> Any:
    """A frame of the column's own library with this column in it."""
    pandas, polars, arrow = loaded()
    if polars is not None and isinstance(column, polars.Series):
        return polars.DataFrame({"": column})
    if arrow is not None and isinstance(column, arrow.Array | arrow.ChunkedArray):
        return arrow.table({"": column})
    return pandas.DataFrame({"": pandas.Series(column, copy=False)})


def _frame(source: Any) -> Any:
    try:
        import narwhals as nw
    except ImportError:
        raise InvalidInput(f"data: reading data frames needs narwhals, {EXTRA}") from None
    try:
        return nw.from_native(source, eager_only=True)
    except Exception:  # noqa: BLE001 - repeated column names, a lazy frame, a stranger's own complaint
        pass
    raise InvalidInput("data: cannot be read as a data frame with a name of its own for each column")


def _type(frame: Any, name: str) -> str:
    """By dtype.  What pandas calls object may hold anything, and narwhals would look at its cells to say more.

    Spans of time and bytes are "other", lists and structures "nested": every one of them would count as missing.
    """
    import narwhals as nw

    column = frame.get_column(name)
    native = nw.to_native(column)
    if _of_objects(native):
        return "unknown"
    if is_column(native) and is_nested(native):
        return "nested"
    dtype = column.dtype  # the schema of a frame looks at cells of other columns
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if dtype in (nw.Date, nw.Datetime):
        return "date"
    if dtype in (nw.Duration, nw.Time, nw.Binary) or _of_bytes_or_spans(native):
        return "other"
    return "text" if dtype in (nw.String, nw.Categorical, nw.Enum) else "unknown"


def _of_objects(native: Any) -> bool:
    """Whether it is a column of pandas' that holds anything."""
    return getattr(getattr(native, "dtype", None), "kind", "") == "O" and isinstance(native.dtype, np.dtype)


def _of_bytes_or_spans(native: Any) -> bool:
    """Whether Arrow's type says bytes, of one length or any, a span of time or a time of day, in a dictionary or not:
    narwhals does not tell of all.  Bytes may be text in a file whose writer did not say so."""
    held = arrow_type(native)
    types = None if held is None else loaded()[2].types
    return types is not None and (
        types.is_fixed_size_binary(held)
        or types.is_duration(held)
        or types.is_time(held)
        or types.is_interval(held)
        or str(held) in ("binary", "large_binary", "binary_view")
    )


def _cells(series: Any) -> Cells:
    """Doubles, whole numbers without gaps and booleans without gaps by dtype; anything else cell by cell."""
    import narwhals as nw

    native = nw.to_native(series)
    if _of_objects(native):
        return one_by_one(cells_in(native))
    dtype = series.dtype
    if dtype.is_float():
        return np.array(series.to_numpy(), dtype=np.float64, copy=True)
    if dtype.is_integer() and not series.is_null().any():
        return np.array(series.to_numpy(), copy=True)
    return one_by_one(cells_in(native) if is_column(native) else series.to_list())


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidInput("data: every column needs a name that is text, rename the others")
    return name
