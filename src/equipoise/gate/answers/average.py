"""Averages of shards: with noise for numbers, by a coin for probabilities.

Guarantee.  Laplace: ε-DP for each answer, exactly.  Gaussian: μ-GDP.  Coin: ε-DP, exactly; not of bounded range.
Assumes.    One record changes one of `voters` predictions, each clipped to a public range.
Adjacency.  Replace-one.
Numerics.   Predictions are rounded to 2⁻³⁰ of the range one by one, so that their sum is exact and moves by at most the
            range.  The coin compares a random fraction with an exactly rational probability, bit by bit.
Reference.  docs/proofs/voting.md; Dwork, Feldman 2018, Lemmas 4.5 and 4.6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate import door, laws
from equipoise.gate.door import answers_paid
from equipoise.gate.noise import Bits
from equipoise.gate.noise.coin import flip
from equipoise.inside import Private
from equipoise.inside.answers.shards import MEAN_BITS, in_ranges
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import gaussian_answers, pure_answers
from equipoise.theory.accounting.room import gaussian_rate
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
            return laws.pure(laws.spanning(1.0, self.epsilon, self.voters), 1, self.epsilon).noise
        return laws.gaussian_of(1.0, 1, gaussian_rate(self.epsilon, self.delta, 1))

    def event(self, count: int) -> PureRelease | GaussianRelease:
        if self.delta == 0:
            return pure_answers(self.epsilon, count)
        return gaussian_answers(self.epsilon, self.delta, 1, count)

    def release(self, sums: Private[Counts], entry: Entry, bits: Bits) -> Array:
        """Shares of the range, not clipped."""
        count = answers_paid(entry)
        noise = replace(self.noise, dim=count)
        return door.add_noise(in_ranges(sums), noise, self.event(count), entry, bits) / self.voters


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
        return pure_answers(self.epsilon, count)

    def release(self, sums: Private[Counts], entry: Entry, bits: Bits) -> Counts:
        """One coin per query."""
        return door.flip(sums, self, self.event(answers_paid(entry)), entry, bits)

    def flip(self, totals: Counts, bits: Bits) -> Counts:
        """The rule, for the door alone: a coin for each total."""
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
