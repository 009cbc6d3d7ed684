"""Rows of Parquet files as they come from pyarrow, put together and cut to blocks, and their cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.errors import UnreadableFile
from equipoise.rows.column_cells import cells_in
from equipoise.schema.tables.table import Cells, Table, one_by_one


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Piece:
    """Some rows of a file: plain numbers in arrays already, other columns as pyarrow has them."""

    columns: dict[str, Any]
    rows: int

    @classmethod
    def of(cls, batch: Any) -> Piece:
        """All rows of a batch of pyarrow's."""
        columns = zip(batch.schema.names, batch.columns, strict=True)
        return cls({name: numbers_or_as_it_is(column) for name, column in columns}, batch.num_rows)

    def cut(self, first: int, height: int) -> Piece:
        """So many of them from one on, or as many as there are, uncopied."""
        rows = min(height, self.rows - first)
        if rows == self.rows:
            return self
        return Piece({name: column[first : first + rows] for name, column in self.columns.items()}, rows)


def regrouped(pieces: Iterable[Piece], height: int, fewest: int) -> Iterator[list[Piece]]:
    """Lists of pieces of at most `height` rows together.  One of at least `fewest` stays as it is, uncopied; short
    ones, of small files or row groups, are put together."""
    held: list[Piece] = []
    rows = 0
    for piece in pieces:
        if not held and fewest <= piece.rows <= height:
            yield [piece]
            continue
        first = 0
        while first < piece.rows:
            part = piece.cut(first, height - rows)
            held.append(part)
            first, rows = first + part.rows, rows + part.rows
            if rows == height:
                yield held
                held, rows = [], 0
    if held:
        yield held


def block_of(pieces: list[Piece], types: dict[str, str], table: str) -> Table:
    """One after the other, in plain cells."""
    try:
        columns = {name: joined([cells_of(piece.columns[name]) for piece in pieces]) for name in types}
    except Exception:  # noqa: BLE001 - a stranger's message might quote a value
        columns = None
    if columns is None:
        raise UnreadableFile(f"{table}: holds a type that is not supported")
    return Table(columns, types, sum(piece.rows for piece in pieces))


def numbers_or_as_it_is(column: Any) -> Any:
    """Floats in an array, NaN where missing, and whole numbers without gaps; any other column of pyarrow's as it is."""
    from pyarrow import types

    if types.is_floating(column.type) or (types.is_integer(column.type) and column.null_count == 0):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return column


def cells_of(column: Any) -> Cells:
    """Numbers, or cell by cell.  A part of a column may have no gaps though the column has some."""
    found = column if isinstance(column, np.ndarray) else numbers_or_as_it_is(column)
    return found if isinstance(found, np.ndarray) else one_by_one(cells_in(found))


def joined(parts: list[Cells]) -> Cells:
    """One array; where whole numbers have gaps in one part alone, objects."""
    if len(parts) == 1:
        return parts[0]
    if len({part.dtype.kind for part in parts}) > 1:
        return one_by_one(cell for part in parts for cell in part.tolist())
    return np.concatenate(parts) if parts else np.empty(0)
