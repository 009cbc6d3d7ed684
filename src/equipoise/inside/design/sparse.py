"""A sparse design in compressed rows, entries in doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.rows.clip import clip_sparse, row_sum
from equipoise.rows.owned import own_csr

CROWDED = 0.1
"""Above this share of non-zeros, dense products of row blocks are faster than sparse ones."""

BLOCK_ENTRIES = 2**20


def clipped(X: Any, row_norm: float, *, ours: bool = False) -> SparseDesign:
    """X in canonical form with every row clipped, a copy unless it is `ours`; what is missing counts as 0."""
    matrix = X if ours else own_csr(X)
    clip_sparse(matrix, row_norm)
    return SparseDesign(matrix)


def _view(matrix: sparse.csr_array, start: int, stop: int) -> sparse.csr_array:
    """Consecutive rows, not copied."""
    pointers = matrix.indptr[start : stop + 1]
    inside = slice(int(pointers[0]), int(pointers[-1]))
    parts = (matrix.data[inside], matrix.indices[inside], pointers - pointers[0])
    return sparse.csr_array(parts, shape=(stop - start, matrix.shape[1]))


@dataclass(frozen=True, eq=False)
class SparseDesign:
    """A column with few entries is summed as it comes, one with many block of rows by block: rounding grows with the
    square root of the rows at most, whatever the pattern."""

    matrix: sparse.csr_array

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @cached_property
    def row_depth(self) -> int:
        return int(np.diff(self.matrix.indptr).max(initial=0))

    @property
    def _height(self) -> int:
        """Rows summed together before they join the total, and the most entries of a column summed as they come."""
        return max(256, math.isqrt(self.rows))

    @property
    def column_depth(self) -> int:
        return self._height + -(-self.rows // self._height) + 1

    @cached_property
    def _crowded(self) -> tuple[Rows, sparse.csr_array, sparse.csr_array]:
        """The columns with many entries, those alone, once for each block of rows, and the matrix without them."""
        counts = np.bincount(self.matrix.indices, minlength=self.columns)
        crowded = np.flatnonzero(counts > self._height)
        if not len(crowded):
            return crowded, self.matrix, self.matrix
        place = np.full(self.columns, -1)
        place[crowded] = np.arange(len(crowded))
        at = place[self.matrix.indices]
        inside, block = at >= 0, np.arange(self.rows) // self._height * len(crowded)
        others = self._part(~inside, self.matrix.indices, self.columns)
        at = at + np.repeat(block, np.diff(self.matrix.indptr))
        return crowded, self._part(inside, at, len(crowded) * -(-self.rows // self._height)), others

    def _part(self, kept: npt.NDArray[np.bool_], places: npt.NDArray[Any], columns: int) -> sparse.csr_array:
        """These entries alone, at these columns."""
        if kept.all():
            return sparse.csr_array((self.matrix.data, places, self.matrix.indptr), shape=(self.rows, columns))
        before = np.concatenate([[0], np.cumsum(kept)])
        parts = (self.matrix.data[kept], places[kept], before[self.matrix.indptr])
        return sparse.csr_array(parts, shape=(self.rows, columns))

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.matrix @ w)

    def rmatvec(self, r: Array) -> Array:
        crowded, many, few = self._crowded
        if not len(crowded):
            return np.asarray(self.matrix.T @ r)
        total = np.asarray(few.T @ r) if few.nnz else np.zeros((self.columns, *r.shape[1:]))
        sums = np.asarray(many.T @ r)  # of each block, all in one call
        total[crowded] += sums.reshape(-1, len(crowded), *r.shape[1:]).sum(axis=0)
        return total

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.rmatvec(turn(self.matvec(w), slice(None)))

    @cached_property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0))

    def row_norms(self) -> Array:
        return np.sqrt(row_sum(self.matrix.data**2, self.matrix.indptr))

    def weighted_gram(self, c: Array) -> Array:
        rows = np.flatnonzero(c)
        if len(rows) < self.rows / 2:
            return self.take(rows).weighted_gram(c[rows])
        if self.matrix.nnz > CROWDED * self.rows * self.columns:
            return self._crowded_gram(c)
        weighted = sparse.csr_array(
            (self.matrix.data * np.repeat(c, np.diff(self.matrix.indptr)), self.matrix.indices, self.matrix.indptr),
            shape=self.matrix.shape,
        )
        return np.asarray((self.matrix.T @ weighted).toarray())

    def _crowded_gram(self, c: Array) -> Array:
        total = np.zeros((self.columns, self.columns))
        height = max(1, BLOCK_ENTRIES // max(1, self.columns))
        for start in range(0, self.rows, height):
            stop = min(start + height, self.rows)
            block = _view(self.matrix, start, stop).toarray()
            total += block.T @ (block * c[start:stop, None])
        return total

    def gram_of_rows(self) -> Array:
        return np.asarray((self.matrix @ self.matrix.T).toarray())

    def take(self, rows: Rows) -> SparseDesign:
        return SparseDesign(self.matrix[rows])
