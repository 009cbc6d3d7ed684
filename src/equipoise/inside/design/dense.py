"""A dense design, stored in doubles, or in singles that are widened a block of rows at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside import compiled
from equipoise.inside.compiled.sweep import Sweep, over_dense, serves
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.threads import QUICKER, SEVERAL, added_in_order
from equipoise.rows.clip import clip_dense
from equipoise.rows.owned import own_dense
from equipoise.theory.runs import LONGEST_RUN, runs_depth

BLOCK_ENTRIES = 2**19
"""Largest number of entries weighted at once: four megabytes, which a processor keeps at hand."""

LARGE_SUM = 2**20
"""Numbers in a sum with which each thread had better not have one of its own."""

TINY_SINGLE = 1e-30
"""The least bound for which rows may stay in singles: the smallest of those are far below it."""


def clipped(X: npt.NDArray[Any], row_norm: float, *, ours: bool = False) -> DenseDesign:
    """X with every row clipped, a copy in doubles unless it is `ours`; what is missing counts as 0."""
    matrix = X if ours and (X.dtype == np.float64 or row_norm > TINY_SINGLE) else own_dense(X)
    longest = clip_dense(matrix, row_norm)
    return DenseDesign(matrix, longest)


def group_height(rows: int) -> int:
    """Rows summed together before they join the total."""
    return max(256, math.isqrt(rows))


def grouped_depth(rows: int) -> int:
    """Within a group, then group by group; a block of groups adds its rest and joins the total: two more."""
    height = group_height(rows)
    return min(height, rows) + -(-rows // height) + 3


def scores_in_runs(matrix: Array, w: Array) -> Array:
    """X w, run by run of columns."""
    scores: Array = matrix[:, :LONGEST_RUN] @ w[:LONGEST_RUN]
    for start in range(LONGEST_RUN, matrix.shape[1], LONGEST_RUN):
        scores += matrix[:, start : start + LONGEST_RUN] @ w[start : start + LONGEST_RUN]
    return scores


def _summed(matrix: Array, r: Array, height: int) -> Array:
    """Xᵀr, group by group of so many rows, all groups in one call."""
    if len(matrix) <= height:
        return np.asarray(matrix.T @ r)
    groups = len(matrix) // height
    rest = np.asarray(matrix[groups * height :].T @ r[groups * height :])
    stacked = matrix[: groups * height].reshape(groups, height, -1)
    weights = r[: groups * height].reshape(groups, height, -1).transpose(0, 2, 1)
    return np.asarray(np.matmul(weights, stacked).sum(axis=0).T.reshape(rest.shape) + rest)


@dataclass(frozen=True, eq=False, repr=False)
class DenseDesign:
    """Sums over rows go block by block, so that rounding grows with the square root of their number.  Singles are
    doubles of fewer digits: widened, they enter every product as they are."""

    matrix: Array
    measured: float | None = None
    """The longest row's norm, where it is known."""

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def _height(self) -> int:
        return group_height(self.rows)

    @property
    def row_depth(self) -> int:
        return runs_depth(self.columns)

    @property
    def column_depth(self) -> int:
        return grouped_depth(self.rows)

    @property
    def _at_once(self) -> int:
        """Rows that fit the allowance."""
        return max(1, BLOCK_ENTRIES // max(1, self.columns))

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """So many rows at a time."""
        for first in range(0, self.rows, self._at_once):
            part = slice(first, first + self._at_once)
            yield part, np.asarray(self.matrix[part], dtype=np.float64)

    @property
    def _wide(self) -> bool:
        return self.matrix.dtype == np.float64

    def matvec(self, w: Array) -> Array:
        if self._wide:
            return scores_in_runs(self.matrix, w)
        result = np.empty((self.rows, *w.shape[1:]))
        for part, block in self._blocks():
            result[part] = scores_in_runs(block, w)
        return result

    def rmatvec(self, r: Array) -> Array:
        if self._wide:
            return _summed(self.matrix, r, self._height)
        return self.pulled(np.zeros((self.columns, *r.shape[1:])), lambda _, part: r[part])

    def pulled(self, w: Array, turn: Turn) -> Array:
        """Some groups of rows at a time, while they are at hand: their scores, what becomes of them, and its sum."""
        height = self._height * max(1, BLOCK_ENTRIES // (2 * self._height * max(1, self.columns)))

        def pulled_by(start: int) -> Array:
            part = slice(start, min(start + height, self.rows))
            block = np.asarray(self.matrix[part], dtype=np.float64)
            return _summed(block, turn(scores_in_runs(block, w), part), self._height)

        return self._added(pulled_by, height, (self.columns, *w.shape[1:]))

    def swept(self, sweep: Sweep) -> Array | None:
        """In one call where the table is small, else in blocks of whole groups that threads share out."""
        if compiled.PASSES is None or not serves(self.matrix):
            return None
        height = self._height * max(1, BLOCK_ENTRIES // (self._height * max(1, self.columns)))
        if self.matrix.size <= BLOCK_ENTRIES:
            return over_dense(self.matrix, sweep, slice(0, self.rows), self._height)

        def swept_by(start: int) -> Array:
            return over_dense(self.matrix, sweep, slice(start, min(start + height, self.rows)), self._height)

        return self._added(swept_by, height, sweep.w.shape, QUICKER)

    def _added(self, of: Callable[[int], Array], height: int, shape: tuple[int, ...], quicker: int = 1) -> Array:
        """The sum over blocks of so many rows, one after the other, of what `of` makes of each from its first row."""
        numbers = self.matrix.size // quicker if math.prod(shape) <= LARGE_SUM else 0
        return added_in_order(of, range(0, self.rows, height), numbers, shape, SEVERAL)

    @cached_property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0)) if self.measured is None else self.measured

    def row_norms(self) -> Array:
        result = np.empty(self.rows)
        for part, block in self._blocks():
            result[part] = np.sqrt(np.einsum("ij,ij->i", block, block))
        return result

    def weighted_gram(self, c: Array) -> Array:
        if np.count_nonzero(c) < self.rows / 2:
            rows = np.flatnonzero(c)
            return self.take(rows).weighted_gram(c[rows])
        least, most = float(c.min(initial=math.inf)), float(c.max(initial=0.0))
        if least == most:
            return most * self._gram
        half, height = c if least < 0 else np.sqrt(c), self._at_once

        def gram_of(start: int) -> Array:
            block = np.asarray(self.matrix[start : start + height], dtype=np.float64)
            weighted = block * half[start : start + height, None]
            return np.asarray((block if least < 0 else weighted).T @ weighted)

        return self._added(gram_of, height, (self.columns, self.columns))

    @cached_property
    def _gram(self) -> Array:
        """XᵀX: the curvature of squares is the same at every step."""
        height = self._at_once

        def gram_of(start: int) -> Array:
            block = np.asarray(self.matrix[start : start + height], dtype=np.float64)
            return np.asarray(block.T @ block)

        return self._added(gram_of, height, (self.columns, self.columns))

    def gram_of_rows(self) -> Array:
        result = np.empty((self.rows, self.rows))
        for part, block in self._blocks():
            result[part] = self.matvec(block.T).T
        return result

    def take(self, rows: Rows) -> DenseDesign:
        return DenseDesign(self.matrix[rows])
