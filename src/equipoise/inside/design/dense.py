"""A dense design, stored in doubles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array, Rows
from equipoise.rows.clip import clip_dense
from equipoise.rows.owned import own_dense
from equipoise.theory.runs import LONGEST_RUN, runs_depth

BLOCK_ENTRIES = 2**20
"""Largest number of entries weighted at once: eight megabytes."""


def clipped(X: npt.NDArray[Any], row_norm: float) -> DenseDesign:
    """A copy of X with every row clipped; what is missing counts as 0."""
    matrix = own_dense(X)
    clip_dense(matrix, row_norm)
    return DenseDesign(matrix)


@dataclass(frozen=True, eq=False)
class DenseDesign:
    """Sums over rows go block by block, so that rounding grows with the square root of their number."""

    matrix: Array

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def _height(self) -> int:
        """Rows summed together before they join the total."""
        return max(256, math.isqrt(self.rows))

    @property
    def row_depth(self) -> int:
        return runs_depth(self.columns)

    @property
    def column_depth(self) -> int:
        return min(self._height, self.rows) + -(-self.rows // self._height) + 1

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        """Rows, so many at a time as fit the allowance."""
        height = max(1, BLOCK_ENTRIES // max(1, self.columns))
        for first in range(0, self.rows, height):
            part = slice(first, first + height)
            yield part, self.matrix[part]

    def matvec(self, w: Array) -> Array:
        """Run by run of columns."""
        scores: Array = self.matrix[:, :LONGEST_RUN] @ w[:LONGEST_RUN]
        for start in range(LONGEST_RUN, self.columns, LONGEST_RUN):
            scores += self.matrix[:, start : start + LONGEST_RUN] @ w[start : start + LONGEST_RUN]
        return scores

    def rmatvec(self, r: Array) -> Array:
        """Group by group of rows, all groups in one call."""
        matrix, height = self.matrix, self._height
        groups = self.rows // height
        rest = np.asarray(matrix[groups * height :].T @ r[groups * height :])
        if not groups:
            return rest
        stacked = matrix[: groups * height].reshape(groups, height, -1)
        weights = r[: groups * height].reshape(groups, height, -1).transpose(0, 2, 1)
        return np.asarray(np.matmul(weights, stacked).sum(axis=0).T.reshape(rest.shape) + rest)

    def row_norms(self) -> Array:
        result = np.empty(self.rows)
        for part, block in self._blocks():
            result[part] = np.sqrt(np.einsum("ij,ij->i", block, block))
        return result

    def weighted_gram(self, c: Array) -> Array:
        rows = np.flatnonzero(c)
        if len(rows) < self.rows / 2:
            return self.take(rows).weighted_gram(c[rows])
        total = np.zeros((self.columns, self.columns))
        signed = bool(np.any(c < 0))
        for part, block in self._blocks():
            weight = c[part, None]
            if signed:
                total += block.T @ (block * weight)
            else:
                half = block * np.sqrt(weight)
                total += half.T @ half
        return total

    def gram_of_rows(self) -> Array:
        result = np.empty((self.rows, self.rows))
        for part, block in self._blocks():
            result[part] = self.matvec(block.T).T
        return result

    def take(self, rows: Rows) -> DenseDesign:
        return DenseDesign(self.matrix[rows])
