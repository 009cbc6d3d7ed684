"""Rows in somebody else's array, which is never copied whole: some are taken and clipped at a time, in every pass anew.

A copy of a large table takes as long as a few passes, and as much memory as the table.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equipoise.inside import compiled
from equipoise.inside.design import with_constant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.lent import Lent, Met
from equipoise.inside.labels import numbers_relabelled
from equipoise.inside.marks import mark_of_marks
from equipoise.inside.parted import Extent, InPairs, Parted, ending_with, extent
from equipoise.inside.private import Private
from equipoise.inside.records import EVERY, Order, Records, Told, clipped, coded_labels
from equipoise.inside.threads import SEVERAL, in_order
from equipoise.theory.bounds import Bounds

AT_HAND = 2**19
"""Numbers that a processor keeps at hand: four megabytes.  With half of it a pass takes a fifth longer."""

TALLEST = 2**15

FEW_NUMBERS = 2**20
"""Of some rows, so many are copied: scattered over a large table, each would be fetched from afar in every pass."""

FEW_CLASSES = 2**7
"""Codes of so many fit a byte."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Borrowed(Parted):
    """A walk takes rows as it meets them: whoever writes to them meanwhile changes what is met at a visit, and a visit
    moves a walk no further for that.

    A sum goes over all of them, each read, measured and used once (`design/lent.py`).
    """

    matrix: npt.NDArray[np.floating]
    bounds: Bounds
    codes: npt.NDArray[np.int8] | Array
    """Labels; those of classes in a byte each, since a label for each row is as much as a column."""
    met: dict[int, Met] = field(default_factory=dict)
    """What is remembered of each block, by its first row."""
    marked: bool = False
    """Whether all are to be known again where they are made anew: on many machines (`cluster/parts.py`)."""

    def take(self, rows: Order) -> Records:
        return Records(clipped(self.matrix[rows], self.bounds, ours=True), self._labels(rows))

    def some(self, rows: slice) -> Records:
        if compiled.PASSES is not None and self.matrix[rows].size > FEW_NUMBERS:
            return self._thinned(self.matrix[rows], self.codes[rows])
        return Records(clipped(np.array(self.matrix[rows]), self.bounds, ours=True), self._labels(rows), self.weight)

    def stretched(self, stretches: Sequence[tuple[int, int]]) -> Sequence[Records]:
        return Records.stretched(self, stretches)

    def every(self, step: int) -> Records:
        return self.some(slice(0, self.design.rows, step))

    def _thinned(self, matrix: npt.NDArray[np.floating], codes: npt.NDArray[np.int8] | Array) -> Records:
        """Some of the rows, where they lie."""
        design = _extent(matrix, self.bounds)
        return replace(self, design=design, matrix=matrix, codes=codes, met={}, marked=False)

    def _labels(self, rows: Order | slice) -> Array:
        return np.asarray(self.codes[rows], dtype=np.float64)

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """One pass.  There are rows: an array without any is not borrowed."""
        height = height_at_hand(self.matrix.shape[1])
        buffers: dict[int, Array] = {}

        def buffer() -> Array:
            me = threading.get_ident()
            if me not in buffers:
                buffers[me] = np.empty((height, self.matrix.shape[1]))
            return buffers[me]

        def part(start: int) -> Array:
            return of(self._part(slice(start, min(start + height, self.design.rows)), buffer))

        adding = InPairs()
        in_order(part, range(0, self.design.rows, height), self.matrix.size, adding.add, SEVERAL)
        assert adding.total is not None
        return adding.total

    def _part(self, rows: slice, buffer: Callable[[], Array]) -> Records:
        """These rows, with a buffer that nobody else uses meanwhile."""
        known = self.met.setdefault(rows.start, Met(marked=self.marked))
        design = Lent(self.matrix[rows], self.bounds.row_norm, known, buffer)
        return Records(with_constant(design, self.bounds.intercept), self._labels(rows))

    @property
    def mark(self) -> int | None:
        """Of the rows as they were met, in their order; None before all of them were."""
        starts = range(0, self.design.rows, height_at_hand(self.matrix.shape[1]))
        marks = [self.met[start].mark for start in starts if start in self.met]
        found = [one for one in marks if one is not None]
        return mark_of_marks(found) if len(found) == len(starts) else None

    def measure(self) -> None:
        """All of them, where nothing is asked yet."""
        self.summed(_measured)

    def ending_with(self, constant: float) -> Self:
        return replace(self, bounds=ending_with(self.bounds, constant))

    def labelled(self, before: Bounds, after: Bounds) -> Self:
        return replace(self, codes=numbers_relabelled(self._labels(EVERY), before, after))

    def first(self, most: int) -> Self:
        if most < self.design.rows:
            raise TypeError("of borrowed rows all are used")
        return self


def _measured(part: Records) -> Array:
    part.design.row_norms()
    return np.zeros(1)


def height_at_hand(columns: int) -> int:
    """Rows of a block: a power of two."""
    rows = max(1, min(TALLEST, AT_HAND // max(1, columns)))
    return 1 << (rows.bit_length() - 1)


def enter_borrowed(
    matrix: npt.NDArray[np.floating], y: npt.NDArray[np.generic], bounds: Bounds, told: Told
) -> Private[Records]:
    """A table whose owner keeps it."""
    return Private(replace(borrowed(matrix, y, bounds), told=told))


def borrowed(
    matrix: npt.NDArray[np.floating], y: npt.NDArray[np.generic], bounds: Bounds, *, marked: bool = False
) -> Borrowed:
    """The same, for `enter_borrowed`, and for workers where records lie."""
    design, codes = _extent(matrix, bounds), _codes(y, bounds)
    return Borrowed(design=design, labels=np.empty(0), matrix=matrix, bounds=bounds, codes=codes, marked=marked)


def _extent(matrix: npt.NDArray[np.floating], bounds: Bounds) -> Extent:
    """With one more product for each row's factor."""
    rows, columns = matrix.shape
    design = extent(rows, bounds.features(columns), height_at_hand(columns), bounds.norm)
    return replace(design, row_depth=design.row_depth + 1, column_depth=design.column_depth + 1)


def _codes(y: npt.NDArray[np.generic], bounds: Bounds) -> npt.NDArray[np.int8] | Array:
    """Of some labels at a time: there is never a second array as long as theirs, of numbers eight times as large."""
    classes = bounds.classes
    few = classes is not None and len(classes) <= FEW_CLASSES
    codes: npt.NDArray[Any] = np.empty(len(y), dtype=np.int8 if few else np.float64)
    for start in range(0, len(y), AT_HAND):
        codes[start : start + AT_HAND] = coded_labels(y[start : start + AT_HAND], bounds)
    return codes
