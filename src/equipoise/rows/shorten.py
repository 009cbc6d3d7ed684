"""Rows of a small block brought within a norm where nobody asks for the longest: every number as `clip_dense` has it.

Queries are compared and answered in blocks that stay in the processor's cache, and then picking rows costs more than
the arithmetic: factors are computed for all rows alike, without a branch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.rows.clip import HUGE, OFTEN, PLAIN, clip_dense, lines, squares_of
from equipoise.rows.compiled.steps import shortened
from equipoise.rows.owned import Array
from equipoise.theory.bounds import clip_margin


def shorten(block: Array, row_norm: float) -> None:
    """In place, doubles; what is missing counts as 0."""
    square = squares_of(block)
    if not (PLAIN < row_norm < 1 / PLAIN and np.all(square < HUGE)):
        clip_dense(block, row_norm)
        return
    norm = np.sqrt(square, out=square)
    stays, target = lines(row_norm, row_norm, clip_margin(block.shape[1]))
    if shortened(block, norm, stays, target):
        return
    long = norm > stays
    count = np.count_nonzero(long)
    if count * OFTEN >= len(block):
        block *= _factors(norm, long, target)[:, None]
    elif count:
        rows = np.flatnonzero(long)
        block[rows] *= (target / norm[rows])[:, None]


def _factors(norm: Array, long: npt.NDArray[np.bool_], target: float) -> Array:
    """target/norm where a row is too long, and then it is longer than the target; else target/target, which is one."""
    longer = norm * long
    np.maximum(longer, target, out=longer)
    return np.divide(target, longer, out=longer)
