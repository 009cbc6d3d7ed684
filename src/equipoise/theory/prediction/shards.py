"""Constants of private prediction: how many shards, how far a walk, how wide a consensus.  Public facts alone go in.

Proofs: docs/proofs/voting.md (shards, coin, consensus) and docs/proofs/walk.md (reach).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from equipoise._checks import fraction, number, positive, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.rounding import LONG_SUM, up

FEWEST_ROWS = 10
"""A default never makes shards smaller than this; a caller may."""

UNIT = 2**12
"""Noise steps to one vote of distance: rounding a noise scale up to whole steps costs next to nothing."""

LARGEST_SCALE = 2**46
"""The widest discrete Laplace law that is drawn."""

MOST_COUNTED = 2**52
"""Of what is counted in doubles."""

AGREEMENT = 0.9
"""The default number of voters lets a query pass for settled, most of the time, when this share of them agrees."""


def voters_for(epsilon: float, accuracy: float) -> int:
    """⌈6 ln(4/α)/ε⌉: with so many voters, each wrong with probability α on average, the soft vote errs O(α)."""
    return _count(6 * math.log(4 / _share(accuracy)) / positive(epsilon=epsilon))


def noisy_maximum_voters(sigma: float, accuracy: float) -> int:
    """So many that where AGREEMENT of them agrees, Gaussian noise on two counts upsets it with probability below α."""
    tail = 2 * positive(sigma=sigma) * math.sqrt(math.log(1 / _share(accuracy)))
    return _count(tail / (2 * AGREEMENT - 1))


def noisy_mean_voters(scale: float, accuracy: float) -> int:
    """How many predictions to average so that noise of `scale` ranges, divided by their number, is within α ranges."""
    return _count(positive(scale=scale) / _share(accuracy))


def coin_voters(epsilon: float, accuracy: float) -> int:
    """How many probabilities to average so that the coin's floor is at most α (and so at most ½)."""
    return _count(up(1.0, LONG_SUM) / (_share(accuracy) * math.expm1(min(positive(epsilon=epsilon), 700.0))))


def coin_floor(epsilon: float, voters: int) -> Fraction:
    """a = γ/(e^ε − 1) with γ = 1/voters, rounded up: the coin's probability is kept within [a, 1 − a]."""
    times = up(1.0, LONG_SUM) / math.expm1(min(positive(epsilon=epsilon), 700.0))
    _count(times)  # which refuses where no number of shards would do
    floor = Fraction(times) / whole(shards=voters)
    if floor > Fraction(1, 2):
        least = _count(up(2, LONG_SUM) / math.expm1(epsilon))
        raise MechanismRefused(f"shards={shown(voters)}: too few for a coin at this epsilon, give at least {least}")
    return floor


def walk_reach(epsilon: float, accuracy: float) -> int:
    """T = ⌈2 ln(2/α)/ε⌉: at the walk's end stops the answer is wrong with probability at most α/2."""
    return _count(2 * math.log(2 / _share(accuracy)) / positive(epsilon=epsilon))


def walk_error(n: int, epsilon: float, accuracy: float, intervals: int) -> float:
    """Expected error at one more row when a union of so many intervals fits all rows: α/2 at the stops, and what is
    lost while the walk turns, T + ½ at each of 2·intervals ends and T/2 at the start."""
    reach = walk_reach(epsilon, accuracy)
    turning = 2 * min(whole(intervals=intervals), MOST_COUNTED) * (reach + 0.5) + reach / 2
    return min(1.0, accuracy / 2 + turning / (whole(n=n) + 1))


