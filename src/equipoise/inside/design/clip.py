"""Row clipping: scale every row that is too long down to just below the bound."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.design.contract import Array
from equipoise.theory.bounds import ROUNDING

SINGLE_ROUNDING = 2.0**-22
"""Storing a clipped row in singles moves each entry by up to 2⁻²⁴ of itself: aim four times as far below."""

TINY_SINGLE = 1e-30
"""Below this bound singles lose digits to underflow; such rows are stored in doubles."""


def refuse_not_finite(values: npt.NDArray[np.floating], name: str) -> None:
    if not np.all(np.isfinite(values)):
        raise InvalidInput(f"{name}: contains NaN or infinity (inf), clean or impute it first")


def peaks(largest: npt.NDArray[np.floating]) -> Array:
    """The largest magnitude of each row in doubles, one for a zero row: what to divide by before squaring."""
    peak = np.asarray(largest, dtype=np.float64)
    return np.where(peak > 0, peak, 1.0)


def shrink_factors(peak: Array, relative_norm: Array, row_norm: float, rounding: float) -> Array:
    """By what to multiply a row already divided by its peak; NaN where the row is short enough to stay as it is.

    A row stays if it is below bound·(1 − ROUNDING/2), and a clipped one lands at bound·(1 − rounding) or a few
    ulp beside it, hence stays when clipped again.
    """
    with np.errstate(over="ignore"):
        allowed = row_norm * (1 - ROUNDING / 2) / peak
    return np.where(relative_norm > allowed, row_norm * (1 - rounding) / np.maximum(relative_norm, 1.0), np.nan)


def rounding_for(dtype: np.dtype[np.floating]) -> float:
    return SINGLE_ROUNDING if dtype == np.float32 else ROUNDING
