"""Coefficients and their errors, from the units of the fit to the caller's and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import Bounds

Array = npt.NDArray[np.float64]

LARGEST = 1e300
"""Of a released number in the caller's units: sums of a few thousand of them are still doubles."""


MOST_SQUARED = 500
"""Numbers whose covariance is kept as a square."""


def within_doubles(value: Array, bounds: Bounds) -> Array:
    """Released numbers that no change of units makes too large, by public bounds alone.

    Extreme bounds and noise together can pass the range of doubles.  The release is paid for by then, so it may neither
    fail nor warn; and what is cut here is noise beside labels of at most 1e210 and rows of at least 1e-30.
    """
    columns = zip(bounds.column_scales, bounds.column_centres, strict=True)
    unit = max(1.0, bounds.intercept, *(scale * max(1.0, abs(centre)) for scale, centre in columns))
    most = LARGEST / max(1.0, bounds.label_scale) / unit
    return np.clip(np.nan_to_num(value, nan=0.0), -most, most)


def in_units(covariance: Array, units: Array, size: int) -> Array | None:
    """A covariance, or variances alone, in other units; an intercept that was not fitted has no error.

    None where doubles cannot hold the squares: the release is paid for, so this must never fail.
    """
    with np.errstate(all="ignore"):
        if covariance.ndim == 1:
            scaled = variances = covariance * units * units
        else:
            scaled = (covariance + covariance.T) / 2 * np.outer(units, units)
            variances = np.diagonal(scaled)
    if not np.isfinite(scaled).all() or (variances < np.finfo(float).tiny).any():
        return None
    return np.pad(scaled, (0, size - len(units)))


def in_scaled_columns(rows: Array, bounds: Bounds) -> Array:
    """Coefficients for the columns as the fit sees them; the intercept takes up their middles."""
    features = len(bounds.column_scales)
    coef, rest = rows[:, :features], rows[:, features:]
    shift = coef @ np.array(bounds.column_centres)
    return np.column_stack([coef / np.array(bounds.column_scales), rest + shift[:, None]])


def in_own_columns(covariance: Array, bounds: Bounds) -> Array | None:
    """The covariance when each coefficient is scaled back and the intercept gives up the columns' middles.

    None where doubles cannot hold it, or rounding leaves no variance.  Of many columns the variances alone are kept.
    """
    scales, centres = np.array(bounds.column_scales), np.array(bounds.column_centres)
    if covariance.ndim == 1 and len(covariance) > MOST_SQUARED:
        with np.errstate(all="ignore"):
            slopes = scales**2 * covariance[:-1]
            flat = np.append(slopes, covariance[-1] + np.sum(centres**2 * slopes))
        return flat if np.isfinite(flat).all() else None
    turn = np.diag(np.append(scales, 1.0))
    turn[-1, :-1] = -scales * centres
    square = np.diag(covariance) if covariance.ndim == 1 else covariance
    with np.errstate(all="ignore"):
        turned = turn @ square @ turn.T
        even = np.asarray((turned + turned.T) / 2)
    sound = np.isfinite(even).all() and (np.diagonal(even) >= 0).all()
    return even if sound else None
