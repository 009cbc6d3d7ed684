"""What one record can move in the mean expected loss of private answers, and how the charge for measuring is shared.

If one answer is private, the chance that it is wrong hardly depends on any one training record: it moves by at most the
total variation that the answer's guarantee allows.  Proofs: docs/proofs/advice.md.
"""

from __future__ import annotations

import math
from functools import singledispatch

from scipy.special import ndtr

from equipoise._checks import fraction, shown, whole
from equipoise.errors import MechanismRefused
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Event,
    GaussianRelease,
    PureRelease,
)
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Noise
from equipoise.theory.rounding import FORMULA, down, up
from equipoise.theory.tables.calibration import mean_interval, noise_reach

ROUNDING = 2.0**-40
"""How far a loss computed in doubles is from the exact one, with room for all that is done to it; so is their mean."""

FIT_SHARE = 0.5
ANSWERS_SHARE = 0.4
"""Of the charge's ε: the pilot's fit, which has all of δ, and the answers' figure; the rest is the pilot's figure."""

LEVEL = 0.95
WIDEST = 0.25
"""A figure that would be known less closely than this either way is warned of."""


@singledispatch
def total_variation(event: Event) -> float:
    """By how much one record can change the mean of any function within [0, 1] of one answer."""
    raise MechanismRefused(f"{type(event).__name__}: no bound on the change of a chance is known for it")


@total_variation.register
def _(event: PureRelease) -> float:
    _one(event.steps)
    return _up(math.tanh(event.epsilon / 2))


@total_variation.register
def _(event: BoundedRangeRelease) -> float:
    _one(event.steps)
    return _up(math.tanh(event.eta / 4))


@total_variation.register
def _(event: GaussianRelease) -> float:
    _one(event.steps)
    return _up(float(ndtr(event.mu / 2) - ndtr(-event.mu / 2)))


@total_variation.register
def _(event: ApproximateRelease) -> float:
    return _up(math.tanh(event.epsilon / 2) + 2 * event.delta / (1 + math.exp(min(event.epsilon, 700.0))))


def of_mean_expected_loss(moved: float, records: int) -> float:
    """How far the mean over `records` held-out rows moves when one of them and one training record are replaced.

    `moved` is what a training record does to the expected loss of each row: 0 for a model that is released already.
    """
    return up(moved + 1 / whole(records=records) + 2 * ROUNDING, FORMULA)


def shares(charge: Budget) -> tuple[Budget, float, float]:
    """The pilot's fit, the ε of the answers' figure and that of the pilot's: together they are the charge."""
    fit, answers = charge.epsilon * FIT_SHARE, charge.epsilon * ANSWERS_SHARE
    return Budget(fit, charge.delta), answers, down(charge.epsilon - fit - answers)


def interval(mean: float, records: int, noise: Noise, level: float = LEVEL) -> tuple[float, float]:
    """For the mean loss of the population: one half of the error chance for the noise, the other for the sample."""
    chance = (1 - fraction(level=level)) / 2
    return mean_interval(mean, records, noise_reach(noise, chance), chance)


def half_width(records: int, noise: Noise, level: float = LEVEL) -> float:
    """The most that such an interval reaches either way, before its ends are brought within [0, 1]: Hoeffding."""
    chance = (1 - level) / 2
    return noise_reach(noise, chance) + math.sqrt(math.log(2 / chance) / (2 * whole(records=records)))


def _one(steps: int) -> None:
    if steps != 1:
        raise MechanismRefused(f"steps={shown(steps)}: the bound is for one answer")


def _up(value: float) -> float:
    return min(1.0, up(value, FORMULA))
