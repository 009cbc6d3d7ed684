"""How private one draw is, how many a budget buys, and what whole-number weights add to a log-ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from equipoise._checks import positive, whole
from equipoise.errors import MechanismRefused
from equipoise.theory.accounting.bounded_range import delta_bounded_range_iid, range_to_rho
from equipoise.theory.accounting.calibrate import rho_for
from equipoise.theory.accounting.compose import total_within
from equipoise.theory.extremes import LARGEST_EPSILON
from equipoise.theory.guarantees import BoundedRange, Budget
from equipoise.theory.rounding import FORMULA, LONG_SUM, down, up

MOST_DRAWS = 2**20
"""Beyond, the average of draws is as good as the minimiser."""

ENUMERATED = 2_000
"""Up to so many draws are composed exactly; beyond, by concentrated privacy."""

COARSE = 64
"""Of many draws, the last one in so many is not searched for."""

WIDER, FINELY = 1.25, 2.0**-10
"""Ranges are searched for in steps of the one, and then down to the other."""

MIXED = 2.0**-16
"""The part of the uniform law in every law that is drawn from: no weight can vanish."""

WEIGHT_BITS = 61
"""Weights are whole numbers of 2⁻⁶¹."""

MACHINE = 2.0**-53

LARGEST_REACH = 2.0**40
"""Of exponents: weights of wider ones are not told apart in doubles."""


@dataclass(frozen=True, slots=True)
class LogRatios:
    """Between the laws of neighbours: the largest |log-ratio| of an outcome, and how far log-ratios lie apart."""

    each: float
    spread: float


@dataclass(frozen=True, slots=True)
class Draws:
    """So many independent draws from one law, whose log-ratios between neighbours are within `ratios`."""

    count: int
    ratios: LogRatios

    def __post_init__(self) -> None:
        whole(draws=self.count)


def weights_error(corners: int, reach: float) -> float:
    """Bound on |log(q/t)|: q the law of whole weights, t the ideal one mixed with the uniform; exponents within reach.

    Exponentials and their sum in doubles, a floor of one step of 2⁻⁶¹, and the same again for the normaliser
    (docs/proofs/simplex.md, section 4).
    """
    if reach > LARGEST_REACH:
        raise MechanismRefused("alpha: too small for weights in doubles, raise it")
    doubles = MACHINE * (4 * reach + 700)
    floor = 2 * corners / (MIXED * 2.0**WEIGHT_BITS)
    return up(4 * (doubles + floor), FORMULA)


def widened(ratios: LogRatios, error: float) -> LogRatios:
    """The same between the laws that are drawn from, each within `error` of its ideal one."""
    return LogRatios(up(ratios.each + 2 * error), up(ratios.spread + 4 * error))


@lru_cache(maxsize=64)
def most_draws(budget: Budget, ratios: LogRatios) -> int:
    """How many draws from one law keep the budget: all may hit the worst outcome, or, with δ, by bounded range."""
    pure = min(_whole_times(budget.epsilon, ratios.each), MOST_DRAWS)
    if budget.delta == 0:
        return pure
    simple = quick_draws(budget, ratios)
    if simple >= ENUMERATED:
        return simple
    low, high = simple, simple + simple // 4 + 1
    while high <= ENUMERATED and _within(budget, ratios.spread, high):
        low, high = high, high + high // 4 + 1
    high = min(high, ENUMERATED + 1)
    while high - low > max(1, low // COARSE):
        middle = (low + high) // 2
        low, high = (middle, high) if _within(budget, ratios.spread, middle) else (low, middle)
    return low


def quick_draws(budget: Budget, ratios: LogRatios) -> int:
    """The same without enumerating: never more."""
    pure = _whole_times(budget.epsilon, ratios.each)
    if budget.delta == 0:
        return min(pure, MOST_DRAWS)
    concentrated = int(down(_rho(budget) / range_to_rho(ratios.spread), FORMULA))
    return min(max(pure, concentrated), MOST_DRAWS)


@lru_cache(maxsize=64)
def _rho(budget: Budget) -> float:
    return rho_for(budget.epsilon, budget.delta)


@lru_cache(maxsize=256)
def widest_range(budget: Budget, rounds: int) -> float:
    """The largest range of each of so many choices, every one free to depend on those before, within the budget."""
    rounds = whole(rounds=rounds)
    pure = down(budget.epsilon / rounds, FORMULA)
    if budget.delta == 0 or budget.epsilon > LARGEST_EPSILON:  # there ranges add up, and δ buys nothing
        return pure
    low = max(pure, down(math.sqrt(8 * _rho(budget) / rounds), LONG_SUM))
    high = WIDER * low
    while _composed(budget, high, rounds):
        low, high = high, WIDER * high
    while high - low > FINELY * low:
        middle = (low + high) / 2
        low, high = (middle, high) if _composed(budget, middle, rounds) else (low, middle)
    return low


def _composed(budget: Budget, eta: float, rounds: int) -> bool:
    return total_within({BoundedRange(eta): rounds}, budget.epsilon, budget.delta)


def _within(budget: Budget, spread: float, count: int) -> bool:
    return delta_bounded_range_iid(spread, count, budget.epsilon) <= budget.delta


def _whole_times(epsilon: float, each: float) -> int:
    """⌊ε/each⌋, exactly."""
    return int(Fraction(positive(epsilon=epsilon)) // Fraction(positive(each=each)))
