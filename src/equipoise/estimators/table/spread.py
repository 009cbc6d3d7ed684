"""A table by its schema whose parts workers read: a Dask data frame, or Parquet that all of them can read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.estimators.cluster.collections import Columns, looked_at
from equipoise.estimators.cluster.engine import crew_of
from equipoise.estimators.cluster.parts import Parts
from equipoise.estimators.table.labels import labels_of
from equipoise.estimators.table.people import ids_of, person_columns
from equipoise.inside.cluster import Crew, Seen
from equipoise.inside.records import Told, nobody
from equipoise.rows.tables import is_collection, own_table
from equipoise.schema import Schema
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import Table, column_types, read_table
from equipoise.schema.tables.parquet import ParquetFiles
from equipoise.schema.tables.parquet_parts import parts_of_files
from equipoise.theory.bounds import Bounds

MOST_ENTRIES = 2**23
"""Of an encoded part of Parquet files: 64 megabytes."""

NOT_SPREAD = "engine: workers read Dask data frames, or Parquet files that are where all of them run: give one of those"


def crew_for(data: Any, engine: Any, stream: bool | None) -> Crew | None:
    """Who reads the table; None where it is read here."""
    if engine is None and not is_collection(data):
        return None
    if not isinstance(data, ParquetFiles) and not _is_frame(data):
        raise InvalidInput(NOT_SPREAD)
    if stream is not None:
        raise InvalidInput("stream: says how one machine reads Parquet, leave it out with an engine")
    return crew_of(engine)


def without_rows(data: Any) -> Any:
    """What names and types are read from."""
    return data._meta if _is_frame(data) else data


def spread(
    crew: Crew, data: Any, how: Encoding | AdditiveEncoding, *, secret: bool = False, told: Told = nobody
) -> Parts:
    """As a source, compared with what the table says of itself before anything is spent; the number of rows may be
    `secret`."""
    width, person = len(how.names), how.schema.person
    if isinstance(data, ParquetFiles):
        pieces = parts_of_files(data, max(1, MOST_ENTRIES // max(1, width)))
        said = [Seen(len(piece), ()) for piece in pieces]
        tasks: list[Any] = [(piece,) for piece in pieces]
        found = Parts(crew, OfFiles(how), tasks, said, width, told)
    else:
        tasks, reader = [(task,) for task in data.to_delayed()], OfFrames(how)
        expected = looked_at(crew, reader, tasks, reader.seen(data._meta).columns, secret=secret)
        found = Parts(crew, reader, tasks, expected, width, told)
    return (
        found
        if person is None
        else found.of_persons(*_ids(data, how.schema, tasks), person.rows_per_person, secret=secret)
    )


def _ids(data: Any, schema: Schema, pieces: list[Any]) -> tuple[IdsBySchema, list[Any]]:
    """How ids are read, and what of: of a frame the column that names persons alone."""
    if isinstance(data, ParquetFiles):
        return IdsBySchema(schema, rounded=False), pieces
    (name,) = person_columns(schema)
    dtype = data._meta[name].dtype
    rounded = isinstance(dtype, np.dtype) and dtype.kind in "iuf"
    return IdsBySchema(schema, rounded), [(task,) for task in data[[name]].to_delayed()]


@dataclass(frozen=True, slots=True)
class IdsBySchema:
    """The ids of a part by the schema's words, as they are compared in memory.  It is sent to workers."""

    schema: Schema
    rounded: bool
    """As in `cluster/collections.py`."""

    def __call__(self, piece: Any) -> list[Any]:
        columns = person_columns(self.schema)
        if isinstance(piece, ParquetFiles):
            return ids_of(self.schema, piece.table(columns))
        return ids_of(self.schema, read_table(piece.astype(np.float64) if self.rounded else piece, columns))


@dataclass(frozen=True, slots=True)
class OfFrames:
    """Reads a part of a data frame.  It is sent to workers."""

    how: Encoding | AdditiveEncoding
    lent: ClassVar[bool] = False

    def seen(self, frame: Any) -> Seen:
        types = column_types(frame)
        columns: Columns = tuple((name, types.get(name, "none")) for name in self.how.schema.needed)
        return Seen(len(frame), columns)

    def __call__(self, bounds: Bounds, frame: Any) -> tuple[Any, npt.NDArray[Any]]:
        return _encoded(read_table(frame, self.how.schema.needed), self.how)


@dataclass(frozen=True, slots=True)
class OfFiles:
    """Reads some row groups of a file that is compared with what it was.  It is sent to workers."""

    how: Encoding | AdditiveEncoding
    lent: ClassVar[bool] = False

    def seen(self, files: ParquetFiles) -> Seen:
        return Seen(len(files), ())

    def __call__(self, bounds: Bounds, files: ParquetFiles) -> tuple[Any, npt.NDArray[Any]]:
        return _encoded(files.table(self.how.schema.needed), self.how)


def _encoded(table: Table, how: Encoding | AdditiveEncoding) -> tuple[Any, npt.NDArray[Any]]:
    """Rows by the schema, and labels, as a table in memory has them."""
    rows = how.rows(table)
    if isinstance(how, AdditiveEncoding):  # which leaves gaps, and marks of what is not listed
        rows = own_table(rows, np.nan)
    return rows, labels_of(table, how.schema)


def _is_frame(data: Any) -> bool:
    return (
        is_collection(data) and hasattr(data, "_meta") and getattr(data, "ndim", 0) == 2 and hasattr(data, "divisions")
    )
