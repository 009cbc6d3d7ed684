"""What one of many equal answers may cost, so that together they stay within a budget: for offers, not for debits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from equipoise.theory.accounting.calibrate import gaussian_shift, rho_for
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.accounting.convert import epsilon_of
from equipoise.theory.accounting.prices import bounded_range_answers
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Gaussian

Answers = Callable[[float, int], Event]
"""`pure_answers` or `bounded_range_answers`: what so many answers at ε each cost."""


@lru_cache(maxsize=4096)
def pure_price(answers: Answers, count: int, budget: Budget) -> float:
    """The ε of one of `count` answers that together stay within the budget, half a per cent too low at most."""
    low = budget.epsilon / count
    if budget.delta == 0 or count == 1:
        return low
    per_rho = 8 if answers is bounded_range_answers else 2  # zCDP alone gets close
    low = max(low, math.sqrt(per_rho * rho_for(budget.epsilon, budget.delta) / count))
    high = min(1.3 * low, budget.epsilon)

    def fits(epsilon: float) -> bool:
        return total_spent([answers(epsilon, count)], budget.delta).epsilon <= budget.epsilon

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
