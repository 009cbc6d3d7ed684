"""A table in Parquet files that is read anew in every pass of a fit, for it need not fit in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from equipoise._checks import quoted
from equipoise.errors import InvalidInput, UnreadableFile
from equipoise.estimators._guard import callers_line
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.given import check_flag
from equipoise.estimators.linear.source import LetsIn, Source
from equipoise.estimators.table.labels import target_of
from equipoise.gate import MECHANISMS
from equipoise.inside import Private, Records
from equipoise.inside.parted import Block, enter_streamed, height_for
from equipoise.inside.records import Told, nobody
from equipoise.ledger import Entry
from equipoise.rows.tables import own_table
from equipoise.schema import Classes, Schema, cells
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import Table
from equipoise.schema.tables.parquet import ParquetFiles
from equipoise.theory.bounds import Bounds
from equipoise.theory.plan import Plan

IN_MEMORY = 2**30
"""Bytes of an encoded table that is rather held than read again."""


FEW_SECTIONS = 16
"""Fewer than so many row groups in a random order hardly mix a table that is sorted."""


class UnmixedOrder(UserWarning):
    """A walk will meet the rows nearly in the order in which they were written, by how the files are laid out."""


@dataclass(frozen=True, eq=False)
class Stream(Source):
    """The files, and how a row of them becomes numbers and a label."""

    files: ParquetFiles
    how: Encoding | AdditiveEncoding
    told: Told = nobody
    where = "streamed from files"
    walked = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]
        return len(self.files), len(self.how.names)

    def check(self, plan: Plan) -> None:
        super().check(plan)
        rows, sections = self.shape[0], len(self.files.sections)
        if MECHANISMS[plan.mechanism].by_walk and sections < FEW_SECTIONS and rows > height_for(plan.facts.features):
            warnings.warn(
                f"data: has few row groups ({sections}), so that a walk meets the rows nearly as they were written: if"
                " they are sorted it learns badly, write smaller row groups or shuffle the rows first",
                UnmixedOrder,
                stacklevel=callers_line(),
            )

    def entrance(self, bounds: Bounds) -> LetsIn:
        return StreamEntrance(self, bounds)


@dataclass(slots=True)
class StreamEntrance:
    """Files at the door."""

    stream: Stream
    bounds: Bounds

    def __call__(self, entry: Entry) -> Private[Records]:
        files, how, (rows, width) = self.stream.files, self.stream.how, self.stream.shape
        features = self.bounds.features(width)
        height = height_for(features)
        blocks = partial(encoded_blocks, files, how, height)
        bounds, sections = with_places(self.bounds), len(files.sections)
        return enter_streamed(blocks, rows, width, features, height, bounds, sections, self.stream.told)


def encoded_blocks(
    files: ParquetFiles, how: Encoding | AdditiveEncoding, height: int, order: Sequence[int] | None = None
) -> Iterator[Block]:
    """One pass over the files, once they are paid for, in their order or their sections in another.  A file that cannot
    be read is no record: the same is said whatever stands in those that can."""
    try:
        for table in files.blocks(how.schema.needed, height, order):
            yield encoded_block(table, how)
    except UnreadableFile as error:
        problem = f"{error}; epsilon was spent, nothing was released"
    else:
        return
    raise UnreadableFile(problem)


def encoded_block(table: Table, how: Encoding | AdditiveEncoding) -> Block:
    """Rows by the schema, and labels: numbers, or places of classes, the first where a cell is none of them."""
    rows = how.rows(table)
    if isinstance(how, AdditiveEncoding):  # which leaves gaps, and marks of what is not listed
        rows = own_table(rows, np.nan)
    return rows, _labels(table, how.schema)


def with_places(bounds: Bounds) -> Bounds:
    """Bounds of labels that are places of classes already."""
    return bounds if bounds.classes is None else replace(bounds, classes=tuple(range(len(bounds.classes))))


def _labels(table: Table, schema: Schema) -> cells.Array:
    target = target_of(schema)
    held = table[target.column]
    if not isinstance(target, Classes):
        return cells.numbers(held, schema.missing_words)
    return cells.labels(held, target.classes, schema.missing_words)


def streamed(data: Any, how: Encoding | AdditiveEncoding, asked: bool | None, learner: PrivateLinear) -> bool:
    """Whether to read block by block: as asked, else where the encoded table would be large.  By public facts: under
    add-remove by the nominal size, for a refusal of what cannot be streamed would tell the other."""
    if not isinstance(data, ParquetFiles):
        if asked:
            raise InvalidInput("stream: only Parquet is read in blocks, write the table to Parquet files first")
        return False
    large = (
        8 * learner._public_size(len(data)) * len(how.names) > IN_MEMORY if asked is None else check_flag(stream=asked)
    )
    if large:
        refuse_persons(how.schema, "which this table is too large for")
    return large


def refuse_persons(schema: Schema, why: str) -> None:
    """Whose rows are whose is not counted over parts of a table."""
    if schema.person is not None:
        raise InvalidInput(
            f"person {quoted(schema.person.column)}: rows of persons are counted in memory, {why};"
            " keep the first rows_per_person rows of each, and leave person out only if that is one"
        )