def shards_within(wanted: int, rows: int) -> int:
    """As many shards as wanted, but none so small that nothing can be learnt from it."""
    return max(1, min(whole(shards=wanted), whole(rows=rows) // FEWEST_ROWS))


def shard_sizes(rows: int, shards: int) -> tuple[int, ...]:
    """Sizes that differ by at most one.  Public: they follow from two public numbers."""
    if whole(shards=shards) > rows:
        raise InvalidInput(f"shards={shown(shards)}: more shards than the {rows} rows, give fewer")
    small, larger = divmod(rows, shards)
    return tuple(small + 1 if place < larger else small for place in range(shards))


@dataclass(frozen=True, slots=True)
class Consensus:
    """One round: up to `queries` answers, at most one of them contested.  Distances are in steps of 1/`unit` vote."""

    unit: int
    line_scale: int
    query_scale: int
    line: int
    """A query whose distance, plus noise, reaches this plus the round's noise passes for settled."""
    queries: int
    vote: Fraction
    """ε of the soft vote that answers the contested query."""

    def failure(self) -> float:
        """The δ of this line: whether a query at distance 0 passes for settled in the round."""
        return passing(self.line, self.line_scale, self.query_scale, self.queries)


def consensus(epsilon: float, delta: float, queries: int, unit: int = UNIT) -> Consensus:
    """A quarter of ε for the line's noise, half for the queries', a quarter for the vote; the lowest line δ allows."""
    whole_epsilon, queries = Fraction(positive(epsilon=epsilon)), whole(queries_per_round=queries)
    if fraction(delta=delta) < 1e-300:
        raise MechanismRefused(f"delta={shown(delta)}: consensus needs delta > 0, use method='soft' for delta=0")
    line_scale = math.ceil(unit / (whole_epsilon / 4))
    query_scale = math.ceil(2 * unit / (whole_epsilon / 2))
    if max(line_scale, query_scale) > LARGEST_SCALE:
        raise MechanismRefused(f"epsilon={shown(epsilon)}: too small for a consensus, raise it")
    low = first_line(query_scale, queries)
    line = _least(low, lambda height: passing(height, line_scale, query_scale, queries) <= delta)
    return Consensus(unit, line_scale, query_scale, line, queries, whole_epsilon / 4)


def consensus_voters(rule: Consensus) -> int:
    """So many that a query on which AGREEMENT of the voters agree lies three noise scales above the line."""
    height = rule.line + 3 * (rule.line_scale + rule.query_scale)
    return _count(height / rule.unit / (AGREEMENT - 0.5)) + 2


def first_line(query_scale: int, queries: int) -> int:
    """Below this height the union bound says nothing."""
    return max(1, math.ceil(query_scale * math.log(queries)))


def passing(line: int, line_scale: int, query_scale: int, queries: int) -> float:
    """A bound on the chance that one of `queries` draws of noise reaches `line` plus the round's noise.

    Exact but for the union bound, which is used where line and noise together are above `first_line`.
    """
    low = first_line(query_scale, queries)
    if line < low:
        return 1.0
    slow, fast = 1 / query_scale, 1 / line_scale  # rates
    deep = line - low  # how far the round's noise may lower the line before the union bound is given up
    lowered = math.exp(-(deep + 1) * fast) / (1 + math.exp(-fast))
    above = math.exp(-line * slow) / -math.expm1(-slow - fast)
    below = math.exp(-line * slow) * _geometric(slow - fast, deep)
    share = queries / (1 + math.exp(-slow)) * -math.expm1(-fast) / (1 + math.exp(-fast))
    return min(1.0, up(lowered + share * (above + below), LONG_SUM))


def _geometric(rate: float, terms: int) -> float:
    """Σ e^(rate·i) for i = 1 … terms."""
    if rate == 0:
        return float(terms)
    if rate * terms > 600:
        return math.inf
    return math.exp(rate) * math.expm1(rate * terms) / math.expm1(rate)


def _least(low: int, holds: Callable[[int], bool]) -> int:
    """The least whole number above `low` that holds, for a property that keeps holding once it does."""
    high = low + 1
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _count(value: float) -> int:
    """Rounded up to a whole number that can be counted to."""
    if not value < 2.0**53:
        raise MechanismRefused("epsilon: too small, no number of shards or steps would do")
    return max(1, math.ceil(value))


def _share(accuracy: float) -> float:
    if not 0 < number(accuracy=accuracy) < 1:
        raise InvalidInput(f"accuracy={shown(accuracy)}: must be above 0 and below 1")
    return float(accuracy)
