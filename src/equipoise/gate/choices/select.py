"""Private selection: which of several candidates scored best, and nothing else.

Guarantee.  ε-DP, exactly: whole-number scores, coins of exactly rational exponent, an exactly uniform order.
Assumes.    One record moves each score by at most `sensitivity`; candidates and their number are public.
Adjacency.  Whatever the sensitivity was stated for.
Numerics.   Scores are rounded to a grid of 2⁻²⁰ sensitivities, which costs at most three millionths of the rate.
Reference.  docs/proofs/selection.md; McKenna, Sheldon 2020; McSherry, Talwar 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive
from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.gate.noise import Bits, Grid, bernoulli_exp
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.events import ApproximateRelease, Event, PureRelease

Vector = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]

FINE_BITS = 20
"""Steps, at least, to one sensitivity: fine enough to cost nothing, coarse enough to swallow rounding in a mean."""


@dataclass(frozen=True, slots=True)
class Coins:
    """One coin per candidate, shown with probability exp(−exponent); the best candidate's exponent is 0."""

    exponents: tuple[Fraction, ...]

    def flip(self, candidates: Order, bits: Bits) -> npt.NDArray[np.bool_]:
        """One independent flip for each candidate listed."""
        near = np.array([float(self.exponents[candidate]) for candidate in candidates])
        return bernoulli_exp(near, lambda place: self.exponents[candidates[place]], bits)


def permute_and_flip(scores: Private[Vector], sensitivity: float, epsilon: float, entry: Entry, bits: Bits) -> int:
    """The candidate with the highest score, ε-privately: in random order, the first whose coin shows.

    Never worse in expectation than `exponential` with the same ε.
    """
    coins = _open(scores, sensitivity, epsilon, entry)
    order = random_order(len(coins.exponents), bits)
    return int(order[np.argmax(coins.flip(order, bits))])


def exponential(scores: Private[Vector], sensitivity: float, epsilon: float, entry: Entry, bits: Bits) -> int:
    """The exponential mechanism: a candidate at random, again and again until its coin shows."""
    coins = _open(scores, sensitivity, epsilon, entry)
    while True:
        candidate = random_order(len(coins.exponents), bits)[:1]
        if coins.flip(candidate, bits)[0]:
            return int(candidate[0])


def random_order(count: int, bits: Bits) -> Order:
    """A permutation of range(count), exactly uniform: by random keys, drawn again should two be equal."""
    while True:
        keys = bits.words(count)
        order = np.argsort(keys, kind="stable")
        if not np.any(np.diff(keys[order]) == 0):
            return order


def grid_for(sensitivity: float) -> Grid:
    """The public grid on which scores are compared."""
    return Grid.for_scale(positive(sensitivity=sensitivity), FINE_BITS)


def coins_for(steps: list[int], moved: int, epsilon: float) -> Coins:
    """The exponents ε(q* − q)/(2·moved) of whole-number scores that one record moves by at most `moved`."""
    best, rate = max(steps), Fraction(epsilon) / (2 * moved)
    return Coins(tuple(rate * (best - step) for step in steps))


def steps_moved(sensitivity: float, grid: Grid) -> int:
    """How far a rounded score can move: rounding adds a step, arithmetic in a mean less than another."""
    return math.ceil(Fraction(sensitivity) / Fraction(grid.step)) + 2


def _open(scores: Private[Vector], sensitivity: float, epsilon: float, entry: Entry) -> Coins:
    """Open the scores for the coins alone, and only if selection at this ε has been paid for."""
    if not entry.open or not _pays(entry.event, positive(epsilon=epsilon)):
        raise LedgerFailure("selection: the ledger entry is closed or was made for something else, nothing was chosen")
    grid = grid_for(sensitivity)
    steps = grid.quantise(scores.reveal())
    if steps.ndim != 1 or steps.size == 0:
        raise InvalidInput("scores: must be one flat list with at least one number")
    return coins_for([int(step) for step in steps], steps_moved(sensitivity, grid), epsilon)


def _pays(event: Event, epsilon: float) -> bool:
    """A pure ε is covered by a pure or (ε, δ) event of at least as much; Gaussian events say something else."""
    return isinstance(event, PureRelease | ApproximateRelease) and event.epsilon >= epsilon
