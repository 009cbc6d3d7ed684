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

from equipoise.gate import laws
from equipoise.gate.door import check_paid, let_out
from equipoise.gate.noise import Bits, bernoulli_exp
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.events import BoundedRangeRelease, GaussianRelease
from equipoise.theory.noise import Noise

Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]

VOTE_MOVES = math.sqrt(2.0) * laws.UP
"""One vote less here and one more there, in L2 norm."""

BEYOND = 800.0
"""exp(−800) is 0 in doubles."""


@dataclass(frozen=True, slots=True)
class SoftVote:
    """Each answer is class b with probability ∝ exp(ε·votes_b/2)."""

    epsilon: float

    def event(self, count: int) -> BoundedRangeRelease:
        return BoundedRangeRelease(self.epsilon, steps=count)

    def release(self, counts: Private[Counts], entry: Entry, bits: Bits) -> Labels:
        """One draw per query."""
        votes = counts.reveal()
        check_paid(entry, self.event(len(votes)))
        return weighted_choice(votes, Fraction(self.epsilon) / 2, bits)


@dataclass(frozen=True, slots=True)
class NoisyMaximum:
    """Each answer is the class with the most votes after Gaussian noise on every count."""

    epsilon: float
    delta: float
    classes: int

    @property
    def mu(self) -> float:
        """The privacy of one answer that (ε, δ) buys."""
        return laws.gaussian_rate(self.epsilon, self.delta, self.classes)

    @property
    def noise(self) -> Noise:
        """For the counts of one answer, in votes."""
        return laws.gaussian_of(VOTE_MOVES, self.classes, self.mu)

    def event(self, count: int) -> GaussianRelease:
        return laws.gaussian_answers(self.epsilon, self.delta, self.classes, count)

    def release(self, counts: Private[Counts], entry: Entry, bits: Bits) -> Labels:
        """Fresh noise on every count of every query; the largest, the first of equals."""
        votes = counts.reveal()
        check_paid(entry, self.event(len(votes)))
        flat = Private(votes.astype(np.float64).ravel())
        noisy = let_out(flat, replace(self.noise, dim=votes.size), entry, bits)
        labels: Labels = np.argmax(noisy.reshape(votes.shape), axis=1)
        return labels


def weighted_choice(scores: Counts, rate: Fraction, bits: Bits) -> Labels:
    """For each row a column b with probability ∝ exp(rate·score_b), exactly.

    By rejection: a column at random is taken with probability exp(−rate·(best − score)), else another is drawn.
    """
    behind = scores.max(axis=1, keepdims=True) - scores
    chosen = np.empty(len(scores), dtype=np.intp)
    waiting = np.arange(len(scores))
    while waiting.size:
        columns = uniform_below(scores.shape[1], waiting.size, bits)
        taken = _show(rate, behind[waiting, columns], bits)
        chosen[waiting[taken]] = columns[taken]
        waiting = waiting[~taken]
    return chosen


def _show(rate: Fraction, gaps: Counts, bits: Bits) -> npt.NDArray[np.bool_]:
    """Coins with probability exp(−rate·gap)."""
    with np.errstate(over="ignore"):
        near = np.minimum(float(rate) * gaps, BEYOND)
    return bernoulli_exp(near, lambda place: rate * int(gaps[place]), bits)


def uniform_below(limit: int, count: int, bits: Bits) -> Labels:
    """`count` whole numbers, exactly uniform on 0 … limit − 1: words beyond the last whole multiple are drawn again."""
    result = np.empty(count, dtype=np.intp)
    waiting = np.arange(count)
    last = 2**64 - 1 - 2**64 % limit
    while waiting.size:
        words = bits.words(waiting.size)
        fine = words <= np.uint64(last)
        result[waiting[fine]] = (words[fine] % np.uint64(limit)).astype(np.intp)
        waiting = waiting[~fine]
    return result
