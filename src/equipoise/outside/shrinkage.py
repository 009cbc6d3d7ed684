"""Noise-aware shrinkage: pull noisy slopes towards a public guess, by as much as their noise warrants.

James and Stein's estimator, positive part, with the noise's public covariance.  Proof: docs/proofs/uncertainty.md.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.outside.uncertainty import MINIMISER, Uncertainty
from equipoise.theory.noise import Law

Array = npt.NDArray[np.float64]

FEWEST = 3
"""With one or two slopes no shrinkage is better everywhere."""

TINY = 1e-15
"""Directions with less than this part of the largest variance count as having it."""


def shrinkage_factor(uncertainty: Uncertainty, towards: Array) -> float:
    """What is kept of (slopes − towards), in [0, 1]: all of it where no gain is proved."""
    if uncertainty.covers != MINIMISER:  # estimates of the population are held back already, by their own noise
        return 1.0
    away = (uncertainty.estimate[:, :-1] - towards).ravel()
    variances, away = _principal(uncertainty, away)
    if len(away) < FEWEST or uncertainty.law is Law.LAPLACE or not variances.max() > 0:
        return 1.0
    strength = max(0.0, variances.sum() / variances.max() - 2) * _mixture_share(uncertainty)
    distance = float(np.sum(away**2 / np.maximum(variances, TINY * variances.max())))
    return max(0.0, 1 - strength / distance) if distance > 0 else 0.0


def shrunk_slopes(uncertainty: Uncertainty, current: Array, towards: Array) -> Array:
    """The shrunk slopes.  Where the current ones were brought into a ball, never longer than those."""
    slopes = uncertainty.estimate[:, :-1]
    found = towards + shrinkage_factor(uncertainty, towards) * (slopes - towards)
    untouched = np.array_equal(current, slopes)
    return found if untouched or np.linalg.norm(found) <= np.linalg.norm(current) else current


def as_slopes(towards: npt.ArrayLike, shape: tuple[int, ...]) -> Array:
    """The caller's guess, one number for each slope."""
    try:
        target = np.broadcast_to(np.array(towards, dtype=np.float64), shape)
    except (TypeError, ValueError):
        raise InvalidInput("towards: must be a number, or one for each coefficient") from None
    if not np.isfinite(target).all():
        raise InvalidInput("towards: must be finite")
    return target


def _principal(uncertainty: Uncertainty, away: Array) -> tuple[Array, Array]:
    """Variances and coordinates of the slopes' error along axes in which it is uncorrelated."""
    outputs, columns = uncertainty.estimate.shape
    slopes = np.flatnonzero(np.arange(outputs * columns) % columns != columns - 1)
    if uncertainty.covariance.ndim == 1:
        return uncertainty.covariance[slopes], away
    variances, axes = np.linalg.eigh(uncertainty.covariance[np.ix_(slopes, slopes)])
    return np.maximum(variances, 0.0), axes.T @ away


def _mixture_share(uncertainty: Uncertainty) -> float:
    """1/(σ²·E[1/V]) for normals of random variance V with mean σ²: heavy tails warrant a little less shrinkage."""
    if uncertainty.law is Law.GAUSSIAN:
        return 1.0
    return (uncertainty.noisy - 1) / (uncertainty.noisy + 1)
