"""Exact draws of one among several: by weights, or by coins in random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise.bernoulli import bernoulli_exp
from equipoise.gate.noise.bits import Bits

Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]

BEYOND = 800.0
"""exp(−800) is 0 in doubles."""


@dataclass(frozen=True, slots=True)
class Coins:
    """One coin per candidate, shown with probability exp(−exponent); the best candidate's exponent is 0.

    The exponents are ε(q* − q)/(2·moved), for whole-number scores that one record moves by at most `moved`.
    """

    steps: Sequence[int]
    moved: int
    epsilon: float

    @property
    def exponents(self) -> tuple[Fraction, ...]:
        best, rate = max(self.steps), Fraction(self.epsilon) / (2 * self.moved)
        return tuple(rate * (best - step) for step in self.steps)

    def flip(self, candidates: Labels, bits: Bits) -> npt.NDArray[np.bool_]:
        """One independent flip for each candidate listed."""
        exponents = self.exponents
        near = np.array([float(min(exponents[candidate], BEYOND)) for candidate in candidates])
        return bernoulli_exp(near, lambda place: exponents[candidates[place]], bits)


def permute_and_flip(coins: Coins, bits: Bits) -> int:
    """In random order, the first whose coin shows."""
    order = random_order(len(coins.steps), bits)
    return int(order[np.argmax(coins.flip(order, bits))])


def exponential(coins: Coins, bits: Bits) -> int:
    """A candidate at random, again and again until its coin shows."""
    while True:
        candidate = random_order(len(coins.steps), bits)[:1]
        if coins.flip(candidate, bits)[0]:
            return int(candidate[0])


def random_order(count: int, bits: Bits) -> Labels:
    """A permutation of range(count), exactly uniform: by random keys, drawn again should two be equal."""
    while True:
        keys = bits.words(count)
        order = np.argsort(keys, kind="stable")
        if not np.any(np.diff(keys[order]) == 0):
            return order


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
