"""A design with one more column, the same number in every row, that is never stored."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design.contract import Array, Design, Rows, Turn

CONSTANT_DEPTH = 384
"""Most additions behind its own sum: numpy's pairwise one, of 128 at most plus a logarithm; twice, over the rows of a
block and over the blocks."""


def _column_sums(r: Array) -> Array:
    """Of each column, as a row.  Along its memory a sum is pairwise; down the columns of a matrix it would not be."""
    if r.ndim == 1:
        return np.add.reduce(r, keepdims=True)
    return np.asarray(np.sum(np.ascontiguousarray(r.T), axis=-1, keepdims=True).T)


@dataclass(frozen=True, eq=False, repr=False)
class WithConstant:
    """The intercept's column comes last."""

    inner: Design
    constant: float

    @property
    def rows(self) -> int:
        return self.inner.rows

    @property
    def columns(self) -> int:
        return self.inner.columns + 1

    @property
    def row_depth(self) -> int:
        return self.inner.row_depth + 1

    @property
    def column_depth(self) -> int:
        return max(self.inner.column_depth, min(self.rows, CONSTANT_DEPTH))

    def matvec(self, w: Array) -> Array:
        constant: Array = self.constant * w[-1:]
        return self.inner.matvec(w[:-1]) + (constant if w.ndim == 2 else constant[0])

    def rmatvec(self, r: Array) -> Array:
        return np.concatenate([self.inner.rmatvec(r), self.constant * _column_sums(r)])

    def pulled(self, w: Array, turn: Turn) -> Array:
        constant: Array = self.constant * w[-1:]
        sums: dict[int, Array] = {}  # by their first row: threads turn parts in any order

        def with_constant(scores: Array, part: slice) -> Array:
            turned = turn(scores + (constant if w.ndim == 2 else constant[0]), part)
            sums[part.start or 0] = _column_sums(turned)
            return turned

        others = self.inner.pulled(w[:-1], with_constant)
        each = [sums[first] for first in sorted(sums)]
        last = self.constant * _column_sums(np.concatenate(each) if each else np.zeros((1, *w.shape[1:])))
        return np.concatenate([others, last])

    def swept(self, sweep: Sweep) -> Array | None:
        return self.inner.swept(replace(sweep, constant=self.constant))

    @property
    def longest_row(self) -> float:
        return math.hypot(self.inner.longest_row, self.constant) if self.rows else 0.0

    def row_norms(self) -> Array:
        return np.hypot(self.inner.row_norms(), self.constant)

    def weighted_gram(self, c: Array) -> Array:
        result = np.empty((self.columns, self.columns))
        result[:-1, :-1] = self.inner.weighted_gram(c)
        result[-1, :-1] = result[:-1, -1] = self.constant * self.inner.rmatvec(c)
        result[-1, -1] = self.constant**2 * np.sum(c)
        return result

    def gram_of_rows(self) -> Array:
        return self.inner.gram_of_rows() + self.constant**2

    def take(self, rows: Rows) -> WithConstant:
        return WithConstant(self.inner.take(rows), self.constant)
