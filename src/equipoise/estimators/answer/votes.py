"""How voters answer: each query for its price, or in rounds of which only contested queries use one up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.estimators.answer.offers import Quote
from equipoise.estimators.answer.shards import voters_at
from equipoise.gate import Bits
from equipoise.gate.answers.consensus import ConsensusVote, Round
from equipoise.gate.answers.vote import NoisyMaximum, SoftVote
from equipoise.inside import Private
from equipoise.inside.answers.shards import Voters, counts_after, tallies
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import consensus_rounds
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import answer_risk
from equipoise.theory.prediction.shards import consensus, consensus_voters

Array = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

MOST_ROUNDS = 2**12
"""That an offer looks at."""


@dataclass(frozen=True, eq=False, repr=False)
class VoteAnswers:
    """Every answer has its price."""

    voters: Private[Voters]
    mechanism: SoftVote | NoisyMaximum
    classes: int
    guarantee: Guarantee

    def event(self, count: int) -> Event:
        return self.mechanism.event(count)

    def answer(self, queries: Array, entry: Entry, bits: Bits) -> Array:
        """The place of a class for each query."""
        return self.mechanism.release(tallies(self.voters, queries, self.classes), entry, bits).astype(np.float64)


@dataclass(eq=False, repr=False)
class ConsensusAnswers:
    """A round is bought when it is needed; the open one is kept for the next batch."""

    voters: Private[Voters]
    mechanism: ConsensusVote
    classes: int
    guarantee: Guarantee
    bought: int = 0
    contested: int = 0
    _round: Round | None = field(default=None, init=False)

    def event(self, count: int) -> Event:
        """What `count` answers cost if none of them is contested: how many are is not known in advance."""
        return consensus_rounds(self.mechanism.event, -(-count // self.mechanism.rule.queries))

    def answer(self, queries: Array, entry: Entry, bits: Bits) -> Array:
        """Answers that one round covers; a second one would need an entry of its own, which `in_rounds` buys."""
        return np.concatenate(list(self.in_rounds(queries, _once(entry), bits)))

    def in_rounds(self, queries: Array, buy: Callable[[], Entry], bits: Bits) -> Iterator[Array]:
        """Answers in order, some at a time.  A round is bought before anything is computed, unless one is open."""
        left: Private[Counts] | None = None
        done = 0
        while done < len(queries):
            current = self._open_round(buy, bits)
            left = tallies(self.voters, queries, self.classes) if left is None else left
            answered = current.answer(left, bits)
            self.contested += answered.contested
            done += len(answered.labels)
            left = counts_after(left, len(answered.labels))
            yield answered.labels.astype(np.float64)

    def _open_round(self, buy: Callable[[], Entry], bits: Bits) -> Round:
        if self._round is None or not self._round.open:
            self._round = self.mechanism.open_round(buy(), bits)
            self.bought += 1
        return self._round


def _once(entry: Entry) -> Callable[[], Entry]:
    """Sells the entry a single time."""
    entries = [entry]

    def buy() -> Entry:
        if not entries:
            raise LedgerFailure("answers: one entry pays for one round, reserve another for the rest")
        return entries.pop()

    return buy


def quote_in_rounds(facts: Facts, given: int | None, in_round: int, count: int, budget: Budget) -> Quote:
    """The fewest rounds, their prices added up, that are expected to answer so many questions."""
    if budget.delta == 0:
        raise MechanismRefused('method="consensus": needs a budget with delta > 0')
    rounds = max(1, -(-count // in_round))
    while rounds <= MOST_ROUNDS:
        price = Budget(budget.epsilon / rounds, budget.delta / rounds)
        error, answered = _round(facts, given, in_round, price)
        if answered * rounds >= count:
            return Quote(price.epsilon, price.delta, error)
        rounds = rounds + 1 if rounds < 16 else rounds * 5 // 4
    return Quote(budget.epsilon / rounds, budget.delta / rounds, answer_risk.NO_BETTER_THAN_CHANCE)


@lru_cache(maxsize=4096)
def _round(facts: Facts, given: int | None, in_round: int, price: Budget) -> tuple[float, float]:
    """The predicted error of an answer, and how many a round is expected to give."""
    rule = consensus(price.epsilon, price.delta, in_round)
    voters = voters_at(given, facts.n, consensus_voters(rule))
    scale = (rule.line_scale + rule.query_scale) / rule.unit
    error, contested = answer_risk.of_consensus(facts, voters, rule.line / rule.unit, scale, float(rule.vote))
    contested = min(max(1e-12, contested), 1 - 1e-12)
    return error, -math.expm1(in_round * math.log1p(-contested)) / contested
