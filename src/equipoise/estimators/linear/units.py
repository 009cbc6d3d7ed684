"""Coefficients and their errors, from the units of the fit to the caller's and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.theory.bounds import Bounds

Array = npt.NDArray[np.float64]


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


def in_own_columns(covariance: Array, bounds: Bounds) -> Array:
    """The covariance when each coefficient is scaled back and the intercept gives up the columns' middles."""
    scales, centres = np.array(bounds.column_scales), np.array(bounds.column_centres)
    turn = np.diag(np.append(scales, 1.0))
    turn[-1, :-1] = -scales * centres
    square = np.diag(covariance) if covariance.ndim == 1 else covariance
    turned = turn @ square @ turn.T
    return np.asarray((turned + turned.T) / 2)
