"""Designs: one file per storage.  Nothing outside this folder knows which one it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, csr_matrix, issparse

from equipoise.inside.design.by_columns import ByColumns
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Design
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.dense import clipped as clipped_dense
from equipoise.inside.design.lent import Lent
from equipoise.inside.design.rooted import Rooted, rooted
from equipoise.inside.design.rooted import serves as may_be_rooted
from equipoise.inside.design.shortened import Shortened
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.design.sparse import clipped as clipped_sparse
from equipoise.rows.clip import clip_dense
from equipoise.theory.additive import Encoding

Matrix = npt.NDArray[np.floating] | csr_array | csr_matrix

__all__ = [
    "Design",
    "Matrix",
    "as_design",
    "design_from",
    "design_of_own",
    "encoded_design",
    "gram_pairs",
    "in_full",
    "may_be_rooted",
    "rows_of",
    "sums_in_groups",
    "with_constant",
]


def design_from(X: Matrix, row_norm: float, intercept: float, *, ours: bool = False) -> Design:
    """X with rows clipped to L2 norm `row_norm` and, if `intercept` > 0, that constant as the last column.

    A copy, unless X is `ours`: a table of `rows.owned` that nobody else holds, which is then clipped in place.
    """
    clipped: Design = clipped_sparse(X, row_norm, ours=ours) if issparse(X) else clipped_dense(X, row_norm, ours=ours)
    return with_constant(clipped, intercept)


def encoded_design(table: npt.NDArray[np.float64], encoding: Encoding, row_norm: float, intercept: float) -> Design:
    """A table of our own by its weights on slots, where `may_be_rooted`: encoded rows need no clipping."""
    return with_constant(rooted(table, encoding, row_norm), intercept)


def with_constant(design: Design, intercept: float) -> Design:
    """The same with that constant as one more column; as it is where there is none."""
    return WithConstant(design, intercept) if intercept > 0 else design


def design_of_own(X: Matrix, row_norm: float, intercept: float) -> Design:
    """The same of a block that nobody else holds: a dense one is clipped where it lies and kept by columns."""
    if issparse(X):
        return design_from(X, row_norm, intercept)
    turned = np.ascontiguousarray(X.T, dtype=np.float64)  # as the encoding has made it already
    longest = clip_dense(turned.T, row_norm)
    return with_constant(ByColumns(turned, longest), intercept)


def sums_in_groups(design: Design) -> bool:
    """Whether its Gram matrix is summed in groups of rows, as a gradient always is."""
    inner = design.inner if isinstance(design, WithConstant) else design
    return isinstance(inner, ByColumns) or (isinstance(inner, Rooted) and inner.gram_in_groups)


def gram_pairs(design: Design) -> float:
    """Products of two entries behind a Gram matrix of sparse rows; 0 where it is made densely, which is quick."""
    inner = design.inner if isinstance(design, WithConstant) else design
    return inner.pairs if isinstance(inner, SparseDesign) else 0.0


def rows_of(design: Design) -> npt.NDArray[np.floating]:
    """Its rows in full, without the constant column: not to be written to."""
    held: Any = design.inner if isinstance(design, WithConstant) else design
    match held:
        case DenseDesign():
            return held.matrix
        case ByColumns():
            return held.turned.T
        case Lent():
            return rows_of(held.copied)
        case Shortened():
            return np.asarray(held.matrix * held.factors[:, None])
        case Rooted():
            return held.in_full()
        case SparseDesign():
            return np.asarray(held.matrix.toarray())
    raise TypeError("records in parts have sums, and no rows of their own")


def in_full(design: Design) -> Design:
    """The same with its rows written out, for whoever takes some of them at a time; as it is where they are."""
    if isinstance(design, WithConstant):
        return with_constant(in_full(design.inner), design.constant)
    return clipped_dense(design.in_full(), design.bound, ours=True) if isinstance(design, Rooted) else design


def as_design(X: Any) -> Design:
    """A table of our own as it is."""
    held: Any = X
    return SparseDesign(held) if issparse(X) else DenseDesign(held)
