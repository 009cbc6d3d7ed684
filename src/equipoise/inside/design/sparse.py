"""A sparse design in compressed rows, entries in doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside.design.clip import peaks, shrink_factors
from equipoise.inside.design.contract import Array, Rows
from equipoise.inside.design.owned import own_csr
from equipoise.theory.bounds import clip_margin

CROWDED = 0.1
"""Above this share of non-zeros, dense products of row blocks are faster than sparse ones."""

BLOCK_ENTRIES = 2**20


Pointers = npt.NDArray[np.integer]


def clipped(X: Any, row_norm: float) -> SparseDesign:
    """A copy of X in canonical form with every row clipped; what is missing counts as 0."""
    matrix = own_csr(X)
    counts = np.diff(matrix.indptr)
    peak = peaks(_row_max(np.abs(matrix.data), matrix.indptr))
    unit = matrix.data / np.repeat(peak, counts)
    relative_norm = np.sqrt(_row_sum(unit * unit, counts))
    factor = np.repeat(shrink_factors(peak, relative_norm, row_norm, clip_margin(matrix.shape[1])), counts)
    long = ~np.isnan(factor)
    matrix.data[long] = unit[long] * factor[long]
    return SparseDesign(matrix)


def _row_max(entries: Array, starts: Pointers) -> Array:
    result = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        result[filled] = np.maximum.reduceat(entries, starts[filled])
    return result


def _row_sum(entries: Array, counts: Pointers) -> Array:
    owner = np.repeat(np.arange(len(counts)), counts)
    return np.asarray(np.bincount(owner, weights=entries, minlength=len(counts)), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class SparseDesign:
    """Sums over rows go block by block where the number of columns is small enough for it to be cheap."""

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

    @cached_property
    def column_depth(self) -> int:
        tallest = max(block.shape[0] for block in self._blocks)
        fullest = int(np.bincount(self.matrix.indices, minlength=1).max(initial=0))
        return min(tallest, fullest) + len(self._blocks)

    @cached_property
    def _blocks(self) -> list[sparse.csr_array]:
        """Views of consecutive rows."""
        count = max(1, min(math.isqrt(self.rows), self.matrix.nnz // max(1, self.columns)))
        height = max(1, -(-self.rows // count))
        return [self._view(start, min(start + height, self.rows)) for start in range(0, max(1, self.rows), height)]

    def _view(self, start: int, stop: int) -> sparse.csr_array:
        pointers = self.matrix.indptr[start : stop + 1]
        inside = slice(int(pointers[0]), int(pointers[-1]))
        parts = (self.matrix.data[inside], self.matrix.indices[inside], pointers - pointers[0])
        return sparse.csr_array(parts, shape=(stop - start, self.columns))

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.matrix @ w)

    def rmatvec(self, r: Array) -> Array:
        total = np.zeros((self.columns, *r.shape[1:]))
        start = 0
        for block in self._blocks:
            stop = start + block.shape[0]
            total += block.T @ r[start:stop]
            start = stop
        return total

    def row_norms(self) -> Array:
        return np.sqrt(_row_sum(self.matrix.data**2, np.diff(self.matrix.indptr)))

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
            block = self._view(start, stop).toarray()
            total += block.T @ (block * c[start:stop, None])
        return total

    def gram_of_rows(self) -> Array:
        return np.asarray((self.matrix @ self.matrix.T).toarray())

    def take(self, rows: Rows) -> SparseDesign:
        return SparseDesign(self.matrix[rows])
