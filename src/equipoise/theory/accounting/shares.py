"""How much each of several equal releases may cost, so that together they stay within a budget.

Arguments: docs/proofs/selection.md, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from equipoise._checks import whole
from equipoise.theory.accounting import delta_gaussian, gaussian_shift, total_delta, total_spent
from equipoise.theory.accounting.room import within_reach
from equipoise.theory.accounting.search import greatest_within, least_within
from equipoise.theory.accounting.selection import Stop, base_for
from equipoise.theory.events import Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Approximate, Budget, Gaussian, Measure, Pure
from equipoise.theory.rounding import LONG_SUM, down

STOP_MARGIN = 1e-4
"""The same for a random number of Gaussian runs, of which there may be many."""

BETWEEN = (0.25, 0.5, 0.75)
"""Where to try between the share for all kinds and the Gaussian one, for mixtures."""


class Kind(Enum):
    """Which releases a share was derived for."""

    PURE = auto()
    GAUSSIAN = auto()
    ANY = auto()


@dataclass(frozen=True, slots=True)
class Share:
    """What one release may cost, and which releases it was derived for: pure ones, Gaussian ones, or any.

    With a `total` nothing was derived: whether the releases planned stay within it is asked of the accountant.
    """

    budget: Budget
    kind: Kind
    mu: float = math.inf
    total: Budget | None = None

    def covers(self, events: Sequence[Event]) -> bool:
        """Whether these are such releases and no dearer."""
        if self.total is not None:
            return total_spent(events, self.total.delta).epsilon <= self.total.epsilon
        if self.kind is Kind.PURE:
            return all(isinstance(event, PureRelease) and event.epsilon <= self.budget.epsilon for event in events)
        if self.kind is Kind.GAUSSIAN:
            return all(isinstance(event, GaussianRelease) and _shift(event) <= self.mu for event in events)
        return True  # planned within the share's (ε, δ), which is all that was assumed


@lru_cache(maxsize=64)
def equal_shares(budget: Budget, count: int) -> tuple[Share, ...]:
    """The shares of `count` releases: the largest pure one and, given a δ, those for Gaussian, any and mixed ones."""
    if whole(count=count) == 1:
        return (Share(budget, Kind.ANY),)
    pure = Share(Budget(_largest(budget, count, 0.0)), Kind.PURE)
    if budget.delta == 0:
        return (pure,)
    half, part = budget.delta / (2 * count), budget.delta / count
    any_kind = Share(Budget(_largest(budget, count, half), half), Kind.ANY)
    shift = gaussian_shift(Budget(down(budget.epsilon, LONG_SUM), budget.delta)) / math.sqrt(count)
    smooth = gaussian_share(down(shift, LONG_SUM), part)
    between = [any_kind.budget.epsilon ** (1 - way) * smooth.budget.epsilon**way for way in BETWEEN]
    return pure, any_kind, smooth, *(Share(Budget(each, part), Kind.ANY, total=budget) for each in between)


@lru_cache(maxsize=64)
def stop_shares(budget: Budget, stop: Stop) -> tuple[Share, ...]:
    """What one of a random number of runs may cost: a pure run and, given a δ, a Gaussian one or one of any kind."""
    if budget.delta == 0:
        return (Share(Budget(base_for(budget, Pure, stop)), Kind.PURE),)
    pure = Share(Budget(down(base_for(budget, Pure, stop), LONG_SUM)), Kind.PURE)
    part = budget.delta / (2 * stop.mean)
    shift = base_for(Budget(within_reach(budget.epsilon) * (1 - STOP_MARGIN), budget.delta), Gaussian, stop)
    leaky = base_for(Budget(budget.epsilon, budget.delta / 2), Pure, stop)
    any_kind = Share(Budget(down(leaky, LONG_SUM), down(part, LONG_SUM)), Kind.ANY)
    return pure, gaussian_share(down(shift, LONG_SUM), part), any_kind


def gaussian_share(mu: float, delta: float) -> Share:
    """μ-GDP told as (ε, δ) at some δ, for planners that ask for a budget: they turn it back into μ."""
    told = Budget(least_within(lambda epsilon: delta_gaussian(epsilon, mu), delta), delta)
    return Share(told, Kind.GAUSSIAN, mu / down(1.0, LONG_SUM))


def _largest(budget: Budget, count: int, delta: float) -> float:
    """The largest ε of one (ε, δ)-release, no less than what a plain sum allows."""
    plain = budget.epsilon / count

    def spent(epsilon: float) -> float:
        each: Measure = Pure(epsilon) if delta == 0 else Approximate(epsilon, delta)
        return total_delta([each] * count, budget.epsilon)

    if budget.delta == 0:
        return plain
    return max(plain, greatest_within(spent, budget.delta, start=plain))


def _shift(event: GaussianRelease) -> float:
    return math.hypot(*(measure.mu for measure, _ in event.costs if isinstance(measure, Gaussian)))
