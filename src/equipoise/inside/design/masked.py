"""A design some of whose columns are left out, and whose rows are then as short as if they had never been there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Design
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.design.sparse import SparseDesign
from equipoise.rows.clip import clip_dense, clip_sparse
from equipoise.rows.owned import own_csr


def masked(design: Design, mask: npt.NDArray[np.bool_], row_norm: float, keep: float) -> Design:
    """What is left of each row, clipped to `row_norm`; a constant column is never masked, but shrinks by `keep`."""
    if isinstance(design, WithConstant):
        return WithConstant(masked(design.inner, mask, row_norm, keep), keep * design.constant)
    if isinstance(design, DenseDesign):
        matrix = design.matrix * mask
        clip_dense(matrix, row_norm)
        return DenseDesign(matrix)
    assert isinstance(design, SparseDesign)
    held = own_csr(design.matrix)
    held.data *= mask[held.indices]
    clip_sparse(held, row_norm)
    return SparseDesign(held)
