"""Designs: one file per storage.  Nothing outside this folder knows which one it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, issparse

from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Design
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.dense import clipped as clipped_dense
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.design.sparse import clipped as clipped_sparse

Matrix = npt.NDArray[np.floating] | csr_array | csr_matrix

__all__ = ["Design", "Matrix", "as_design", "design_from"]


def design_from(X: Matrix, row_norm: float, intercept: float, *, ours: bool = False) -> Design:
    """X with rows clipped to L2 norm `row_norm` and, if `intercept` > 0, that constant as the last column.

    A copy, unless X is `ours`: a table of `rows.owned` that nobody else holds, which is then clipped in place.
    """
    clipped: Design = clipped_sparse(X, row_norm, ours=ours) if issparse(X) else clipped_dense(X, row_norm, ours=ours)
    return WithConstant(clipped, intercept) if intercept > 0 else clipped


def as_design(X: Any) -> Design:
    """A table of our own as it is."""
    held: Any = X
    return SparseDesign(held) if issparse(X) else DenseDesign(held)
