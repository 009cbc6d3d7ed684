"""Averages of shards: with noise for numbers, by a coin for probabilities.

Guarantee.  Laplace: ε-DP for each answer, exactly.  Gaussian: μ-GDP.  Coin: ε-DP, exactly; not of bounded range.
Assumes.    One record changes one of `voters` predictions, each clipped to a public range.
Adjacency.  Replace-one.
Numerics.   Predictions are rounded to 2⁻³⁰ of the range one by one, so that their sum is exact and moves by at most the
            range.  The coin compares a random fraction with an exactly rational probability, bit by bit.
Reference.  docs/proofs/voting.md; Dwork, Feldman 2018, Lemmas 4.5 and 4.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate import laws
from equipoise.gate.door import check_paid, let_out
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.answers.shards import MEAN_BITS
from equipoise.ledger import Entry
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.noise import Noise
from equipoise.theory.prediction.shards import coin_floor

Counts = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class NoisyMean:
    """The mean of clipped predictions as a share of their range, with Laplace noise (δ = 0) or Gaussian."""

    epsilon: float
    delta: float
    voters: int

    @property
    def noise(self) -> Noise:
        """On the sum, of which one voter can change 1."""
        if self.delta == 0:
            return laws.pure(1.0, 1, self.epsilon).noise
        return laws.gaussian_of(1.0, 1, laws.gaussian_rate(self.epsilon, self.delta, 1))

    def event(self, count: int) -> PureRelease | GaussianRelease:
        if self.delta == 0:
            return PureRelease(self.epsilon, steps=count)
        return laws.gaussian_answers(self.epsilon, self.delta, 1, count)

    def release(self, sums: Private[Counts], entry: Entry, bits: Bits) -> Array:
        """Shares of the range, not clipped."""
        totals = sums.reveal()
        check_paid(entry, self.event(len(totals)))
        ranges = Private(np.ldexp(totals.astype(np.float64), -MEAN_BITS))
        return let_out(ranges, replace(self.noise, dim=len(totals)), entry, bits) / self.voters


@dataclass(frozen=True, slots=True)
class Coin:
    """1 with the mean probability, kept a floor away from 0 and 1 so that its odds cannot change by more than e^ε."""

    epsilon: float
    voters: int

    def __post_init__(self) -> None:
        coin_floor(self.epsilon, self.voters)  # too few voters are refused before a record is seen

    @property
    def floor(self) -> Fraction:
        return coin_floor(self.epsilon, self.voters)

    def event(self, count: int) -> PureRelease:
        return PureRelease(self.epsilon, steps=count)

    def release(self, sums: Private[Counts], entry: Entry, bits: Bits) -> Counts:
        """One coin per query."""
        totals = sums.reveal()
        check_paid(entry, self.event(len(totals)))
        heads = flip(self.limits(totals), lambda place: self.chance(int(totals[place])), bits)
        return heads.astype(np.int64)

    def chance(self, total: int) -> Fraction:
        """The probability of a 1 when the voters' probabilities add up to `total` steps of 2^−MEAN_BITS."""
        mean = Fraction(total, self.voters * 2**MEAN_BITS)
        return min(max(mean, self.floor), 1 - self.floor)

    def limits(self, totals: Counts) -> Words:
        """The first 64 bits of each chance: rounding down keeps order, so clipping may come after it."""
        low, high = int(self.floor * 2**64), int((1 - self.floor) * 2**64)
        shift, voters = 64 - MEAN_BITS, self.voters
        return np.array([min(max((n << shift) // voters, low), high) for n in totals.tolist()], dtype=np.uint64)


def flip(limits: Words, exact: Callable[[int], Fraction], bits: Bits) -> npt.NDArray[np.bool_]:
    """One coin for each chance, exactly: whether an endless random fraction lies below it.

    `limits` are the chances' first 64 bits; where the fraction's agree with them, the rest of `exact` decides.
    """
    words = bits.words(limits.size)
    shown = words < limits
    for place in np.flatnonzero(words == limits):
        shown[place] = _goes_on(exact(int(place)) * 2**64 - int(words[place]), bits)
    return shown


def _goes_on(rest: Fraction, bits: Bits) -> bool:
    """The first 64 bits agree: whether the endless rest of the random fraction lies below `rest`."""
    while 0 < rest < 1:
        rest = rest * 2**64 - int(bits.words(1)[0])
    return rest > 0
