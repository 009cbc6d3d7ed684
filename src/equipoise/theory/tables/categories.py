"""Which values occur, by noisy counts above a threshold: what a threshold has to be.

Proofs: docs/proofs/private_categories.md.
"""

from __future__ import annotations

import math

from equipoise._checks import positive, whole
from equipoise.theory.noise import Noise
from equipoise.theory.rounding import FORMULA, down, up

COUNTS_MOVED = 2
"""One replaced record takes one from the count of a value and gives one to another's, in every column."""


def counts_moved(columns: int) -> int:
    """L1 distance that one replaced record moves all counts."""
    return COUNTS_MOVED * whole(columns=columns)


def chance_of_each(delta: float, columns: int) -> float:
    """With which a value that one record alone has may be found: δ shared by all counts that a record moves."""
    return down(positive(delta=delta) / counts_moved(columns), FORMULA)


def reaches(noise: Noise, least: float) -> float:
    """The chance that a count of one, with discrete Laplace noise, is at least this large; rounded up."""
    ratio = math.exp(-noise.step / noise.scale)
    return up(math.exp(-(least - 1.0) / noise.scale) / (1.0 + down(ratio, FORMULA)), FORMULA)


def least_count(noise: Noise, chance: float) -> int:
    """The smallest whole number that a count of one reaches with at most this chance."""
    odds = 0.5 / positive(chance=chance)
    apart = math.log(odds) if odds < math.inf else math.log(0.5) - math.log(chance)
    least = max(1, math.floor(noise.scale * apart))
    while reaches(noise, float(least)) > chance:
        least += 1
    return least
