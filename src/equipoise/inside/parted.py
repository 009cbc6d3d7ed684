"""Records that lie in parts: on a disk, read block by block in every pass, or on many machines.

All that a fit asks of them are sums over the records.  A sum over a part is the sum that records in memory have; the
parts' sums are added in pairs, pairs of pairs and so on, in an order that is fixed by the parts' places alone.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np
from scipy.sparse import issparse, vstack

from equipoise.errors import UnreadableFile
from equipoise.inside.design import Matrix, design_of_own
from equipoise.inside.design.by_columns import SHORTEST
from equipoise.inside.design.constant import CONSTANT_DEPTH
from equipoise.inside.design.contract import Array, Rows
from equipoise.inside.private import Private
from equipoise.inside.records import Records, coded_labels, in_range
from equipoise.theory.bounds import Bounds
from equipoise.theory.rounding import LONG_SUM, up
from equipoise.theory.runs import runs_depth

Block = tuple[Matrix, Array]
"""Rows before they are clipped, in an array that nobody else holds, and their labels."""

MOST_ENTRIES = 2**20
"""Of a block: eight megabytes."""

TALLEST = 2**15


def height_for(columns: int) -> int:
    """Rows of a block, the same for every table of so many encoded columns: a power of two."""
    rows = max(1, min(TALLEST, MOST_ENTRIES // max(1, columns)))
    return 1 << (rows.bit_length() - 1)


def in_pairs(sums: Iterable[Array]) -> Array | None:
    """Their sum, in which each passes through as many additions as the logarithm of their number; None of none."""
    held: list[tuple[int, Array]] = []
    for one in sums:
        level, total = 0, one
        while held and held[-1][0] == level:
            level, total = level + 1, held.pop()[1] + total
        held = [*held, (level, total)]
    whole: Array | None = None
    for _, part in reversed(held):
        whole = part if whole is None else part + whole
    return whole


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

    matvec = rmatvec = pulled = row_norms = weighted_gram = gram_of_rows = take = _refuse


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parted(Records):
    """Abstract.  The final classes say how a sum over the parts is made."""

    design: Extent

    @abstractmethod
    def summed(self, of: Callable[[Records], Array]) -> Array: ...

    @abstractmethod
    def first(self, most: int) -> Self: ...

    @abstractmethod
    def every(self, step: int) -> Records: ...


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Streamed(Parted):
    """Blocks that are read, encoded and clipped anew whenever something is asked of them."""

    blocks: Callable[[], Iterator[Block]]
    bounds: Bounds
    width: int
    """Columns of a block as it comes."""

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """One pass.  Without rows it is the sum over none, of the right shape."""
        total = in_pairs(of(part) for part in self._parts())
        return of(self._part((np.empty((0, self.width)), np.empty(0)))) if total is None else total

    def first(self, most: int) -> Self:
        return self if most >= self.design.rows else replace(self, design=replace(self.design, rows=most))

    def every(self, step: int) -> Records:
        """In memory, after one pass: whoever asks wants few."""
        place, rows, labels = 0, list[Any](), list[Array]()
        for X, here in self.blocks():
            some = places_of(place, min(len(here), self.design.rows - place), step)
            rows, labels, place = [*rows, X[some]], [*labels, here[some]], place + len(here)
        table = vstack(rows, format="csr") if issparse(rows[0]) else np.concatenate(rows)
        return replace(self._part((table, np.concatenate(labels))), weight=self.weight)

    def _parts(self) -> Iterator[Records]:
        left = self.design.rows
        for X, labels in self.blocks():
            if left <= 0:
                break
            part = self._part((X, labels))
            kept = part if part.design.rows <= left else part.first(left)
            left -= kept.design.rows
            yield kept
        if left > 0:
            raise UnreadableFile("data: has fewer rows than it had, keep a copy that nobody writes to")

    def _part(self, block: Block) -> Records:
        return part_of(block, self.bounds)


def places_of(before: int, rows: int, step: int) -> Rows:
    """Which rows of a part are every so-many-th of the table, where so many rows come before it."""
    return np.arange(-before % step, rows, step)


def enter_streamed(
    blocks: Callable[[], Iterator[Block]], rows: int, width: int, features: int, height: int, bounds: Bounds
) -> Private[Records]:
    """Blocks of `height` rows of `width` numbers, `features` once they are encoded; none is read yet."""
    design = extent(rows, features, height, bounds.norm)
    return Private(Streamed(design=design, labels=np.empty(0), blocks=blocks, bounds=bounds, width=width))


def extent(rows: int, features: int, height: int, norm: float) -> Extent:
    """Of blocks of at most so many rows, and at least half as many but in the last: a block's own sums are in groups,
    those of the blocks in pairs.  A constant column adds an addition to a score, and is summed in pairs itself."""
    group = max(SHORTEST, math.isqrt(height))
    within = max(group + -(-height // group) + 1, min(height, CONSTANT_DEPTH))
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


def part_of(block: Block, bounds: Bounds) -> Records:
    """Clip, encode: what `enter` does to a table, done to a block of it."""
    X, labels = block
    design = design_of_own(in_range(X, bounds, ours=True), bounds.row_norm, bounds.intercept)
    return Records(design, coded_labels(labels, bounds))
