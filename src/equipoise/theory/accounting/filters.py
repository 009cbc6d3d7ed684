"""Totals that hold when prices are chosen as one goes.  Proofs: docs/proofs/accounting.md, section 7.

The first reservation of an account, its *opening*, was chosen before anything was seen and is composed exactly.  What
follows is judged by two filters, fixed by then: sums of ε, and Rényi divergences at one order.  A release is accepted
if either filter has room, so their shares of δ add up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

import numpy as np

from equipoise.theory.accounting.compose import costs_of, epsilon_numeric, simple, total_epsilon, total_within
from equipoise.theory.accounting.convert import ORDERS_LESS_ONE, epsilon_of, renyi_curve
from equipoise.theory.accounting.parts import exact_sum, sum_or_inf
from equipoise.theory.accounting.search import least
from equipoise.theory.events import Event
from equipoise.theory.extremes import SMALLEST_EPSILON
from equipoise.theory.guarantees import Approximate, BoundedRange, Budget, Measure, Pure
from equipoise.theory.rounding import ONE_STEP, up

# Ten times 0.1 is a little over 1.0 in binary.  Totals may pass the limit by this factor, once and not once per
# entry: docs/proofs/ledger.md says why that is harmless.
SLACK = 1e-12


class Prices(StrEnum):
    """How an account adds up.  A treaty: a rule never changes its meaning, a better one gets another name."""

    ADAPTIVE = "adaptive"  # prices may be chosen as one goes: opening, sums and moments
    SUMS = "sums"  # the same for (ε, δ) releases alone: all of δ is theirs
    FIXED = "fixed"  # the caller's word that every price was settled before the first release: the exact curve


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the δ that the opening leaves: for (ε, δ) releases; for the opening in the sums; for smooth releases in the
    sums, one 64th each; for the moments.  They add up to one."""

    leaks: Fraction
    opening: Fraction
    smooth: Fraction
    moments: Fraction


_EACH = Fraction(1, 64)
SHARES = {
    Prices.ADAPTIVE: Shares(Fraction(3, 8), Fraction(1, 8), Fraction(1, 8), Fraction(3, 8)),
    Prices.SUMS: Shares(Fraction(1), Fraction(0), Fraction(0), Fraction(0)),
}


@dataclass(frozen=True, slots=True)
class Filtered:
    """What the filters make of a history: the smallest ε at which one of them has room, and the δ that is claimed."""

    epsilon: float
    claimed: Fraction
    """By the (ε, δ) releases of the whole history."""
    claimable: Fraction
    """What they may claim at most."""

    def within(self, limit: Budget) -> bool:
        """But for the slack of rounding, relative in both."""
        return self.affordable and self.epsilon <= limit.epsilon * (1 + SLACK)

    @property
    def affordable(self) -> bool:
        return self.claimed <= self.claimable * (1 + Fraction(SLACK))


def filtered(opening: Mapping[Event, int], later: Mapping[Event, int], limit: Budget, rule: Prices) -> Filtered:
    """An opening and what followed it, judged at the limit's δ; the limit's ε only fixes the order of the moments."""
    first, rest = _costs(opening), _costs(later)
    whole, claimed = Fraction(limit.delta), claimed_delta(first)
    if not later:
        return Filtered(_alone(opening, max(limit.delta, float(claimed))), claimed, whole)
    left, shares = max(Fraction(0), whole - claimed), SHARES[rule]
    sums = _sums(opening, rest, left, claimed, shares) + _grid(later)
    moments = _moments(first + rest, left, shares, limit) + _grid(later) + _grid(opening)
    return Filtered(min(sums, moments), claimed + claimed_delta(rest), min(whole, claimed) + left * shares.leaks)


def exact_within(opening: Mapping[Event, int], limit: Budget) -> bool:
    """Whether an opening alone is within the limit, but for the slack.  One look on either side of the limit decides it
    unless the total lies in between, and spares the search for the smallest ε."""
    if claimed_delta(_costs(opening)) > Fraction(limit.delta) * (1 + Fraction(SLACK)):
        return False
    if _proved(opening, limit.epsilon, limit.delta):
        return True
    near = _proved(opening, limit.epsilon * (1 + 3 * SLACK), limit.delta)
    return near and filtered(opening, {}, limit, Prices.FIXED).within(limit)


def _proved(opening: Mapping[Event, int], epsilon: float, delta: float) -> bool:
    costs, numeric = _costs(opening), _grid(opening)
    left = math.nextafter(epsilon - numeric, -math.inf) if numeric > 0 else epsilon
    return numeric < epsilon and total_within(costs, left, max(delta, float(claimed_delta(costs))))


