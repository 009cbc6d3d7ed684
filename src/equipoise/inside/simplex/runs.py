"""Products with very wide tables: a row's sum is made of runs, so that its rounding does not grow with the columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside.design import Design
from equipoise.inside.design.contract import Array
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.sparse import SparseDesign
from equipoise.theory.simplex.corners import LONGEST_RUN


@dataclass(frozen=True, eq=False, repr=False)
class InRuns:
    """A dense array or compressed rows, with a product whose sums have few additions behind them."""

    matrix: Any

    @property
    def _thin(self) -> bool:
        return bool(sparse.issparse(self.matrix))

    @cached_property
    def _design(self) -> Design:
        return SparseDesign(self.matrix) if self._thin else DenseDesign(self.matrix)

    @cached_property
    def _long(self) -> npt.NDArray[np.intp]:
        """Rows with more entries than one run."""
        return np.flatnonzero(np.diff(self.matrix.indptr) > LONGEST_RUN)

    def matvec(self, w: Array) -> Array:
        """X w."""
        if not self._thin:
            return self._dense(w)
        scores = np.asarray(self.matrix @ w)
        for row in self._long:
            inside = slice(int(self.matrix.indptr[row]), int(self.matrix.indptr[row + 1]))
            terms = self.matrix.data[inside] * w[self.matrix.indices[inside]]
            scores[row] = np.sum(np.add.reduceat(terms, np.arange(0, len(terms), LONGEST_RUN)))
        return scores

    def _dense(self, w: Array) -> Array:
        scores: Array = self.matrix[:, :LONGEST_RUN] @ w[:LONGEST_RUN]
        for start in range(LONGEST_RUN, len(w), LONGEST_RUN):
            scores += self.matrix[:, start : start + LONGEST_RUN] @ w[start : start + LONGEST_RUN]
        return scores

    def rmatvec(self, r: Array) -> Array:
        """Xᵀr."""
        return self._design.rmatvec(r)
