"""A dense block of rows and, for each, what it is multiplied by to be no longer than its bound.

Rows of somebody else's array are looked at once a pass.  Multiplying scores and sums by a row's factor is the clipped
row's product, and spares writing that row (docs/proofs/entrance.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.design.dense import DenseDesign
from equipoise.theory.runs import runs_depth


@dataclass(frozen=True, eq=False, repr=False)
class Shortened:
    """Rows `factors`·`matrix`; the block is at hand, so that every product is one of it as a whole."""

    matrix: Array
    factors: Array
    squares: Array | None = None
    """Of the block's rows' lengths, where they were measured to find the factors."""

    @property
    def _inner(self) -> DenseDesign:
        return DenseDesign(self.matrix)

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def row_depth(self) -> int:
        """One more for the factor."""
        return runs_depth(self.columns) + 1

    @property
    def column_depth(self) -> int:
        return self._inner.column_depth + 1

    def _by_factor(self, per_row: Array) -> Array:
        return np.asarray(per_row * (self.factors if per_row.ndim == 1 else self.factors[:, None]))

    def matvec(self, w: Array) -> Array:
        return self._by_factor(self._inner.matvec(w))

    def rmatvec(self, r: Array) -> Array:
        return self._inner.rmatvec(self._by_factor(r))

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.rmatvec(turn(self.matvec(w), slice(0, self.rows)))

    def swept(self, sweep: Sweep) -> Array | None:
        return None

    @property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0))

    def row_norms(self) -> Array:
        return self._by_factor(self._inner.row_norms() if self.squares is None else np.sqrt(self.squares))

    def weighted_gram(self, c: Array) -> Array:
        return self._inner.weighted_gram(self._by_factor(self._by_factor(c)))

    def gram_of_rows(self) -> Array:
        return self._inner.gram_of_rows() * np.outer(self.factors, self.factors)

    def take(self, rows: Rows) -> Shortened:
        return Shortened(self.matrix[rows], self.factors[rows])
