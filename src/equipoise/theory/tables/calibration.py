"""Calibration of a released classifier: what one record can move, and intervals that include the noise.

Proofs: docs/proofs/calibration.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.stats import beta

from equipoise._checks import whole
from equipoise.theory.noise import Noise

BRIER_SHARE = 0.25
"""The part of ε for the Brier score when a reliability curve is released with it."""

STEPS = 60
"""Halvings of an interval within [0, 1]: as fine as doubles near 1 are."""


def of_squared_errors(records: int, together: int = 1) -> float:
    """How far one replaced record, or so many, move Σ(p − y)²: each term lies in [0, 1]; the rest is rounding."""
    return whole(together=together) + whole(records=records) * 2.0**-51


def noise_reach(noise: Noise, chance: float) -> float:
    """How far from zero discrete Laplace noise goes at most, but for this chance."""
    ratio = math.exp(-noise.step / noise.scale)
    steps = math.ceil(math.log(chance * (1 + ratio) / 2) / math.log(ratio))
    return max(0, steps) * noise.step


def rate_interval(events: float, others: float, reach: float, chance: float) -> tuple[float, float]:
    """For a rate, from counts each known up to ±reach: Clopper-Pearson at the worst counts within reach."""
    low, high = max(0.0, events - reach), max(0.0, events + reach)
    fewest, most = max(0.0, others - reach), max(0.0, others + reach)
    return (
        float(beta.ppf(chance / 2, low, most + 1)) if low > 0 else 0.0,
        float(beta.ppf(1 - chance / 2, high + 1, fewest)) if fewest > 0 else 1.0,
    )


def mean_interval(mean: float, records: int, reach: float, chance: float) -> tuple[float, float]:
    """For the mean of variables in [0, 1], from a sample mean known up to ±reach: Chernoff's bound, inverted."""
    most = math.log(2 / chance) / whole(records=records)
    low, high = (min(1.0, max(0.0, mean + side * reach)) for side in (-1, 1))
    below = _furthest(low, 0.0, lambda value: relative_entropy(low, value) <= most)
    return below, _furthest(high, 1.0, lambda value: relative_entropy(high, value) <= most)


def relative_entropy(p: float, q: float) -> float:
    """Of two coins with these chances."""
    terms = ((p, q), (1 - p, 1 - q))
    return sum(0.0 if a <= 0 else math.inf if b <= 0 else a * math.log(a / b) for a, b in terms)


def _furthest(start: float, end: float, fits: Callable[[float], bool]) -> float:
    """The point between, nearest to `end`, up to which `fits` holds; rounded towards `end`."""
    if fits(end):
        return end
    for _ in range(STEPS):
        middle = (start + end) / 2
        start, end = (middle, end) if fits(middle) else (start, middle)
    return end
