"""Records as pairs: the difference of two rows, turned so that the higher label comes first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.design import Matrix, design_from
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.rows.clip import clip_dense
from equipoise.rows.within import RowBounds
from equipoise.theory.pairs import Ring

Order = npt.NDArray[np.intp]


def enter_pairs(X: Matrix, y: Array, limits: RowBounds, ring: Ring, order: Order) -> Private[Records]:
    """Rows within their bounds first; `order` says who stands where around the ring, and was drawn without them.

    A label that is no number is neither above nor below any other: its pairs are rows of zeros.
    """
    if y.shape != (X.shape[0],) or len(order) != ring.records or X.shape[0] != ring.records:
        raise InvalidInput("y: must hold one label per row of X")
    rows = np.asarray(limits.in_units_of_the_fit(X))
    clip_dense(rows, limits.row_norm)
    left, right = (order[side] for side in ring.sides())
    turned = (y[left] > y[right]).astype(np.float64) - (y[left] < y[right])
    apart = rows[left]
    apart -= rows[right]
    apart *= turned[:, None]
    return Private(Records(design_from(apart, 2 * limits.row_norm, 0.0), np.ones(ring.pairs)))
