"""What a loss feels of a problem: how it bends around the best scores, and what an error of a score costs there.

Best scores are taken to be normal.  For classes they are log-odds, which a capped loss stretches; for numbers labels
lie around them.  Nothing here touches privacy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from equipoise.theory.losses import CappedLogistic, Link, Logistic, Loss, is_regression
from equipoise.theory.losses.links import OF_MANY, OF_TWO, log_odds

Array = npt.NDArray[np.float64]

_NORMAL = np.linspace(-5.0, 5.0, 401)
_CHANCE = np.exp(-(_NORMAL**2) / 2) / np.sum(np.exp(-(_NORMAL**2) / 2))

_SKEWED = np.linspace(-2.0, 7.0, 451)
_SKEWED_CHANCE = (_SKEWED + 2) ** 3 * np.exp(-2 * (_SKEWED + 2))
_SKEWED_CHANCE = _SKEWED_CHANCE / np.sum(_SKEWED_CHANCE)
"""Mean 0, variance 1, skewness 1: a Gamma law of shape four."""

ON_THE_WAY = 0.25
"""The part of the scores' mean square that is still unexplained when most of the way is walked."""


@dataclass(frozen=True, slots=True)
class Felt:
    """Of one loss and one problem."""

    bend: float
    """Mean curvature."""
    worth: float
    """Second derivative of the task's risk (log-loss, squared error) in the loss's own scores."""
    spread: float
    """Mean square of the slope at the best scores."""
    stretch: float
    """The loss's best scores over the task's."""
    null: float
    """What the best constant costs, in the task's risk."""
    bias: float = 0.0
    """Squared error of every score that no record or noise level mends: a middle that is not the mean."""
    held: float = 1.0
    """What is left of a slope at the start of a walk; minimisers are far from there."""


@lru_cache(maxsize=512)
def felt(loss: Loss, spread: float, off: float, noise: float) -> Felt:
    """Scores of this spread, so far from zero on average, and labels of this spread around them."""
    if is_regression(loss):
        return _by_numbers(loss, spread, off, noise)
    if loss.traits.link in OF_TWO:
        return _by_classes(loss, spread)
    if loss.traits.link in OF_MANY:
        return _by_many(loss, spread)
    usual = loss.traits.usual
    return Felt(usual.curvature, usual.curvature, 0.5, 1.0, _by_classes(Logistic(), spread).null)


def _by_numbers(loss: Loss, spread: float, off: float, noise: float) -> Felt:
    on_the_way = np.sqrt(noise**2 + ON_THE_WAY * (spread**2 + off**2)) * _NORMAL
    label = np.zeros_like(_NORMAL)
    bend = float(np.sum(_CHANCE * loss.curvature(on_the_way, label)))
    slope = loss.slope(noise * _NORMAL, label)
    return Felt(max(bend, 1e-12), 2.0, float(np.sum(_CHANCE * slope**2)), 1.0, spread**2, _middle(loss, noise) ** 2)


def _middle(loss: Loss, noise: float) -> float:
    """Where the loss puts the middle of labels that have mean 0, this spread and a longer tail on one side."""
    low, high = -noise, noise
    for _ in range(30):
        at = (low + high) / 2
        pulled = float(np.sum(_SKEWED_CHANCE * loss.slope(np.full_like(_SKEWED, at), noise * _SKEWED)))
        low, high = (at, high) if pulled < 0 else (low, at)
    return (low + high) / 2


def _by_classes(loss: Loss, spread: float) -> Felt:
    """Log-odds t have the best score s with log_odds(s) = t; an error of s is one of t by the link's slope."""
    scores = np.linspace(-40.0, 40.0, 16001)
    odds = log_odds(scores, loss.traits.cap)
    best = np.interp(spread * _NORMAL, odds, scores)
    slope_of_link = np.interp(best, scores, np.gradient(odds, scores))
    chance = expit(spread * _NORMAL)
    one, other = np.ones_like(best), -np.ones_like(best)
    bends = chance * loss.curvature(best, one) + (1 - chance) * loss.curvature(best, other)
    slopes = chance * loss.slope(best, one) ** 2 + (1 - chance) * loss.slope(best, other) ** 2
    bend, worth = float(np.sum(_CHANCE * bends)), float(np.sum(_CHANCE * chance * (1 - chance) * slope_of_link**2))
    stretch = float(np.sqrt(np.sum(_CHANCE * best**2)) / spread)
    bias = _misfit(chance, stretch * spread * _NORMAL, loss.traits.cap)
    return Felt(bend, worth, float(np.sum(_CHANCE * slopes)), stretch, _constant(chance), 2 * bias / worth)


def _misfit(chance: Array, scores: Array, cap: float) -> float:
    """Log-loss of scores that are linear where the best ones are not: log-odds that are linear in the rows ask a capped
    loss for scores that are not."""
    odds = log_odds(scores, cap)
    told = expit(odds)
    return float(np.sum(_CHANCE * (chance * np.log(chance / told) + (1 - chance) * np.log((1 - chance) / (1 - told)))))


def _constant(chance: Array) -> float:
    """Log-loss of the best constant beyond the best."""
    middle = float(np.sum(_CHANCE * chance))
    best = np.sum(_CHANCE * (chance * np.log(chance) + (1 - chance) * np.log1p(-chance)))
    return float(best - middle * np.log(middle) - (1 - middle) * np.log1p(-middle))


def _by_many(loss: Loss, spread: float) -> Felt:
    """As two classes at a time, further apart the more there are to tell; in orthonormal scores a margin is √2 of one,
    and equal chances bend by 1/K."""
    cap, classes = loss.traits.cap, loss.outputs + 1
    wider = math.sqrt(math.log2(classes))
    two = _by_classes(Logistic() if cap >= 1 else CappedLogistic(cap), spread * wider)
    scale, stretch = 4 / classes, two.stretch * wider / math.sqrt(2)
    worth, spread = two.worth * scale, two.spread * scale
    return Felt(two.bend * scale, worth, spread, stretch, two.null, two.bias / 2, _held(loss))


def _held(loss: Loss) -> float:
    """What is left of a slope while all classes are as likely: two classes' caps do nothing then, with more they do."""
    cap, lacking = loss.traits.cap, 1 - 1 / (loss.outputs + 1)
    return min(1.0, cap * math.sqrt(2 / lacking) if loss.traits.link is Link.CLIPPED_SOFTMAX else cap / lacking)
