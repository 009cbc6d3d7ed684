"""Records that lie in parts: on a disk, read block by block in every pass, or on many machines.

All that most fits ask of them are sums over the records.  A sum over a part is the sum that records in memory have; the
parts' sums are added in pairs, pairs of pairs and so on, in an order that is fixed by the parts' places alone.  A walk
asks for the records one after the other instead, in an order that is drawn without them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, Protocol, Self

import numpy as np
from scipy.sparse import issparse

from equipoise.errors import UnreadableFile
from equipoise.inside.design import Matrix, design_from, design_of_own
from equipoise.inside.design.by_columns import SHORTEST
from equipoise.inside.design.constant import CONSTANT_DEPTH
from equipoise.inside.design.contract import Array
from equipoise.inside.gathered import SHORTER, gathered
from equipoise.inside.private import Private
from equipoise.inside.records import Order, Records, Shuffle, Told, coded_labels, in_range, nobody
from equipoise.inside.threads import in_order
from equipoise.theory.bounds import Bounds
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.runs import runs_depth

Block = tuple[Matrix, Array]
"""Rows before they are clipped, in an array that nobody else holds, and their labels."""


class Blocks(Protocol):
    """One pass: the blocks in the order of the files or, given one, their sections in that order."""

    def __call__(self, order: Sequence[int] | None = None) -> Iterator[Block]: ...


MOST_ENTRIES = 2**20
"""Of a block: eight megabytes."""

TALLEST = 2**15

MANY = 2**62
"""Numbers of a table in files, which nobody counts: reading it takes longer than starting threads."""

MOST_HELD = 2**25
"""Numbers of some of the records that are held to begin with, where all are too many: mostly far less."""


def height_for(columns: int) -> int:
    """Rows of a block, the same for every table of so many encoded columns: a power of two."""
    rows = max(1, min(TALLEST, MOST_ENTRIES // max(1, columns)))
    return 1 << (rows.bit_length() - 1)


class InPairs:
    """A sum that grows, in which each term passes through as many additions as the logarithm of their number."""

    def __init__(self) -> None:
        self._held: list[tuple[int, Array]] = []

    def add(self, one: Array, level: int = 0) -> None:
        """The next in order.  Of neighbours that have been added already, 2 to the power of `level` parts from a
        multiple of that number on, their sum."""
        total = one
        while self._held and self._held[-1][0] == level:
            level, total = level + 1, self._held.pop()[1] + total
        self._held.append((level, total))

    @property
    def total(self) -> Array | None:
        """None of none."""
        whole: Array | None = None
        for _, part in reversed(self._held):
            whole = part if whole is None else part + whole
        return whole


def in_pairs(sums: Iterable[Array]) -> Array | None:
    """Their sum, in their order; None of none."""
    return branches_in_pairs((0, one) for one in sums)


def branches_in_pairs(sums: Iterable[tuple[int, Array]]) -> Array | None:
    """The same where some neighbours have been added already: with each sum its level."""
    adding = InPairs()
    for level, one in sums:
        adding.add(one, level)
    return adding.total


def depth_in_pairs(parts: int) -> int:
    """Most additions behind such a sum of so many parts."""
    return 2 * max(1, parts).bit_length()


@dataclass(frozen=True, eq=False)
class Extent:
    """How large a design is of which no more is at hand: its products are asked of its parts."""

    rows: int
    columns: int
    row_depth: int
    column_depth: int
    longest_row: float
    """No row is longer: the public bound, which costs no pass."""

    def _refuse(self, *given: object) -> NoReturn:
        raise TypeError("records in parts have sums, and no products of their own")

    matvec = rmatvec = pulled = swept = row_norms = weighted_gram = gram_of_rows = take = _refuse


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parted(Records):
    """Abstract.  The final classes say how a sum over the parts is made."""

    design: Extent

    @abstractmethod
    def summed(self, of: Callable[[Records], Array]) -> Array: ...

    @abstractmethod
    def first(self, most: int) -> Self: ...

    @abstractmethod
    def ending_with(self, constant: float) -> Self: ...

    @abstractmethod
    def labelled(self, before: Bounds, after: Bounds) -> Self: ...

    def stretched(self, stretches: Sequence[tuple[int, int]]) -> Sequence[Records]:
        return [self]

    def every(self, step: int) -> Records | None:
        """None, where a few of them cost a pass as well: those are asked for together (`thinned`)."""
        return None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Streamed(Parted):
    """Blocks that are read, encoded and clipped anew whenever something is asked of them."""

    blocks: Blocks
    bounds: Bounds
    width: int
    """Columns of a block as it comes."""
    sections: int = 1
    """What can be read in any order: so many stretches of rows."""
    read_anew = True

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """One pass.  Without rows it is the sum over none, of the right shape."""
        adding = InPairs()
        in_order(lambda block: of(self._part(block)), self._blocks(), MANY, adding.add)
        total = adding.total
        return of(self._part((np.empty((0, self.width)), np.empty(0)))) if total is None else total

    def visited(self, shuffle: Shuffle) -> Iterator[tuple[Records, Order]]:
        """The sections in a random order, and the rows of each block in one of their own."""
        for block in self._blocks(shuffle(self.sections)):
            part = row_by_row(block, self.bounds)
            yield part, shuffle(part.design.rows)

    def thinned(self, steps: Sequence[int]) -> Iterator[Records]:
        """All of them are found in one pass and held, unless they are too many."""
        rows = self.design.rows
        if not steps or sum(len(range(0, rows, step)) for step in steps) * self.design.columns > MOST_HELD:
            return
        for found in gathered(self.blocks(), rows, steps):
            yield replace(row_by_row(found, self.bounds), weight=self.weight)

    def ending_with(self, constant: float) -> Self:
        return replace(self, bounds=ending_with(self.bounds, constant))

    def labelled(self, before: Bounds, after: Bounds) -> Self:
        return replace(self, bounds=replace(self.bounds, usual_labels=after.usual_labels))

    def first(self, most: int) -> Self:
        return self if most >= self.design.rows else replace(self, design=replace(self.design, rows=most))

    def _blocks(self, order: Order | None = None) -> Iterator[Block]:
        """As many rows as count."""
        left = self.design.rows
        for X, labels in self.blocks() if order is None else self.blocks(order.tolist()):
            if left <= 0:
                break
            yield (X, labels) if X.shape[0] <= left else (X[:left], labels[:left])
            left -= X.shape[0]
        if left > 0:
            raise UnreadableFile(SHORTER)

    def _part(self, block: Block) -> Records:
        return part_of(block, self.bounds)


def ending_with(bounds: Bounds, constant: float) -> Bounds:
    """Of the same rows, with this number in the constant column that they have."""
    return replace(bounds, intercept=constant) if bounds.intercept > 0 else bounds


def enter_streamed(
    blocks: Blocks,
    rows: int,
    width: int,
    features: int,
    height: int,
    bounds: Bounds,
    sections: int = 1,
    told: Told = nobody,
) -> Private[Records]:
    """Blocks of `height` rows of `width` numbers, `features` once they are encoded; none is read yet."""
    design, labels = extent(rows, features, height, bounds.norm), np.empty(0)
    return Private(
        Streamed(design=design, labels=labels, told=told, blocks=blocks, bounds=bounds, width=width, sections=sections)
    )


def extent(rows: int, features: int, height: int, norm: float) -> Extent:
    """Of blocks of at most so many rows, and at least half as many but in the last: a block's own sums are in groups,
    those of the blocks in pairs.  A constant column adds an addition to a score, and is summed in pairs itself."""
    group = max(SHORTEST, math.isqrt(height))
    within = max(group + -(-height // group) + 3, min(height, CONSTANT_DEPTH))
    depth = within + depth_in_pairs(2 * rows // height + 2)
    return Extent(rows, features, runs_depth(features) + 1, depth, up(norm, LONG_SUM))


def extent_of_parts(sizes: Sequence[int], features: int, norm: float) -> Extent:
    """Of parts of any sizes, each summed as a table in memory is and their sums in pairs: the largest part is the
    deepest, and no deeper than the whole would be."""
    largest = max(sizes, default=0)
    group = max(SHORTEST, math.isqrt(largest))
    within = max(group + -(-largest // group) + 3, min(largest, CONSTANT_DEPTH))
    depth = within + depth_in_pairs(len(sizes))
    return Extent(sum(sizes), features, runs_depth(features) + 1, depth, up(norm, LONG_SUM))


def extent_of_lent_parts(sizes: Sequence[int], features: int, height: int, norm: float) -> Extent:
    """Of parts whose rows are read where they lie, in blocks of so many, or copied where only some are asked for:
    whichever is deeper.  A row's factor is one more product (`borrowed.py`)."""
    copied = extent_of_parts(sizes, features, norm)
    blocks = extent(max(sizes, default=0), features, height, norm).column_depth + 1 + depth_in_pairs(len(sizes))
    return replace(copied, row_depth=copied.row_depth + 1, column_depth=max(copied.column_depth, blocks))


def part_of(block: Block, bounds: Bounds) -> Records:
    """Clip, encode: what `enter` does to a table, done to a block of it."""
    X, labels = block
    design = design_of_own(in_range(X, bounds, ours=True), bounds.row_norm, bounds.intercept)
    return Records(design, coded_labels(labels, bounds))


def row_by_row(block: Block, bounds: Bounds) -> Records:
    """The same, kept row after row: a walk takes some at a time."""
    X, labels = block
    inside = in_range(X, bounds, ours=True)
    rows = inside if issparse(inside) else np.ascontiguousarray(inside, dtype=np.float64)
    return Records(design_from(rows, bounds.row_norm, bounds.intercept, ours=True), coded_labels(labels, bounds))
