"""Row clipping: scale every row that is too long down to just below the bound, whatever the storage."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.rows.compiled.steps import lies_by_columns, squares_by_columns
from equipoise.rows.owned import Array, row_blocks, settle
from equipoise.theory.bounds import clip_margin
from equipoise.theory.rounding import WELL_CLEAR, down
from equipoise.theory.runs import LONGEST_RUN

Pointers = npt.NDArray[np.integer]

BLOCK_ENTRIES = 2**17
"""Largest number of entries clipped at once: a megabyte, which a processor keeps at hand between two looks."""

OFTEN = 4
"""Where one row in so many may be too long, all of a block are multiplied, most by one: quicker than picking."""

WIDE = 32
"""Rows of so many numbers, in one piece, are measured by dot products, which are quicker then."""

CLEARLY = down(1.0, WELL_CLEAR)
"""A norm below this part of the bound is below the bound, however its sum was rounded."""

PLAIN = 1e-100
"""Above, squares that vanish in rounding do not matter; below its inverse, no sum of squares overflows."""


HUGE = 1 / PLAIN**2
"""Sums of squares from here on are those of rows to be divided by their largest cell before they are measured."""

SINGLE = 1 - 2.0**-23
"""Rows that will be rounded to single precision are clipped to this part of the bound."""


def clip_dense(matrix: Array, row_norm: float) -> float:
    """In place, doubles or singles; what is missing counts as 0.  The longest row's norm afterwards, or the bound."""
    height, longest = _at_once(matrix), 0.0
    target = row_norm * SINGLE if matrix.dtype == np.float32 else row_norm
    for start in range(0, len(matrix), height):
        square = _clip_block(matrix[start : start + height], row_norm, target)
        longest = max(longest, float(square.max(initial=0.0)))
    return math.sqrt(longest)