def smallest_limit(opening: Mapping[Event, int], later: Mapping[Event, int], limit: Budget, rule: Prices) -> float:
    """The smallest ε such that an account with this limit, at the same δ, would have let all of it through."""
    here = filtered(opening, later, limit, rule).epsilon
    if not later or not 0 < here < math.inf:
        return here

    def enough(epsilon: float) -> bool:
        there = Budget(max(epsilon, SMALLEST_EPSILON), limit.delta)
        return filtered(opening, later, there, rule).epsilon <= epsilon

    return min(here, least(enough, start=here))


def claimed_delta(costs: Mapping[Measure, int]) -> Fraction:
    """The δ that (ε, δ) releases claim by themselves, added up exactly."""
    deltas: Counter[float] = Counter()
    for cost, times in costs.items():
        if isinstance(cost, Approximate):
            deltas[cost.delta] += times
    return sum((Fraction(delta) * times for delta, times in deltas.items()), Fraction(0))


def _costs(events: Mapping[Event, int]) -> Counter[Measure]:
    return costs_of(simple(events))


def _grid(events: Mapping[Event, int]) -> float:
    """What the grids' laws add to ε, rounded up."""
    return up(epsilon_numeric(simple(events)), ONE_STEP)


def _sums(
    opening: Mapping[Event, int], rest: Mapping[Measure, int], left: Fraction, claimed: Fraction, shares: Shares
) -> float:
    """ε of the opening at its share of δ, and Σε of the rest; a smooth release is an (ε, δ) one at 1/64 of δ."""
    smooth = {cost: times for cost, times in rest.items() if not isinstance(cost, Pure | Approximate | BoundedRange)}
    if sum(smooth.values()) * _EACH > shares.smooth:
        return math.inf
    pure: Counter[float] = Counter({_alone(opening, _down(claimed + left * shares.opening)): 1})
    for cost, times in rest.items():
        pure[_epsilon(cost, _down(left * _EACH))] += times
    return math.inf if math.inf in pure else exact_sum(pure)


def _moments(costs: Mapping[Measure, int], left: Fraction, shares: Shares, limit: Budget) -> float:
    """Rényi divergences at one order, fixed by the limit alone, with the δ that is theirs."""
    delta = _down(left * shares.moments)
    if delta <= 0:
        return math.inf
    step = best_step(limit.epsilon, _down(Fraction(limit.delta) * shares.moments))
    total = sum_or_inf(times * _divergence(cost, step) for cost, times in costs.items())
    if total == 0:
        return 0.0
    if not total < math.inf:  # no number, or beyond doubles: nothing is known, which is not nothing
        return math.inf
    tail = (_log_constant(step) - math.log(delta)) / step
    return max(0.0, total + tail + 16 * ONE_STEP * (total + abs(tail) + 1 / step))


@lru_cache(maxsize=64)
def best_step(epsilon: float, delta: float) -> float:
    """α − 1 of the order at which (ε, δ) leaves the most room for releases whose divergence grows with the order."""
    steps = ORDERS_LESS_ONE
    constants = -steps * np.log1p(1 / steps) - np.log1p(steps)
    rho = (epsilon + (math.log(delta) - constants) / steps) / (1 + steps)
    return float(steps[int(np.argmax(rho))])


def _log_constant(step: float) -> float:
    """ln((1 − 1/α)^{α−1}/α): the best constant of docs/proofs/accounting.md, 1.4."""
    return -step * math.log1p(1 / step) - math.log1p(step)


@lru_cache(maxsize=4096)
def _divergence(cost: Measure, step: float) -> float:
    if isinstance(cost, Approximate):
        cost = Pure(cost.epsilon)
    return float(renyi_curve(cost, np.array([step]))[0])


@lru_cache(maxsize=4096)
def _epsilon(cost: Measure, delta: float) -> float:
    """What a release adds to Σε: itself if it is pure (its leak is counted apart), else its ε at `delta`."""
    match cost:
        case Pure(epsilon) | Approximate(epsilon, _) | BoundedRange(epsilon):
            return epsilon
    return epsilon_of(cost, delta) if delta > 0 else math.inf


def _alone(opening: Mapping[Event, int], delta: float) -> float:
    """The exact ε of what was settled before anything was seen."""
    return _exact(frozenset(simple(opening).items()), delta)


@lru_cache(maxsize=1024)
def _exact(happened: frozenset[tuple[Event, int]], delta: float) -> float:
    return total_epsilon(costs_of(dict(happened)), delta) + epsilon_numeric(dict(happened))


def _down(value: Fraction) -> float:
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, 0.0)
