"""What an offer is: for k questions within a budget, the price of one answer and its predicted error.

Each predictor makes its own (`_offer`); here is what they share.  Public facts alone: nothing of what was learnt is
read.  Where the caller left a choice (ridge, step, number of shards) to the library, it is made again for the lower
price that k answers allow, so answers are shown at their best.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.theory.accounting.calibrate import gaussian_shift, rho_for
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import BoundedRangeRelease, Event, PureRelease
from equipoise.theory.guarantees import Budget, Gaussian
from equipoise.theory.losses import Logistic, Loss, Softmax, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

WRONG = "share of wrong answers beyond the best rule's"
DISTANCE = "root mean square distance from the best prediction"


@dataclass(frozen=True, slots=True)
class Quote:
    """One of k answers: its price, and its predicted error."""

    epsilon: float
    delta: float
    error: float


@dataclass(frozen=True, slots=True)
class Offer:
    """`facts` are those of the model that would be released instead; `scale` turns errors into the labels' units."""

    facts: Facts
    quote: Callable[[int, Budget], Quote]
    unit: str = WRONG
    scale: float = 1.0
    notes: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def pure_price(kind: type[PureRelease] | type[BoundedRangeRelease], count: int, budget: Budget) -> float:
    """The ε of one of `count` answers that together stay within the budget, half a per cent too low at most."""
    low = budget.epsilon / count
    if budget.delta == 0 or count == 1:
        return low
    per_rho = 8 if kind is BoundedRangeRelease else 2  # zCDP alone gets close
    low = max(low, math.sqrt(per_rho * rho_for(budget.epsilon, budget.delta) / count))
    high = min(1.3 * low, budget.epsilon)

    def fits(epsilon: float) -> bool:
        event: Event = kind(epsilon, steps=count)
        return total_spent([event], budget.delta).epsilon <= budget.epsilon

    while high < budget.epsilon and fits(high):
        low, high = high, min(1.3 * high, budget.epsilon)
    while high > low * 1.005:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@lru_cache(maxsize=4096)
def gaussian_price(count: int, budget: Budget) -> Budget:
    """(ε, δ) of one of `count` Gaussian answers: μ/√count of the budget's μ, told at δ/count."""
    if budget.delta == 0:
        return Budget(budget.epsilon / count)
    delta, mu = budget.delta / count, gaussian_shift(budget) / math.sqrt(count)
    return Budget(max(epsilon_of(Gaussian(mu), delta), 1e-9), delta)


def usual_facts(rows: int, columns: int, classes: int, labels: tuple[float, float] | None) -> Facts:
    """Of the linear model that would be released for this task, rows scaled to norm one."""
    loss: Loss = Squared() if labels is not None else Logistic() if classes == 2 else Softmax(classes)
    bounds = Bounds(1.0, INTERCEPT_SHARE, labels, None if labels is not None else tuple(range(classes)))
    return Facts(loss, L2(1.0), bounds, rows, columns + 1)
