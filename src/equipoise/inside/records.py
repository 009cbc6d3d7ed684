"""The sole entrance for X and y: from here on they are clipped, encoded and private.

What happens to a record is decided by that record alone, and no value is an error: docs/proofs/entrance.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.inside.design import Design, Matrix, design_from, encoded_design, in_full, may_be_rooted
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_codes, numbers_coded, numbers_relabelled
from equipoise.inside.private import Private
from equipoise.rows.codes import SPARSE
from equipoise.rows.owned import own_dense, settle
from equipoise.rows.within import in_ranges, scaled
from equipoise.theory.additive import Encoding
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening, weights
from equipoise.theory.plan import Facts
from equipoise.theory.weights import KEPT_ROWS, record_weight

Order = npt.NDArray[np.intp]
Shuffle = Callable[[int], Order]
"""Every number below this once, in an order that is drawn without the records."""

EVERY = slice(None)

Told = Callable[[int, int], None]
"""Who hears how many steps are done, of how many: both public before the first."""


def nobody(done: int, total: int) -> None:
    """Hears nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """A design and one label per row: ±1 for two classes, the class's index for more, else within [−1, 1]."""

    design: Design
    labels: Array
    weight: float = 1.0
    """What every record counts: one, unless their number is secret."""
    told: Told = nobody
    """Hears of the steps of a walk, whose number is known beforehand, and of nothing else."""

    read_anew: ClassVar[bool] = False
    """Whether every question costs reading all of them again."""

    @property
    def longest_row(self) -> float:
        return self.design.longest_row

    def counted(self, each: Array, by: Evening | None, part: slice = EVERY) -> Array:
        """What is known of each of these records, by its first axis, times what the record counts by its row's length;
        None where every record counts once."""
        counts = self.counts(by)
        return each if counts is None else each * counts[part].reshape(-1, *(1,) * (each.ndim - 1))

    def counts(self, by: Evening | None) -> Array | None:
        """What each of them counts then; None for once."""
        if by is None:
            return None
        known = self._counts  # several threads may come at once: each finds the same
        counts = known.get(by)
        if counts is None:
            counts = known[by] = weights(self.design.row_norms(), by, self.design.columns)
        return counts

    @cached_property
    def _counts(self) -> dict[Evening, Array]:
        return {}

    def summed(self, of: Callable[[Records], Array]) -> Array:
        """A sum over the records: of those in memory what `of` says of them; records in parts (`parted.py`) add up what
        it says of each part."""
        return of(self)

    def visited(self, shuffle: Shuffle) -> Iterator[tuple[Records, Order]]:
        """One pass: parts, one after the other, and in which order the rows of each are visited."""
        yield self, shuffle(self.design.rows)

    def take(self, rows: Order) -> Records:
        """These rows, in this order."""
        return Records(self.design.take(rows), self.labels[rows])

    def in_full(self) -> Self:
        """With every row written out: for whoever takes some at a time, or leaves out columns."""
        return replace(self, design=in_full(self.design))

    def ending_with(self, constant: float) -> Self:
        """The same rows, with this number in the constant column that they have."""
        design = self.design
        return replace(self, design=replace(design, constant=constant)) if isinstance(design, WithConstant) else self

    def labelled(self, before: Bounds, after: Bounds) -> Self:
        """The same records, their numbers for labels in units of other bounds, and brought within those."""
        return replace(self, labels=numbers_relabelled(self.labels, before, after))

    def first(self, most: int) -> Self:
        """So many, in their order; all where there are no more."""
        if self.design.rows <= most:
            return self
        return replace(self, design=self.design.take(np.arange(most)), labels=self.labels[:most])

    def every(self, step: int) -> Records | None:
        """Every so-many-th, from the first on; None where they cost as much as all."""
        return self.some(slice(0, self.design.rows, step))

    def stretched(self, stretches: Sequence[tuple[int, int]]) -> Sequence[Records]:
        """The rows of these stretches, without a copy; all of them where reading some costs as much."""
        return [self] if len(stretches) == 1 else [self.some(slice(*each)) for each in stretches]

    def some(self, rows: slice) -> Records:
        """A regular pattern of them, without a copy where that can be."""
        return replace(self, design=self.design.take(rows), labels=self.labels[rows])

    def thinned(self, steps: Sequence[int]) -> Iterator[Records]:
        """Every so-many-th for each of these steps, in turn; none at all where they would cost too much."""
        for step in steps:
            few = self.every(step)
            if few is not None:
                yield few


