"""What is paid for: every kind of release that the gate makes, as the event that is debited for it.

Gate and estimators call these with public facts; nobody outside theory/ makes an event or reckons with slack.
Searches and repeated runs have files of their own (searches.py, runs.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from equipoise._checks import whole
from equipoise.theory.accounting.room import gaussian_rate, gaussian_room, shift_for, within_reach
from equipoise.theory.accounting.slack import delta_numeric, gaussian_on_grid
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    Event,
    GaussianRelease,
    PureRelease,
)
from equipoise.theory.rounding import FORMULA, ONE_STEP, down, up

LARGEST_JOINT_DELTA = 2.0**-10
"""What arithmetic adds to the δ of many answers is stated for totals at any δ up to this."""

MOST_ROUNDS = 256
"""Beyond so many rounds their joint price is told by adding up, which is more than it is."""


def pure_release(epsilon: float, numeric: float = 0.0) -> PureRelease:
    """Noise, or several kinds of it that share ε; `numeric` is what the law as drawn adds to δ."""
    return PureRelease(epsilon, numeric)


def pure_answers(epsilon: float, count: int) -> PureRelease:
    """So many answers or choices at ε each, drawn exactly."""
    return PureRelease(epsilon, steps=count)


def bounded_range_answers(epsilon: float, count: int) -> BoundedRangeRelease:
    """So many answers of the exponential mechanism's kind at ε each, drawn exactly."""
    return BoundedRangeRelease(epsilon, steps=count)


def promised(epsilon: float, delta: float = 0.0, numeric: float = 0.0) -> PureRelease | ApproximateRelease:
    """A mechanism known by its (ε, δ) alone, pure where δ is zero: a tilted objective, a choice by stability,
    counts above a threshold."""
    return ApproximateRelease(epsilon, delta, numeric) if delta > 0 else pure_release(epsilon, numeric)


def gaussian_release(epsilon: float, delta: float, dim: int) -> GaussianRelease:
    """Gaussian noise on `dim` numbers, calibrated for (ε, δ)."""
    room = gaussian_room(epsilon, delta, dim)
    return GaussianRelease(shift_for(room.epsilon, delta), 1, room.delta_numeric, room.epsilon_numeric)


def gaussian_steps(epsilon: float, delta: float, dim: int, steps: int) -> GaussianRelease:
    """So many adaptive releases of `dim` numbers that share one (ε, δ): an equal μ for each."""
    room = gaussian_room(epsilon, delta, dim, steps)
    mu = down(shift_for(room.epsilon, delta) / math.sqrt(steps), FORMULA)
    return GaussianRelease(mu, steps, room.delta_numeric, room.epsilon_numeric)


def gaussian_answers(epsilon: float, delta: float, dim: int, count: int) -> GaussianRelease:
    """`count` answers of `dim` numbers at (ε, δ) each: Gaussian privacy composes exactly, the slack is that of all
    numbers jointly."""
    slack, mu = gaussian_on_grid(whole(count=count) * dim), gaussian_rate(epsilon, delta, dim)
    numeric = delta_numeric(within_reach(epsilon), slack, max(delta, LARGEST_JOINT_DELTA))
    return GaussianRelease(mu, count, numeric, slack.epsilon)


def consensus_round(epsilon: float, delta: float) -> ApproximateRelease:
    """Settled answers and at most one contested one, under one noisy line."""
    return ApproximateRelease(epsilon, delta)


def consensus_rounds(one: ApproximateRelease, rounds: int) -> Event:
    """So many of them, each at the same price."""
    if rounds <= MOST_ROUNDS:
        return one if rounds == 1 else Composed((one,) * rounds)
    return ApproximateRelease(up(rounds * one.epsilon, ONE_STEP), min(1 - 1e-9, up(rounds * one.delta, ONE_STEP)))


def told_at(events: Sequence[Event], delta: float) -> float:
    """The δ at which to tell their total: this one, or what rounds of consensus add up to where that is more."""
    rounds = math.fsum(event.delta for event in events if isinstance(event, ApproximateRelease))
    return max(delta, min(up(rounds, FORMULA), 1 - 1e-9))


def choice_then_fit(choice: Event, fit: Event) -> Composed:
    """Which candidate won, and a fit of it that is let out, which may have had a choice before it."""
    return Composed((choice, *(fit.parts if isinstance(fit, Composed) else (fit,))))


def fit_then_figures(fit: Event, *figures: float) -> Composed:
    """A model that is let out, and noisy figures at these ε beside it."""
    return Composed((fit, *(pure_release(epsilon) for epsilon in figures)))
