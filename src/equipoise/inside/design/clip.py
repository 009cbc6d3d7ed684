"""Row clipping: scale every row that is too long down to just below the bound."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array


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
