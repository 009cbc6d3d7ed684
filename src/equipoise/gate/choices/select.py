"""Private selection: which of several candidates scored best, and nothing else.

Guarantee.  ε-DP, exactly: whole-number scores, coins of exactly rational exponent, an exactly uniform order.
Assumes.    One record moves each score by at most `sensitivity`; candidates and their number are public.
Adjacency.  Whatever the sensitivity was stated for.
Numerics.   Scores are rounded to a grid of 2⁻²⁰ sensitivities, which costs at most three millionths of the rate.
Reference.  docs/proofs/selection.md; McKenna, Sheldon 2020; McSherry, Talwar 2007.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive
from equipoise.errors import InvalidInput
from equipoise.gate.door import choose
from equipoise.gate.noise import Bits, Grid, choice
from equipoise.gate.noise.choice import Coins
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import promised

Vector = npt.NDArray[np.float64]

FINE_BITS = 20
"""Steps, at least, to one sensitivity: fine enough to cost nothing, coarse enough to swallow rounding in a mean."""


def permute_and_flip(scores: Private[Vector], sensitivity: float, epsilon: float, entry: Entry, bits: Bits) -> int:
    """The candidate with the highest score, ε-privately: in random order, the first whose coin shows.

    Never worse in expectation than `exponential` with the same ε.
    """
    return choose(scores, _rule(sensitivity, epsilon), promised(epsilon), entry, bits)


def exponential(scores: Private[Vector], sensitivity: float, epsilon: float, entry: Entry, bits: Bits) -> int:
    """The exponential mechanism: a candidate at random, again and again until its coin shows."""
    return choose(scores, _rule(sensitivity, epsilon), promised(epsilon), entry, bits, choice.exponential)


def _rule(sensitivity: float, epsilon: float) -> Callable[[Vector], Coins]:
    return partial(coins_of, sensitivity=sensitivity, epsilon=positive(epsilon=epsilon))


def grid_for(sensitivity: float) -> Grid:
    """The public grid on which scores are compared."""
    return Grid.for_scale(positive(sensitivity=sensitivity), FINE_BITS)


def steps_moved(sensitivity: float, grid: Grid) -> int:
    """How far a rounded score can move: rounding adds a step, arithmetic in a mean less than another."""
    return math.ceil(Fraction(sensitivity) / Fraction(grid.step)) + 2


def coins_of(scores: Vector, sensitivity: float, epsilon: float) -> Coins:
    """The coins of scores that one record moves by at most `sensitivity`."""
    grid = grid_for(sensitivity)
    steps = grid.quantise(scores)
    if steps.ndim != 1 or steps.size == 0:
        raise InvalidInput("scores: must be one flat list with at least one number")
    return Coins(tuple(int(step) for step in steps), steps_moved(sensitivity, grid), epsilon)