def weighed(records: Private[Records], facts: Facts) -> Private[Records]:
    """Under add-remove, records that count the less the more there are; beyond a public number they are left out."""
    if facts.adjacency is not Adjacency.ADD_REMOVE:
        return records

    def count(inner: Records) -> Records:
        weight = record_weight(inner.design.rows, facts.n)
        return replace(inner, weight=weight) if weight > 0 else inner.first(0)

    return records.map(count)


def cut(records: Private[Records], facts: Facts) -> Private[Records]:
    """Under add-remove, the first rows up to a public number: one record more then moves another out at most."""
    if facts.adjacency is not Adjacency.ADD_REMOVE:
        return records
    return records.map(lambda inner: inner.first(KEPT_ROWS * facts.n))


def enter(X: Matrix, y: npt.ArrayLike, bounds: Bounds, *, ours: bool = False, told: Told = nobody) -> Private[Records]:
    """Copy, clip, encode, wrap."""
    return Private(replace(brought_in(X, y, bounds, ours=ours, sparing=True), told=told))


def brought_in(X: Matrix, y: npt.ArrayLike, bounds: Bounds, *, ours: bool = False, sparing: bool = False) -> Records:
    """Copied, clipped, encoded: for `enter`, and for workers where records lie.  The `sparing` do not write out rows of
    an additive model where its encoding allows.  A table that is `ours`
    (rows/tables.py) was copied when it was read: it is clipped in place, and whoever hands it over has no more use for
    it."""
    labels = np.asarray(y)
    if labels.shape != (X.shape[0],):
        raise InvalidInput("y: must hold one label per row of X")
    return Records(clipped(X, bounds, ours, sparing), coded_labels(labels, bounds))


def clipped(X: Matrix, bounds: Bounds, ours: bool, sparing: bool = False) -> Design:
    """Rows brought within their bounds, each by itself, as a design."""
    if sparing and bounds.encoding is not None and may_be_rooted(bounds.encoding):
        return encoded_design(_cells(X, bounds.encoding, ours), bounds.encoding, bounds.row_norm, bounds.intercept)
    if bounds.columns is not None and not issparse(X) and X.dtype == np.float32:
        X, ours = own_dense(X), True  # centred and scaled in doubles
    inside = in_range(X, bounds, ours)
    return design_from(inside, bounds.row_norm, bounds.intercept, ours=ours or inside is not X)


def in_range(X: Matrix, bounds: Bounds, ours: bool) -> Matrix:
    """Each column clipped to its own range, centred and scaled, where the caller gave ranges; 0 where missing.

    For an additive model each column as weights on its slots; where rows are lifted, what the lift makes of each.
    """
    if bounds.lift is not None:
        return bounds.lift.rows(X)  # type: ignore[no-any-return]
    if bounds.encoding is not None:
        return _encoded(X, bounds.encoding, ours)
    if bounds.columns is None:
        return X
    return scaled(in_ranges(X, bounds.columns, ours=ours), bounds)


def _encoded(X: Matrix, encoding: Encoding, ours: bool) -> Array:
    """Cell by cell, whatever a cell holds; missing values have a slot of their own."""
    return encoding.rows(_cells(X, encoding, ours))


def _cells(X: Matrix, encoding: Encoding, ours: bool) -> Array:
    """A table of our own with a column for each shape, NaN where a cell is missing."""
    if issparse(X):
        raise InvalidInput(SPARSE)
    if X.shape[1] != len(encoding.basis.columns):
        raise InvalidInput("X: must have one column for each shape")
    table: Array = np.asarray(X, dtype=np.float64) if ours else own_dense(X)
    settle(table, np.nan)
    return table


def coded_labels(labels: npt.NDArray[np.generic], bounds: Bounds) -> Array:
    """Signs or places of classes, or numbers within [−1, 1]."""
    if bounds.classes is not None:
        return class_codes(labels, bounds.classes)
    if bounds.label_range is None:
        raise BoundsRequired("label_bounds: give the range of the labels, or classes")
    return numbers_coded(labels, bounds)
