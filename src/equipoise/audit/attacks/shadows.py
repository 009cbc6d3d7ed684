"""Scores for membership inference that take more than one look: shadow models, and asking again and again."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from equipoise._checks import not_negative, whole
from equipoise.audit.attacks.agreement import Rows, Target
from equipoise.errors import InvalidInput
from equipoise.gate.order import random_order

Array = npt.NDArray[np.float64]
Train = Callable[[Rows, Rows], Any]
Fit = Callable[[Target, Rows, Rows], Array]

BORROWED = 8.0
"""Models' worth of weight given to the spread over all people: a person's own is poorly known from few models."""


class Bits(Protocol):
    """A source of uniform 64-bit words."""

    @property
    def seeded(self) -> bool: ...

    def words(self, count: int) -> npt.NDArray[np.uint64]: ...

    def spawn(self) -> Any: ...


def likelihood_ratios(
    target: Target, X: Rows, y: Rows, train: Train, shadows: int, fit: Fit, bits: Bits, offline: bool
) -> Array:
    """Carlini et al. 2022: how much likelier the target's answer is among models that saw the person.

    Shadow models come in pairs trained on a random half of the people and on the other half, so everybody is in
    exactly half of them.  The answers of models that did, and did not, see a person are taken as two Gaussians.
    """
    if whole(shadows=shadows) < 4 or shadows % 2:
        raise InvalidInput(f"shadows={shadows}: must be an even number >= 4")
    scores, seen = np.empty((shadows, len(y))), np.zeros((shadows, len(y)), dtype=bool)
    for pair in range(shadows // 2):
        order = random_order(len(y), bits)
        halves = order[: len(y) // 2], order[len(y) // 2 :]
        for place, half in enumerate(halves):
            row = 2 * pair + place
            seen[row, half] = True
            scores[row] = fit(train(X[half], y[half]), X, y)
    observed = fit(target, X, y)
    out = _log_density(observed, scores, ~seen)
    if offline:
        mean, spread = _gaussian(scores, ~seen)
        return (observed - mean) / spread
    return _log_density(observed, scores, seen) - out


def _log_density(observed: Array, scores: Array, chosen: npt.NDArray[np.bool_]) -> Array:
    mean, spread = _gaussian(scores, chosen)
    return -(((observed - mean) / spread) ** 2) / 2 - np.log(spread)


def _gaussian(scores: Array, chosen: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """Mean and spread of each person's scores among the chosen models."""
    count = chosen.sum(axis=0)
    mean = np.sum(scores * chosen, axis=0) / count
    squares = np.sum((scores - mean) ** 2 * chosen, axis=0)
    common = float(np.sum(squares) / np.sum(count - 1))
    variance = (squares + BORROWED * common) / (count - 1 + BORROWED)
    return mean, np.sqrt(np.maximum(variance, 1e-18))


def repeated_agreement(
    target: Target, X: Rows, y: Rows, queries: int, jitter: float, fit: Fit, bits: Bits
) -> Array:  # fmt: skip
    """The mean agreement over several askings, near the record if `jitter` > 0 (Choquette-Choo et al. 2021)."""
    total = np.zeros(len(y))
    for _ in range(whole(queries=queries)):
        total += fit(target, X if not_negative(jitter=jitter) == 0 else X + jitter * _gaussians(X.shape, bits), y)
    return total / queries


def _gaussians(shape: tuple[int, ...], bits: Bits) -> Array:
    words = bits.words(math.prod(shape)) >> np.uint64(11)
    return np.asarray(ndtri((words.astype(np.float64) + 0.5) * 2.0**-53)).reshape(shape)
