"""One way in for every kind of table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from equipoise._checks import shown
from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import is_column
from equipoise.rows.lists import NO_LISTS
from equipoise.rows.unseen import unseen
from equipoise.schema.tables import csv_files, frames
from equipoise.schema.tables.parquet import is_parquet, open_parquet
from equipoise.schema.tables.table import Cells, Table, plain_cells

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".pq")
BY_KIND = {**dict.fromkeys("fiu", "number"), "b": "boolean", "M": "date", "U": "text", "T": "text", "O": "unknown"}
"""What the dtype of an array says of its cells."""

UNKNOWN = (
    "data: must be the path of a CSV or Parquet file or of a folder of Parquet files, a data frame, or a dictionary of"
    " columns"
)


def read_table(
    source: Any,
    wanted: Sequence[str] | None = None,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
    numbers: Sequence[str] = (),
) -> Table:
    """The wanted columns (all without a list) of a file, a data frame, or a dictionary of columns.

    `decimal` is how a CSV file writes those of its columns that are `numbers`.

    What is refused is told from names, types and the file as a whole; no cell is an error (docs/reference/refusals.md).
    """
    with unseen():  # what a cell makes a reader warn of is heard by nobody
        with_commas = numbers if decimal_of(source, delimiter, decimal) == "," else ()
        return _read(source, wanted, delimiter, encoding, with_commas)


def _read(
    source: Any, wanted: Sequence[str] | None, delimiter: str | None, encoding: str, with_commas: Sequence[str]
) -> Table:
    if isinstance(source, Table):
        return source
    if is_parquet(source):
        return open_parquet(source).table(wanted)
    if isinstance(source, str | os.PathLike):
        return csv_files.read_csv(_csv(source), wanted, delimiter_of(source, delimiter), encoding, with_commas)
    if frames.is_frame(source):
        return frames.read_frame(source, wanted)
    if isinstance(source, Mapping):
        return _from_mapping(source, wanted)
    raise InvalidInput(UNKNOWN)


def column_types(
    source: Any, *, delimiter: str | None = None, encoding: str = "utf-8", decimal: str | None = None
) -> dict[str, str]:
    """The name of each column and its type: "number", "text", "boolean", "date", "unknown", "other" (none of
    these: bytes, spans of time) or "nested" (lists, structures).  No row is read.

    A CSV file has no types, so all its columns are unknown.
    """
    decimal_of(source, delimiter, decimal)
    if is_parquet(source):
        return dict(open_parquet(source).types)
    if isinstance(source, str | os.PathLike):
        return dict.fromkeys(csv_files.header_of(_csv(source), delimiter_of(source, delimiter), encoding), "unknown")
    if frames.is_frame(source):
        return frames.frame_types(source)
    if isinstance(source, Table):
        return dict(source.types)
    if isinstance(source, Mapping):
        return _types_in(source)
    raise InvalidInput(UNKNOWN)


def is_csv(source: Any) -> bool:
    """Whether it is the path of a file of lines."""
    return isinstance(source, str | os.PathLike) and not is_parquet(source)


def _csv(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    if not os.fspath(path).lower().endswith(ENDINGS):
        raise InvalidInput(f"{os.fspath(path)}: the name must end with {', '.join(ENDINGS)}, or be that of a folder")
    return path


def delimiter_of(path: str | os.PathLike[str], given: str | None) -> str:
    """What parts the cells of this file, unless told: a tab in .tsv, else a comma."""
    if given is None:
        return "\t" if ".tsv" in os.fspath(path).lower()[-7:] else ","
    if given == "\\t":  # as a shell hands it over
        return "\t"
    if not isinstance(given, str) or len(given) != 1 or given in '"\r\n ':
        raise InvalidInput(f"delimiter={shown(given)}: must be one character, such as ';'")
    return given


def decimal_of(source: Any, delimiter: str | None, given: str | None) -> str:
    """What parts a number from its fraction, unless told: a point."""
    if given not in (None, ".", ","):
        raise InvalidInput(f"decimal={shown(given)}: must be '.' or ','")
    if given is not None and is_csv(source) and given == delimiter_of(source, delimiter):
        raise InvalidInput(f"decimal={shown(given)}: is the delimiter as well, give delimiter= (--delimiter)")
    return given or "."


def _from_mapping(source: Mapping[Any, Any], wanted: Sequence[str] | None) -> Table:
    types = _types_in(source)
    columns = {name: _cells(source[name]) for name in types if wanted is None or name in wanted}
    if len({len(cells) for cells in columns.values()}) > 1:
        raise InvalidInput("data: the columns must be equally long")
    return Table(columns, {name: types[name] for name in columns}, len(next(iter(columns.values()), ())))


def _types_in(source: Mapping[Any, Any]) -> dict[str, str]:
    """Of a dictionary of columns: arrays and columns of frames by their dtype; a list has none."""
    if not source or not all(isinstance(name, str) for name in source):
        raise InvalidInput("data: a dictionary must have the names of its columns as keys")
    return {name: _type(column) for name, column in source.items()}


def _type(column: Any) -> str:
    if is_column(column):
        return frames.column_type(column)
    return BY_KIND.get(column.dtype.kind, "other") if isinstance(column, np.ndarray) else "unknown"


def _cells(column: Any) -> Cells:
    if is_column(column):
        return frames.column_cells(column)
    if not isinstance(column, NO_LISTS) and isinstance(column, Iterable):
        try:
            return plain_cells(column)
        except InvalidInput:
            raise
        except Exception:  # noqa: BLE001 - a stranger's container
            pass
    raise InvalidInput("data: a column must be a list or an array, with one cell for each row")
