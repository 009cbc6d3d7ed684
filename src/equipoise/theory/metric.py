"""The metric of noisy gradients: second moments of rows, with noise, and how steps are measured in them.

A step along a direction in which rows hardly vary has to be long, and one along another short.  Whoever knows second
moments takes each as long as it should be: a few steps do then what hundreds did.  A loss of numbers bends by these
moments everywhere, so its steps need to know nothing else; classes are in `theory/aiming.py`.
docs/proofs/noisy_gradients.md, section 5.  Only `moved` touches privacy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.plan import Facts, Sensitivity
from equipoise.theory.rounding import up
from equipoise.theory.sensitivity import sums_rounding

Array = npt.NDArray[np.float64]

LEAST_FLOOR = 0.5
"""Over the longest that noise alone makes a direction: what is added to cleaned moments at least, so that no step is
too long."""


def moved(facts: Facts) -> Sensitivity:
    """Δ₂ of the mean of xxᵀ/B²: √2/n, attained at right angles; then rounding."""
    change = math.sqrt(2) + 2 * sums_rounding(facts)
    return Sensitivity(up(change / facts.n), "two rows at right angles, in their second moments")


def edge(noise: float, columns: int) -> float:
    """The longest that noise of this size in a stretched triangle makes any direction, about."""
    return noise * math.sqrt(2 * columns)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """As released and cleaned, with a floor in every direction, over B²; and their inverse."""

    square: Array
    inverse: Array

    @classmethod
    def of(cls, noisy: Array, noise: float, floor: float) -> Moments:
        """From moments with noise of this size in their stretched triangle."""
        heights, axes = np.linalg.eigh(noisy)
        lifted = cleaned(heights, noise) + floor
        return cls(np.asarray((axes * lifted) @ axes.T), np.asarray((axes / lifted) @ axes.T))


class Straight:
    """Takes steps of a loss of numbers: of this size, in these moments.

    Whatever was released, a step is finite, and nothing is said of it."""

    def __init__(self, moments: Moments, step_size: float) -> None:
        self.inverse, self._step_size = moments.inverse, step_size

    def next(self, point: Array, gradient: Array, noise: float) -> Array:
        """From a point and its gradient; how large the noise in that is does not matter."""
        with np.errstate(all="ignore"):
            found = point - self._step_size * (self.inverse @ gradient)
        return found if np.isfinite(found).all() else point

    def spread(self, found: Array, flat: float) -> Array:
        """The covariance of a released average, at most, where pushes on flat ground add up to this variance
        (docs/proofs/uncertainty.md, section 5)."""
        return np.asarray(flat * np.linalg.norm(self.inverse, 2) * self.inverse)


def cleaned(heights: Array, noise: float) -> Array:
    """What a matrix of these eigenvalues had along its axes before noise was added, about.

    Noise spreads eigenvalues that lie close; each is moved back by what all others push it away (Bun, Allez, Bouchaud,
    Potters 2016, for additive noise).  Arithmetic on a release.
    """
    columns = len(heights)
    reach = edge(noise, columns)
    apart = heights[:, None] - heights[None, :]
    near = max(reach / math.sqrt(columns), np.finfo(float).tiny ** 0.25)
    pushed = np.mean(apart / (apart**2 + near**2), axis=1)
    return np.asarray(np.maximum(heights - reach**2 / 2 * pushed, 0.0))
