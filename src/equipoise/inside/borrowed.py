"""Rows in somebody else's array, which is never copied whole: some are taken and clipped at a time, in every pass anew.

A copy of a large table takes as long as a few passes, and as much memory as the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.design import with_constant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.shortened import Shortened
from equipoise.inside.parted import Parted, extent, in_pairs
from equipoise.inside.private import Private
from equipoise.inside.records import Order, Records, Told, clipped, coded_labels
from equipoise.rows.clip import HUGE, clip_dense, shortening, squares_of
from equipoise.theory.bounds import Bounds

AT_HAND = 2**18
"""Numbers that a processor keeps at hand: two megabytes."""

TALLEST = 2**12

WRITTEN_TO = "X: was written to during the fit, hand over a copy; epsilon was spent, nothing was released"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Borrowed(Parted):
    """A walk takes rows as it meets them: whoever writes to them meanwhile changes what is met at a visit, and a visit
    moves a walk no further for that.

    A sum goes over all of them, each copied, measured and used once.  Rows must have the length that they had in the
    first pass: records that are others in a later pass than in an earlier one would be a table nobody promised for.
    """

    matrix: npt.NDArray[np.floating]
    bounds: Bounds
    met: dict[int, tuple[Array, Array]] = field(default_factory=dict)
    """Of each block, by its first row: the squares of its rows' lengths as they were met first, and by what each row is
    multiplied."""

    def take(self, rows: Order) -> Records:
        return Records(clipped(self.matrix[rows], self.bounds, ours=True), self.labels[rows])

    def every(self, step: int) -> Records:
        some = slice(0, self.design.rows, step)
        return Records(clipped(np.array(self.matrix[some]), self.bounds, ours=True), self.labels[some], self.weight)

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """One pass.  There are rows: an array without any is not borrowed."""
        total = in_pairs(of(part) for part in self._parts())
        assert total is not None
        return total

    def _parts(self) -> Iterator[Records]:
        columns = self.matrix.shape[1]
        height = height_at_hand(columns)
        held = np.empty((height, columns))
        for start in range(0, self.design.rows, height):
            rows = slice(start, min(start + height, self.design.rows))
            block = held[: rows.stop - rows.start]
            np.copyto(block, self.matrix[rows])
            design = Shortened(block, self._factors(start, block))
            yield Records(with_constant(design, self.bounds.intercept), self.labels[rows])

    def _factors(self, start: int, block: Array) -> Array:
        """One for each row, the same in every pass.  Rows that no factor serves are clipped where they stand, and stay
        as they are then."""
        square = squares_of(block)
        odd = np.flatnonzero(~(square < HUGE))
        if len(odd):
            some = block[odd]
            clip_dense(some, self.bounds.row_norm)
            block[odd], square[odd] = some, squares_of(some)
        if start not in self.met:
            self.met[start] = square, shortening(square, self.bounds.row_norm, block.shape[1])
        known, factors = self.met[start]
        if not np.array_equal(known, square):
            raise InvalidInput(WRITTEN_TO)
        return factors

    def first(self, most: int) -> Self:
        raise TypeError("of borrowed rows all are used")


def height_at_hand(columns: int) -> int:
    """Rows of a block: a power of two."""
    rows = max(1, min(TALLEST, AT_HAND // max(1, columns)))
    return 1 << (rows.bit_length() - 1)


def enter_borrowed(
    matrix: npt.NDArray[np.floating], y: npt.NDArray[np.generic], bounds: Bounds, told: Told
) -> Private[Records]:
    """A table whose owner keeps it."""
    rows, columns = matrix.shape
    design = extent(rows, bounds.features(columns), height_at_hand(columns), bounds.norm)
    design = replace(design, row_depth=design.row_depth + 1, column_depth=design.column_depth + 3)
    labels = coded_labels(y, bounds)
    return Private(Borrowed(design=design, labels=labels, told=told, matrix=matrix, bounds=bounds))
