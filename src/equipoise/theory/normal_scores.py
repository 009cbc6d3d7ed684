"""What normal scores would do: how a loss of classes bends at them, and how far coefficients of any length are pulled.

Scores are sums of many things, so about normal, with a mean and a spread that released moments tell.  Whoever takes
steps in a metric (`theory/aiming.py`) asks here.  All of it is arithmetic on released numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri, softmax

from equipoise.theory.losses import Loss
from equipoise.theory.losses.links import log_odds, probabilities
from equipoise.theory.losses.softmax import Softmax, zero_sum_basis
from equipoise.theory.metric import Moments

Array = npt.NDArray[np.float64]

_NORMAL = np.linspace(-5.0, 5.0, 101)
_CHANCE = np.exp(-(_NORMAL**2) / 2) / np.sum(np.exp(-(_NORMAL**2) / 2))

POINTS = 512
"""At which means over several scores are taken."""

USUAL = 1.5
"""Spread of scores up to which steps are as long as they were planned."""

LEAST = 1e-9
"""Of a spread of scores, so that nothing is divided by zero."""

FARTHEST = 1e20
"""Of scores: beyond it nothing changes any more, and no arithmetic fails."""

Pull = Callable[[float], float]
"""From the logarithm of a factor k: the mean of slope(scores here)·(scores ahead), where labels have the chances of k
times the scores ahead.  It falls with k."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """How rows are spread, in units of their norm, as moments tell: what they count on average, and their mean."""

    square: Array
    mean: Array
    mass: float = 1.0

    @classmethod
    def of(cls, moments: Moments, norm: float, constant: float) -> Shape:
        """The square of a constant column tells what records count on average, its products their mean."""
        if not constant > 0:
            return cls(moments.square, np.zeros(len(moments.square)))
        mass = float(np.clip(moments.square[-1, -1] * (norm / constant) ** 2, 0.5, 4.0))
        return cls(moments.square, moments.square[-1] * (norm / constant / mass), mass)

    def product(self, v: Array, w: Array) -> float:
        return float(v @ self.square @ w)

    def law(self, w: Array) -> tuple[float, float]:
        """Mean and spread of the scores of these coefficients."""
        mean = float(self.mean @ w)
        return mean, math.sqrt(max(self.product(w, w) / self.mass - mean**2, LEAST**2))

    def scores(self, each: Array) -> Array:
        """(points, scores): normal ones of these rows of coefficients, as they go together."""
        mean = np.clip(np.nan_to_num(each @ self.mean), -FARTHEST, FARTHEST)
        spread = each @ self.square @ each.T / self.mass - np.outer(mean, mean)
        squares, axes = np.linalg.eigh(np.clip(np.nan_to_num(spread), -(FARTHEST**2), FARTHEST**2))
        root = (axes * np.sqrt(np.maximum(squares, LEAST**2))) @ axes.T
        return np.asarray(mean + normal_points(len(each)) @ root)


class Scores(Protocol):
    """Of a loss of classes, for rows of some shape."""

    def flatness(self, point: Array) -> tuple[Array, Array]:
        """By how much the loss bends less than usual at the scores of a point: along which directions of scores, as
        columns, and by which factor along each."""
        ...

    def pull(self, point: Array, ahead: Array) -> Pull:
        """On the way from one point to another."""
        ...


def scores_of(loss: Loss, shape: Shape) -> Scores:
    """By how many scores a row has."""
    return OneScore(loss, shape) if loss.outputs == 1 else SeveralScores(loss, shape)


class OneScore:
    """Two classes: means over one normal score, and over what is left of another."""

    def __init__(self, loss: Loss, shape: Shape) -> None:
        self._loss, self._shape = loss, shape

    def flatness(self, point: Array) -> tuple[Array, Array]:
        return np.ones((1, 1)), np.array([self._bend(0.0, USUAL) / self._bend(*self._shape.law(point))])

    def _bend(self, mean: float, spread: float) -> float:
        """Mean curvature at normal scores, of labels that have their chances."""
        scores = mean + spread * _NORMAL
        chance, one = expit(log_odds(scores, self._loss.traits.cap)), np.ones_like(scores)
        bends = chance * self._loss.curvature(scores, one) + (1 - chance) * self._loss.curvature(scores, -one)
        return max(float(_CHANCE @ bends), LEAST)

    def pull(self, point: Array, ahead: Array) -> Pull:
        scores, no, yes = self._slopes(point, ahead)

        def expected(log_k: float) -> float:
            chance = expit(log_odds(math.exp(log_k) * scores, self._loss.traits.cap))
            return self._shape.mass * float(_CHANCE @ (scores * (no + chance * (yes - no))))

        return expected

    def _slopes(self, point: Array, ahead: Array) -> tuple[Array, Array, Array]:
        """Scores ahead, and at each of them the mean slope here of either label."""
        here, there = self._shape.law(point), self._shape.law(ahead)
        shared = self._shape.product(point, ahead) / self._shape.mass - here[0] * there[0]
        scores = there[0] + there[1] * _NORMAL
        along = shared / there[1] ** 2
        left = math.sqrt(max(here[1] ** 2 - along**2 * there[1] ** 2, 0.0))
        before = here[0] + along * (scores - there[0])[:, None] + left * _NORMAL
        one = np.ones_like(before)
        return scores, self._loss.slope(before, -one) @ _CHANCE, self._loss.slope(before, one) @ _CHANCE


class SeveralScores:
    """More classes: means over points that are spread as a normal law of so many scores is."""

    def __init__(self, loss: Loss, shape: Shape) -> None:
        self._loss, self._shape, self._classes = loss, shape, loss.outputs + 1
        self._usual = float(np.trace(self._bend(USUAL * normal_points(loss.outputs)))) / loss.outputs

    def flatness(self, point: Array) -> tuple[Array, Array]:
        """A class that is rare hardly bends the loss, however often the others are met."""
        bends, axes = np.linalg.eigh(self._bend(self._shape.scores(self._rows(point))))
        return axes, self._usual / np.maximum(bends, LEAST)

    def pull(self, point: Array, ahead: Array) -> Pull:
        both = self._shape.scores(np.concatenate([self._rows(ahead), self._rows(point)]))
        scores, here = both[:, : self._loss.outputs], both[:, self._loss.outputs :]
        turned = scores @ zero_sum_basis(self._classes)
        met = [np.einsum("na,na->n", self._loss.slope(here, label), scores) for label in self._labels(here)]
        pulls = np.stack(met, axis=1)

        def expected(log_k: float) -> float:
            chances = self._chances(math.exp(log_k) * turned)
            return self._shape.mass * float(np.einsum("nk,nk->", chances, pulls)) / len(pulls)

        return expected

    def _bend(self, scores: Array) -> Array:
        """Mean curvature, of labels that have their chances: softmax's, as far as slopes are not shortened."""
        basis = zero_sum_basis(self._classes)
        turned = scores @ basis
        chances, p = self._chances(turned), softmax(turned, axis=1)
        labels, plain = self._labels(scores), Softmax(self._classes)
        kept = [_lengths(self._loss.slope(scores, each)) / _lengths(plain.slope(scores, each)) for each in labels]
        by = p * np.einsum("nk,kn->n", chances, np.array(kept))[:, None] / len(p)
        return np.asarray(basis @ (np.diag(by.sum(axis=0)) - p.T @ by) @ basis.T)

    def _rows(self, point: Array) -> Array:
        return point.reshape(self._loss.outputs, -1)

    def _labels(self, scores: Array) -> list[Array]:
        return [np.full(len(scores), float(label)) for label in range(self._classes)]

    def _chances(self, turned: Array) -> Array:
        return probabilities(turned, self._loss.traits.cap, self._loss.traits.link)


def _lengths(slopes: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("na,na->n", slopes, slopes)) + LEAST)


@lru_cache(maxsize=32)
def normal_points(dimensions: int) -> Array:
    """(points, dimensions), the same ones for everybody: as even as multiples of one irrational vector are, and with
    each point its opposite.  The vector is made of powers of the root of x^(d+1) = x + 1."""
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (dimensions + 1))
    steps = root ** -np.arange(1.0, dimensions + 1)
    even = (0.5 + np.outer(np.arange(1, POINTS // 2 + 1), steps)) % 1.0
    half = ndtri(np.clip(even, 1e-6, 1 - 1e-6))
    found = np.concatenate([half, -half])
    squares, axes = np.linalg.eigh(found.T @ found / POINTS)  # then their second moments are the law's own
    points: Array = np.asarray(found @ (axes / np.sqrt(squares)) @ axes.T, dtype=np.float64)
    points.setflags(write=False)
    return points
