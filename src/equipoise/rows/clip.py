"""Row clipping: scale every row that is too long down to just below the bound, whatever the storage."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.rows.owned import Array, settle
from equipoise.theory.bounds import clip_margin
from equipoise.theory.rounding import WELL_CLEAR, down

Pointers = npt.NDArray[np.integer]

BLOCK_ENTRIES = 2**20
"""Largest number of entries clipped at once: eight megabytes."""

CLEARLY = down(1.0, WELL_CLEAR)
"""A norm below this part of the bound is below the bound, however its sum was rounded."""

PLAIN = 1e-100
"""Above, squares that vanish in rounding do not matter; below its inverse, none of the bound's own size overflows."""


def clip_dense(matrix: Array, row_norm: float) -> None:
    """In place; what is missing counts as 0."""
    height = max(1, BLOCK_ENTRIES // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), height):
        _clip_block(matrix[start : start + height], row_norm)


def clip_sparse(matrix: sparse.csr_array, row_norm: float) -> None:
    """In place, a matrix in canonical form."""
    counts = np.diff(matrix.indptr)
    peak = peaks(row_max(np.abs(matrix.data), matrix.indptr))
    unit = matrix.data / np.repeat(peak, counts)
    relative_norm = np.sqrt(row_sum(unit * unit, counts))
    factor = np.repeat(shrink_factors(peak, relative_norm, row_norm, clip_margin(matrix.shape[1])), counts)
    long = ~np.isnan(factor)
    matrix.data[long] = unit[long] * factor[long]


def peaks(largest: npt.NDArray[np.floating]) -> Array:
    """The largest magnitude of each row in doubles, one for a zero row: what to divide by before squaring."""
    peak = np.asarray(largest, dtype=np.float64)
    return np.where(peak > 0, peak, 1.0)


def shrink_factors(peak: Array, relative_norm: Array, row_norm: float, margin: float) -> Array:
    """By what to multiply a row already divided by its peak; NaN where the row is short enough to stay as it is.

    A row stays if it measures at most bound·(1 − margin/2), and a clipped one lands at bound·(1 − margin) or a few
    ulp beside it, hence stays when clipped again.
    """
    with np.errstate(over="ignore"):
        allowed = row_norm * (1 - margin / 2) / peak
    return np.where(relative_norm > allowed, row_norm * (1 - margin) / np.maximum(relative_norm, 1.0), np.nan)


def _clip_block(block: Array, row_norm: float) -> None:
    """In place.  Rows that are clearly short, and so finite, are left alone at once."""
    if PLAIN < row_norm < 1 / PLAIN:
        with np.errstate(over="ignore", invalid="ignore"):
            square = np.einsum("ij,ij->i", block, block)
            doubtful = np.flatnonzero(~(square <= (CLEARLY * row_norm) ** 2))
        if len(doubtful) <= len(block) / 2:
            part = block[doubtful]
            _clip_rows(part, row_norm)
            block[doubtful] = part
            return
    _clip_rows(block, row_norm)


def _clip_rows(block: Array, row_norm: float) -> None:
    """In place, for entries of whatever size."""
    settle(block)
    peak = peaks(np.max(np.abs(block), axis=1, initial=0.0))
    unit = block / peak[:, None]
    relative_norm = np.sqrt(np.einsum("ij,ij->i", unit, unit))
    factor = shrink_factors(peak, relative_norm, row_norm, clip_margin(block.shape[1]))
    long = ~np.isnan(factor)
    block[long] = unit[long] * factor[long, None]


def row_max(entries: Array, starts: Pointers) -> Array:
    """The largest entry of each compressed row, 0 where it has none."""
    result = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        result[filled] = np.maximum.reduceat(entries, starts[filled])
    return result


def row_sum(entries: Array, counts: Pointers) -> Array:
    """The sum of the entries of each compressed row."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return np.asarray(np.bincount(owner, weights=entries, minlength=len(counts)), dtype=np.float64)
