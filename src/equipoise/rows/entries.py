"""Rows whose every entry is bounded: clipped cell by cell, in a fit and in a prediction alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from equipoise._checks import moderate
from equipoise.rows.owned import own_csr, own_dense, settle


@dataclass(frozen=True, slots=True)
class EntryBound:
    """Every entry lies within ±`bound`: the L∞ norm of a row."""

    bound: float

    def __post_init__(self) -> None:
        moderate(row_norm=self.bound)

    def brought_within(self, X: Any, *, ours: bool = False) -> Any:
        """Rows, dense or sparse, a copy unless X is `ours`: missing cells count as 0, the others are clipped.  Clipping
        is exact."""
        if issparse(X):
            matrix: Any = X if ours else own_csr(X)
            np.clip(matrix.data, -self.bound, self.bound, out=matrix.data)
            return matrix
        table = X if ours else own_dense(X)
        settle(table)
        np.clip(table, -self.bound, self.bound, out=table)
        return table
