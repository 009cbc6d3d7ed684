"""A dense design of a block of rows, column after column: how tables on disk come, and how the encoding makes them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.design.dense import scores_in_runs
from equipoise.theory.runs import runs_depth

SHORTEST = 256


@dataclass(frozen=True, eq=False, repr=False)
class ByColumns:
    """`turned` holds a column in each row.  Sums over the rows go group by group, as in a dense design."""

    turned: Array
    measured: float | None = None
    """The longest row's norm, where it is known."""

    @property
    def rows(self) -> int:
        return int(self.turned.shape[1])

    @property
    def columns(self) -> int:
        return int(self.turned.shape[0])

    @property
    def row_depth(self) -> int:
        return runs_depth(self.columns)

    @property
    def _height(self) -> int:
        return max(SHORTEST, math.isqrt(self.rows))

    @property
    def column_depth(self) -> int:
        return min(self._height, self.rows) + -(-self.rows // self._height) + 1

    def matvec(self, w: Array) -> Array:
        return scores_in_runs(self.turned.T, w)

    def rmatvec(self, r: Array) -> Array:
        """Group by group of rows, all groups in one call; their sums are added one after the other."""
        height, columns = self._height, self.columns
        groups = self.rows // height
        whole = groups * height
        rest = np.asarray(self.turned[:, whole:] @ r[whole:])
        if not groups:
            return rest
        stacked = self.turned[:, :whole].reshape(columns, groups, height).transpose(1, 0, 2)
        sums = np.matmul(stacked, r[:whole].reshape(groups, height, -1)).sum(axis=0)
        return np.asarray(sums.reshape(rest.shape) + rest)

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.rmatvec(turn(self.matvec(w), slice(None)))  # a block is at hand already

    def swept(self, sweep: Sweep) -> Array | None:
        return None

    @cached_property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0)) if self.measured is None else self.measured

    def row_norms(self) -> Array:
        return np.asarray(np.sqrt(np.einsum("ij,ij->j", self.turned, self.turned)))

    def weighted_gram(self, c: Array) -> Array:
        """By groups as well: a moment's sum is no deeper than a gradient's."""
        total = np.zeros((self.columns, self.columns))
        for first in range(0, self.rows, self._height):
            part = self.turned[:, first : first + self._height]
            total += (part * c[first : first + self._height]) @ part.T
        return total

    def gram_of_rows(self) -> Array:
        return self.turned.T @ self.turned

    def take(self, rows: Rows) -> ByColumns:
        return ByColumns(np.ascontiguousarray(self.turned[:, rows]))
