"""What to expect of a plan before anything is spent: an interval for accuracy or R², what privacy costs of it, and a
line of advice.  A guess from public facts over the family that "auto" plans for; nothing here touches privacy.

A plan's figure says which part r of what the best constant lacks is left open on a typical member of the family.
Scores that miss the best ones by r of their variance are then wrong by so much on each kind of table.  The interval
runs from the hardest to the easiest kind, with r a factor of `UNSURE` worse and better: tables differ more than plans.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from equipoise.theory import family
from equipoise.theory.losses import is_regression
from equipoise.theory.plan import Facts

Array = npt.NDArray[np.float64]

UNSURE = 4.0
"""How far a table may be from a typical one: the factor between what is left open there and here."""

CLASS_SPREADS = (0.05, 0.7, 1.5, 3.0, 8.0, 30.0)
"""Spreads of log-odds, from next to no signal to classes that part."""
EXPLAINED = (0.0, 0.1, 0.3, 0.6, 0.95)
"""Parts of the labels' variance that the best line explains, from nothing to nearly all; below the second noise
costs as much as there."""

BY_CHANCE = 0.02
"""How far below guessing, where there is no signal, held-out rows may put a model."""

WIDE_BOUNDS = ", and four times as far in label bounds twice as wide as they need be"
"""The family's labels have a standard deviation of an eighth of half their range or more.  Noise is made for the range,
so where labels fill little of it noise counts by the square of what is left empty."""

RARE_CLASS = ", and higher where one class is rare"
"""The family's classes are about as frequent: whoever says the commonest of uneven ones is right more often."""

HOPELESS, LITTLE, PLENTY = 0.7, 0.25, 0.03
"""Of what the best constant lacks: left open, from which on a model is hardly worth it, and below which privacy hardly
costs anything."""

_AT = np.array([NormalDist().inv_cdf((place + 0.5) / 200) for place in range(200)])


@dataclass(frozen=True, slots=True)
class Expected:
    """Before spending.  `cost_low` and `cost_high` are what the model lacks to the same one without privacy."""

    measure: str
    low: float
    high: float
    cost_low: float
    cost_high: float
    advice: str
    assumes: str = ""
    """What is taken for granted of the table, where that is not the same for everybody."""

    def __str__(self) -> str:
        return (
            f"{self.measure} {self.low:.2f} to {self.high:.2f} depending on the table, {self.cost_low:.3f} to"
            f" {self.cost_high:.3f} below the same model without privacy{self.assumes}; {self.advice}"
        )


def expect(facts: Facts, figure: float, epsilon: float, delta: float, *, slopes: bool = True) -> Expected:
    """For a plan of this figure over the family; `slopes` says whether it learns any."""
    typical = left_open(facts, figure)
    left = 1.0 if not slopes else _where_filled(typical) if family.may_hardly_fill(facts) else typical
    advice = _advice(left, facts, epsilon, delta)
    if is_regression(facts.loss):
        return _of_numbers(left, advice)
    return _of_classes(left, facts.loss.outputs + 1, advice)


def left_open(facts: Facts, figure: float) -> float:
    """What a plan of this figure leaves open, of what the best constant does."""
    return min(max(figure / family.of_best_constant(facts) - family.FLOOR, 0.0), 1e3)


def _where_filled(typical: float) -> float:
    """What rows that use their bounds leave open: about two thirds of what a typical member does, some of which hardly
    use them, and as much where nearly all is left.  Within a fifth on most plans for 300 to 200,000 rows."""
    return typical * min(1.0, (2 + typical) / 3)


def _of_numbers(left: float, advice: str) -> Expected:
    """R² of scores that leave this part of their variance open."""
    worse, better = min(UNSURE * left, 2.0), left / UNSURE
    costs = [max(best, EXPLAINED[1]) for best in EXPLAINED]
    low = min(best - worse * cost for best, cost in zip(EXPLAINED, costs, strict=True))
    high = max(best - better * cost for best, cost in zip(EXPLAINED, costs, strict=True))
    return Expected("R2", low, high, 0.0, worse * max(costs), advice, WIDE_BOUNDS)


def _of_classes(left: float, classes: int, advice: str) -> Expected:
    """Accuracy of scores whose errors have this part of their variance; several classes have less to lose by
    a guess."""
    worse, better = min(UNSURE * left, 1e3), left / UNSURE
    guess = 1 / classes

    def told(spread: float, part: float) -> float:
        return guess + (1 - guess) * (2 * _right(spread, part) - 1)

    low = min(told(spread, worse) for spread in CLASS_SPREADS) - BY_CHANCE
    high = max(told(spread, better) for spread in CLASS_SPREADS)
    costs = [[told(spread, 0.0) - told(spread, part) for spread in CLASS_SPREADS] for part in (better, worse)]
    return Expected("accuracy", low, high, min(costs[0]), max(costs[1]), advice, RARE_CLASS)


@lru_cache(maxsize=1024)  # one plan asks for the same several times, and every plan for a part of nothing
def _right(spread: float, part: float) -> float:
    """How often the better of two classes is told, where log-odds spread so far and their errors by that part."""
    log_odds = spread * _AT
    chance = 1 / (1 + np.exp(-np.abs(log_odds)))
    sure = _normal(np.abs(log_odds) / (spread * math.sqrt(part) + 1e-12))
    return float(np.mean(chance * sure + (1 - chance) * (1 - sure)))


def _normal(z: Array) -> Array:
    return np.array([0.5 * math.erfc(-float(each) / math.sqrt(2)) for each in z])


def _advice(left: float, facts: Facts, epsilon: float, delta: float) -> str:
    """One line, by what is left open and what would mend it."""
    fewer = "fewer columns" if facts.features > 10 else "more rows"
    pay = f"epsilon near {_told(epsilon * max(2.0, left / LITTLE))}" if delta > 0 or facts.dim <= 20 else "delta > 0"
    if left >= HOPELESS:
        return f"better do not, or with {pay} or {fewer}; for a few questions private prediction needs no model"
    if left >= LITTLE:
        return f"a rough model: {pay} or {fewer} would help"
    linear = facts.bounds.encoding is None and facts.bounds.lift is None
    if left >= PLENTY:
        return f"a useful model: {'stay linear, ' if linear else ''}more epsilon still helps"
    more = "an additive model may learn more, or " if linear else ""
    return f"privacy hardly costs anything: {more}spend less epsilon"


def _told(epsilon: float) -> str:
    """Rounded to 1, 2 or 5 times a power of ten; more than a million is as good as any number."""
    epsilon = min(epsilon, 1e6)
    power = 10.0 ** math.floor(math.log10(epsilon))
    return f"{min(one for one in (1, 2, 5, 10) if one * power >= epsilon * 0.999) * power:g}"
