"""Where a step of classes should end: as far along its direction as normal scores would have it.

A loss of classes flattens out.  Far from zero it hardly bends along the coefficients themselves, and steps that suit
every other direction take hundreds to find their length.  But of normal scores it is known which gradient coefficients
of any length would have (`theory/normal_scores.py`).  So the length is what goes with the gradient that was seen, as
far as its noise lets that be known.  Where scores are not normal the next step sets it right: a point whose gradient is
zero stays where it is.  All of it is arithmetic on released numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.theory.losses import Loss
from equipoise.theory.metric import Moments
from equipoise.theory.normal_scores import LEAST, Shape, scores_of

Array = npt.NDArray[np.float64]

FARTHEST = math.log(4.0)
"""No step makes coefficients longer or shorter than by this factor, in logarithms."""

HALVINGS = 16

AT_FIRST, SINCE = 1.0, 0.01
"""Variance of the logarithm of the right length: before anything is seen, and what each step adds to what is left."""

LONGEST = 8.0
"""The factor by which steps may be longer than planned, where scores are far out."""

MEMORY = 0.8
"""What each step leaves of the weight of the gradients before: what points the same way for long is no noise."""

BEYOND = 3.0
"""Noise that a lasting gradient has to exceed, in squares, before steps along it become longer."""

TOO_FAR = -0.5
"""What is left of a gradient along a step, below which that was too long."""

LARGEST = 1e50
"""Of a gradient in units of the row norm: squares of what comes of it are still doubles."""


@dataclass(slots=True, eq=False)
class Lasting:
    """The last few gradients added up, each by how long ago it was, and the variance of the noise in that."""

    total: Array
    variance: float = 0.0

    def learn(self, gradient: Array, noise: float) -> None:
        self.total = MEMORY * self.total + (1 - MEMORY) * gradient
        self.variance = MEMORY**2 * self.variance + ((1 - MEMORY) * noise) ** 2

    def seen(self, along: Callable[[Array], Array]) -> Array:
        """The part of it that is more than noise, along each of some directions of length one."""
        squares, heard = along(self.total) ** 2, BEYOND * self.variance
        return np.where(squares > heard, 1 - heard / np.maximum(squares, heard), 0.0)


class Walker:
    """For rows of these moments and norm, with a constant column of this size: takes step after step from zero.

    Inside, rows are in units of their norm.  Whatever was released, a step is finite, and nothing is said of it."""

    def __init__(self, loss: Loss, moments: Moments, norm: float, constant: float, step_size: float) -> None:
        self._outputs, self._moments, self._norm = loss.outputs, moments, norm
        self._scores = scores_of(loss, Shape.of(moments, norm, constant))
        self._step_size, self._longest = step_size * norm**2, LONGEST
        self._unsure, self._taken = AT_FIRST, 1.0
        self._squares, self._directions = np.linalg.eigh(moments.inverse)
        self._lasting = Lasting(np.zeros(self._outputs * len(self._squares)))
        self._before: tuple[Array, float] | None = None

    def next(self, point: Array, gradient: Array, noise: float) -> Array:
        """From a point and its gradient, with noise of this size: a step in the metric, longer where the loss hardly
        bends and gradients have been more than noise, then stretched to the length that normal scores ask for.  A step
        goes along the noise, too, so what it seems to meet has to be less that."""
        with np.errstate(all="ignore"):
            seen = np.clip(gradient / self._norm, -LARGEST, LARGEST)
            found = self._next(point * self._norm, seen, min(noise / self._norm, LARGEST)) / self._norm
        return found if np.isfinite(found).all() else point

    def _next(self, point: Array, gradient: Array, noise: float) -> Array:
        self._look_back(gradient)
        self._lasting.learn(gradient, noise)
        axes, longest = self._longer(point)
        longer = 1 + self._lasting.seen(lambda each: self._along(axes, each)) * (longest[:, None] - 1)
        self._taken = max(self._taken, float(longer.max()))
        size = self._step_size * longer * self._squares
        step: Array = axes @ (size * self._along(axes, gradient)) @ self._directions.T
        ahead: Array = point - step.reshape(-1)
        met = float(ahead @ gradient) + noise**2 * float(np.sum(size))
        found: Array = ahead * self._stretch(point, ahead, met, noise)
        self._before = found - point, float((found - point) @ gradient)
        return found

    def _along(self, axes: Array, gradient: Array) -> Array:
        """Its part along each of these directions of scores, and along each direction of the metric."""
        return np.asarray(axes.T @ self._each(gradient) @ self._directions)

    def spread(self, found: Array, flat: float) -> Array:
        """The covariance of a released average, where pushes on flat ground add up to this variance: each counts by the
        longest step taken, and how long the coefficients should be is known as well as it is
        (docs/proofs/uncertainty.md, section 5).  Of several scores the variances alone: none of a class's coefficient,
        which is a sum over scores, is larger than what they say."""
        inverse = self._moments.inverse
        pushed = self._taken**2 * flat * np.linalg.norm(inverse, 2) * inverse
        if self._outputs == 1:
            return np.asarray(pushed + self._unsure * np.outer(found, found))
        length = self._unsure * np.sum(self._each(found) ** 2, axis=0)
        return np.tile(np.diagonal(pushed) + length, self._outputs)

    def _each(self, numbers: Array) -> Array:
        """A row for each score."""
        return numbers.reshape(self._outputs, -1)

    def _look_back(self, gradient: Array) -> None:
        """Where a gradient has turned against the step that was taken along the one before, steps become shorter."""
        if self._before is not None:
            step, was = self._before
            if was < 0 and float(step @ gradient) > TOO_FAR * was:
                self._longest = max(1.0, self._longest / 2)

    def _longer(self, point: Array) -> tuple[Array, Array]:
        """Than usual, where scores are so far out that the loss hardly bends any more: along these directions of
        scores, by so much each."""
        axes, flatness = self._scores.flatness(point)
        return axes, np.clip(np.nan_to_num(flatness, nan=1.0), 1.0, self._longest)

    def _stretch(self, point: Array, ahead: Array, pulled: float, noise: float) -> float:
        """The factor k at which normal scores would have been `pulled` like this.  What is known of log k already
        counts by how sure that is."""
        expected = self._scores.pull(point, ahead)
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
