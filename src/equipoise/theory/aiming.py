"""Where a step of two classes should end: as far along its direction as normal scores would have it.

A loss of classes flattens out.  Far from zero it hardly bends along the coefficients themselves, and steps that suit
every other direction take hundreds to find their length.  But scores are sums of many things, so about normal, with a
mean and a spread that released moments tell; and of normal scores it is known which gradient coefficients of any length
would have.  So the length is what goes with the gradient that was seen, as far as its noise lets that be known.  Where
scores are not normal the next step sets it right: a point whose gradient is zero stays where it is.  All of it is
arithmetic on released numbers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from equipoise.theory.losses import Loss
from equipoise.theory.losses.links import log_odds
from equipoise.theory.metric import Moments

Array = npt.NDArray[np.float64]

_NORMAL = np.linspace(-5.0, 5.0, 101)
_CHANCE = np.exp(-(_NORMAL**2) / 2) / np.sum(np.exp(-(_NORMAL**2) / 2))

FARTHEST = math.log(4.0)
"""No step makes coefficients longer or shorter than by this factor, in logarithms."""

HALVINGS = 30

AT_FIRST, SINCE = 1.0, 0.01
"""Variance of the logarithm of the right length: before anything is seen, and what each step adds to what is left."""

USUAL, LONGEST = 1.5, 8.0
"""Spread of scores up to which steps are as long as they were planned, and the factor by which they may be longer."""

TOO_FAR = -0.5
"""What is left of a gradient along a step, below which that was too long."""

LARGEST = 1e50
"""Of a gradient in units of the row norm: squares of what comes of it are still doubles."""

LEAST = 1e-9
"""Of a spread of scores, so that nothing is divided by zero."""


class Walker:
    """For rows of these moments and norm, with a constant column of this size: takes step after step from zero.

    Inside, rows are in units of their norm.  Whatever was released, a step is finite, and nothing is said of it."""

    def __init__(self, loss: Loss, moments: Moments, norm: float, constant: float, step_size: float) -> None:
        self._loss, self._moments, self._norm = loss, moments, norm
        self._step_size, self._longest = step_size * norm**2, LONGEST
        self._unsure, self._taken = AT_FIRST, 1.0
        self._before: tuple[Array, float] | None = None
        self._mass, self._mean = 1.0, np.zeros(len(moments.square))
        if constant > 0:  # its square tells what records count on average, its products their mean
            self._mass = float(np.clip(moments.square[-1, -1] * (norm / constant) ** 2, 0.5, 4.0))
            self._mean = moments.square[-1] * (norm / constant / self._mass)

    def next(self, point: Array, gradient: Array, noise: float) -> Array:
        """From a point and its gradient, with noise of this size: a step in the metric, longer where the loss hardly
        bends and the gradient is more than noise, then stretched to the length that normal scores ask for.  A step goes
        along the noise, too, so what it seems to meet has to be less that."""
        with np.errstate(all="ignore"):
            seen = np.clip(gradient / self._norm, -LARGEST, LARGEST)
            found = self._next(point * self._norm, seen, min(noise / self._norm, LARGEST)) / self._norm
        return found if np.isfinite(found).all() else point

    def _next(self, point: Array, gradient: Array, noise: float) -> Array:
        self._look_back(gradient)
        step, heard = self._moments.inverse @ gradient, noise**2 * float(np.trace(self._moments.inverse))
        told = float(gradient @ step)
        seen = 1 - heard / told if told > heard else 0.0
        longer = 1 + seen * (self._longer(point) - 1)
        self._taken = max(self._taken, longer)
        size = self._step_size * longer
        ahead = point - size * step
        found = ahead * self._stretch(point, ahead, float(ahead @ gradient) + size * heard, noise)
        self._before = found - point, float((found - point) @ gradient)
        return found

    def spread(self, found: Array, flat: float) -> Array:
        """The covariance of a released average, where pushes on flat ground add up to this variance: each counts by the
        longest step taken, and how long the coefficients should be is known as well as it is
        (docs/proofs/uncertainty.md, section 5)."""
        inverse = self._moments.inverse
        along = self._unsure * np.outer(found, found)
        return np.asarray(self._taken**2 * flat * np.linalg.norm(inverse, 2) * inverse + along)

    def _look_back(self, gradient: Array) -> None:
        """Where a gradient has turned against the step that was taken along the one before, steps become shorter."""
        if self._before is not None:
            step, was = self._before
            if was < 0 and float(step @ gradient) > TOO_FAR * was:
                self._longest = max(1.0, self._longest / 2)

    def _longer(self, point: Array) -> float:
        """Than usual, where scores are so far out that the loss hardly bends any more."""
        return min(self._longest, max(1.0, self._bend(0.0, USUAL) / self._bend(*self._law(point))))

    def _bend(self, mean: float, spread: float) -> float:
        """Mean curvature at normal scores, of labels that have their chances."""
        scores = mean + spread * _NORMAL
        chance, one = expit(log_odds(scores, self._loss.traits.cap)), np.ones_like(scores)
        bends = chance * self._loss.curvature(scores, one) + (1 - chance) * self._loss.curvature(scores, -one)
        return max(float(_CHANCE @ bends), LEAST)

    def _stretch(self, point: Array, ahead: Array, pulled: float, noise: float) -> float:
        """Where labels have the chances of scores k·⟨ahead, x⟩, the mean of slope(⟨point, x⟩)·⟨ahead, x⟩ falls with k;
        it was `pulled`.  What is known of log k already counts by how sure that is."""
        scores, no, yes = self._slopes(point, ahead)

        def expected(log_k: float) -> float:
            chance = expit(log_odds(math.exp(log_k) * scores, self._loss.traits.cap))
            return self._mass * float(_CHANCE @ (scores * (no + chance * (yes - no))))

        low, high = -FARTHEST, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if expected(middle) > pulled else (low, middle)
        found = (low + high) / 2
        falls = max(expected(found - 0.1) - expected(found + 0.1), LEAST) / 0.2
        error = (noise * float(np.linalg.norm(ahead)) / falls) ** 2
        trust = self._unsure / (self._unsure + error)
        self._unsure = self._unsure * (1 - trust) + SINCE
        return math.exp(trust * found)

    def _slopes(self, point: Array, ahead: Array) -> tuple[Array, Array, Array]:
        """Scores ahead, and at each of them the mean slope here of either label."""
        here, there = self._law(point), self._law(ahead)
        shared = self._product(point, ahead) / self._mass - here[0] * there[0]
        scores = there[0] + there[1] * _NORMAL
        along = shared / there[1] ** 2
        left = math.sqrt(max(here[1] ** 2 - along**2 * there[1] ** 2, 0.0))
        before = here[0] + along * (scores - there[0])[:, None] + left * _NORMAL
        one = np.ones_like(before)
        return scores, self._loss.slope(before, -one) @ _CHANCE, self._loss.slope(before, one) @ _CHANCE

    def _law(self, w: Array) -> tuple[float, float]:
        """Mean and spread of the scores of these coefficients."""
        mean = float(self._mean @ w)
        return mean, math.sqrt(max(self._product(w, w) / self._mass - mean**2, LEAST**2))

    def _product(self, v: Array, w: Array) -> float:
        return float(v @ self._moments.square @ w)
