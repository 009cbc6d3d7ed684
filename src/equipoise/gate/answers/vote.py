"""Votes of shards: the soft majority and the noisy maximum.

Guarantee.  Soft: ε-bounded range, hence ε-DP, for each answer, exactly.  Gaussian: μ-GDP for each answer.
Assumes.    One record decides one vote: it can move one vote from one class to another.
Adjacency.  Replace-one.
Numerics.   Soft: whole counts, coins of exactly rational exponent, δ_numeric is 0.  Gaussian: counts lie on the grid.
Reference.  docs/proofs/voting.md; Dwork, Feldman 2018, Theorem 4.1; Papernot et al. 2018 (the noisy maximum).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate import door, laws
from equipoise.gate.door import answers_paid
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.answers.shards import flat_counts
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import bounded_range_answers, gaussian_answers
from equipoise.theory.accounting.room import gaussian_rate
from equipoise.theory.events import BoundedRangeRelease, GaussianRelease
from equipoise.theory.noise import Noise
from equipoise.theory.rounding import FORMULA, up

Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]

VOTE_MOVES = up(math.sqrt(2.0), FORMULA)
"""One vote less here and one more there, in L2 norm."""


@dataclass(frozen=True, slots=True)
class SoftVote:
    """Each answer is class b with probability ∝ exp(ε·votes_b/2)."""

    epsilon: float

    def event(self, count: int) -> BoundedRangeRelease:
        return bounded_range_answers(self.epsilon, count)

    def release(self, counts: Private[Counts], entry: Entry, bits: Bits) -> Labels:
        """One draw per query."""
        return door.vote(counts, Fraction(self.epsilon) / 2, self.event(answers_paid(entry)), entry, bits)


@dataclass(frozen=True, slots=True)
class NoisyMaximum:
    """Each answer is the class with the most votes after Gaussian noise on every count."""

    epsilon: float
    delta: float
    classes: int

    @property
    def mu(self) -> float:
        """The privacy of one answer that (ε, δ) buys."""
        return gaussian_rate(self.epsilon, self.delta, self.classes)

    @property
    def noise(self) -> Noise:
        """For the counts of one answer, in votes."""
        return laws.gaussian_of(VOTE_MOVES, self.classes, self.mu)

    def event(self, count: int) -> GaussianRelease:
        return gaussian_answers(self.epsilon, self.delta, self.classes, count)

    def release(self, counts: Private[Counts], entry: Entry, bits: Bits) -> Labels:
        """Fresh noise on every count of every query; the largest, the first of equals."""
        count = answers_paid(entry)
        noise = replace(self.noise, dim=count * self.classes)
        noisy = door.add_noise(flat_counts(counts), noise, self.event(count), entry, bits)
        labels: Labels = np.argmax(noisy.reshape(count, self.classes), axis=1)
        return labels