def _at_once(matrix: Array) -> int:
    """Rows that are measured together: few, or all where compiled steps take few by themselves."""
    return max(1, len(matrix) if lies_by_columns(matrix) else BLOCK_ENTRIES // max(1, matrix.shape[1]))


def squares_of(block: Array) -> Array:
    """The sum of squares of each row, whatever it holds."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _squares(block)


def shortening(square: Array, row_norm: float, columns: int) -> Array:
    """By what to multiply rows of these sums of squares, each below `HUGE`, to bring them within the bound; one where a
    row stays.  The map is that of `clip_dense`, with the product left to whoever uses the row."""
    return plain_factors(np.sqrt(square), row_norm, row_norm, clip_margin(columns))


def clip_sparse(matrix: sparse.csr_array, row_norm: float) -> None:
    """In place, a matrix in canonical form, some rows after the other."""
    margin = clip_margin(matrix.shape[1])
    for _, entries, starts in row_blocks(matrix.indptr):
        _clip_lines(matrix.data[entries], starts, row_norm, margin)


def _clip_lines(data: Array, starts: Pointers, row_norm: float, margin: float) -> None:
    """In place, a few compressed rows.  By which measure is decided by the row alone: two measures may disagree by a
    unit at the line, and no row may be shortened because another one is huge."""
    counts = np.diff(starts)
    plain = np.zeros(len(counts), dtype=np.bool_)
    if PLAIN < row_norm < 1 / PLAIN:
        with np.errstate(over="ignore"):
            square = row_sum(data * data, starts)
        plain = square < HUGE
        if np.any(square > _clear(row_norm)):
            norm = np.where(plain, np.sqrt(square), 0.0)
            data *= np.repeat(plain_factors(norm, row_norm, row_norm, margin), counts)
        if plain.all():
            return
    peak = peaks(row_max(np.abs(data), starts))
    unit = data / np.repeat(peak, counts)
    relative_norm = np.sqrt(row_sum(unit * unit, starts))
    shrunk = shrink_factors(peak, relative_norm, row_norm, row_norm, margin)
    factor = np.repeat(np.where(plain, np.nan, shrunk), counts)
    long = ~np.isnan(factor)
    data[long] = unit[long] * factor[long]


def peaks(largest: npt.NDArray[np.floating]) -> Array:
    """The largest magnitude of each row in doubles, one for a zero row: what to divide by before squaring."""
    peak = np.asarray(largest, dtype=np.float64)
    return np.where(peak > 0, peak, 1.0)


def shrink_factors(peak: Array, relative_norm: Array, row_norm: float, target: float, margin: float) -> Array:
    """By what to multiply a row already divided by its peak; NaN where the row is short enough to stay as it is.

    A row stays if it measures at most bound·(1 − margin/2), and a clipped one lands at target·(1 − margin), which is
    bound·(1 − margin) at most, or a few ulp beside it, hence stays when clipped again.
    """
    with np.errstate(over="ignore"):
        allowed = row_norm * (1 - margin / 2) / peak
    return np.where(relative_norm > allowed, target * (1 - margin) / np.maximum(relative_norm, 1.0), np.nan)


def plain_factors(norm: Array, row_norm: float, target: float, margin: float) -> Array:
    """By what to multiply a row of this norm; one where it stays.  The same rule without a peak."""
    stays, lands = lines(row_norm, target, margin)
    return np.where(norm > stays, lands / np.maximum(norm, stays), 1.0)


def lines(row_norm: float, target: float, margin: float) -> tuple[float, float]:
    """Up to which norm a row stays as it is, and to which a longer one is brought."""
    return row_norm * (1 - margin / 2), target * (1 - margin)


def _clear(row_norm: float) -> float:
    """Sums of squares up to here are those of short rows."""
    return float((CLEARLY * row_norm) ** 2)


def _squares(block: Array) -> Array:
    """The sum of squares of each row, in runs too short to be shared out: how a longer one is cut depends on how many
    threads there are at that moment, and a row that nobody wrote to must measure the same in every pass."""
    if block.shape[1] >= WIDE and block.flags.c_contiguous:
        runs = (block[:, start : start + LONGEST_RUN] for start in range(0, block.shape[1], LONGEST_RUN))
        return np.asarray(sum(np.vecdot(run, run) for run in runs))
    found = squares_by_columns(block)
    if found is not None:
        return found
    return np.asarray(np.einsum("ij,ij->i", block, block), dtype=np.float64)


def _clip_block(stored: Array, row_norm: float, target: float) -> Array:
    """In place; the squares of the norms, or of the bound where a row was shortened.  Rows that are clearly short, and
    so finite, are left alone at once."""
    block = np.asarray(stored, dtype=np.float64)  # itself, or singles as the doubles that they are
    if not PLAIN < row_norm < 1 / PLAIN:
        _clip_rows(block, row_norm, target)
        stored[...] = block
        return _squares(np.asarray(stored, dtype=np.float64))
    with np.errstate(over="ignore", invalid="ignore"):
        square = _squares(block)
    clear = square <= _clear(row_norm)
    if clear.all():
        return square
    plain = square < HUGE
    if np.count_nonzero(clear) * OFTEN < len(block) * (OFTEN - 1):
        _shorten(block, np.sqrt(square, where=plain, out=np.zeros(len(block))), row_norm, target)
        if block is not stored:
            stored[...] = block
        square[plain & ~clear] = row_norm * row_norm  # at most, which is all that anybody needs
        clear = plain
    rows = np.flatnonzero(plain & ~clear)
    if len(rows):
        part = block[rows]
        _shorten(part, np.sqrt(square[rows]), row_norm, target)
        stored[rows] = part
        square[rows] = row_norm**2
    rows = np.flatnonzero(~plain)
    if len(rows):
        part = block[rows]
        _clip_rows(part, row_norm, target)
        stored[rows] = part
        square[rows] = _squares(np.asarray(stored[rows], dtype=np.float64))
    return square


def _shorten(block: Array, norm: Array, row_norm: float, target: float) -> None:
    """In place, rows of these norms, whose squares neither vanish nor overflow; what stays is multiplied by one."""
    block *= plain_factors(norm, row_norm, target, clip_margin(block.shape[1]))[:, None]


def _clip_rows(block: Array, row_norm: float, target: float) -> None:
    """In place, for entries of whatever size."""
    settle(block)
    peak = peaks(np.max(np.abs(block), axis=1, initial=0.0))
    unit = block / peak[:, None]
    relative_norm = np.sqrt(_squares(unit))
    factor = shrink_factors(peak, relative_norm, row_norm, target, clip_margin(block.shape[1]))
    long = ~np.isnan(factor)
    block[long] = unit[long] * factor[long, None]


def row_max(entries: Array, starts: Pointers) -> Array:
    """The largest entry of each compressed row, 0 where it has none."""
    result = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        result[filled] = np.maximum.reduceat(entries, starts[filled])
    return result


def row_sum(entries: Array, starts: Pointers) -> Array:
    """The sum of the entries of each compressed row."""
    result = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(np.diff(starts))
    if len(filled):
        result[filled] = np.add.reduceat(entries, starts[filled])
    return result
