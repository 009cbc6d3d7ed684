"""Consensus: settled queries are answered as the voters say, and only a contested one is paid for.

Guarantee.  (ε, δ)-DP for a whole round: up to `queries` answers, the last of which may be contested.
Assumes.    One record decides one vote, so it moves the distance to another winner by at most 1.
Adjacency.  Replace-one; queries may depend on all earlier answers.
Numerics.   Distances and noise are whole steps, the discrete Laplace laws and the vote are exact, δ_numeric is 0.
Reference.  docs/proofs/voting.md; Bassily, Thakkar, Thakurta 2018; Lyu, Su, Li 2017 (the sparse vector technique).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import LedgerFailure
from equipoise.gate.door import Settled, draw_line, settle
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import consensus_round
from equipoise.theory.events import ApproximateRelease
from equipoise.theory.prediction.shards import Consensus

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConsensusVote:
    """The price and the rule of a round."""

    epsilon: float
    delta: float
    rule: Consensus

    @property
    def event(self) -> ApproximateRelease:
        return consensus_round(self.epsilon, self.delta)

    def open_round(self, entry: Entry, bits: Bits) -> Round:
        """Start a round that has been paid for: its one draw of line noise is hidden until the round is over."""
        return Round(self, draw_line(self.rule, self.event, entry, bits), entry)


class Round:
    """Some answers still to be given under one entry.  Not thread-safe by itself: hold the predictor's lock."""

    __slots__ = ("_line", "_vote", "entry", "left")

    def __init__(self, vote: ConsensusVote, line: Private[int], entry: Entry) -> None:
        self._vote, self._line, self.entry = vote, line, entry
        self.left = vote.rule.queries

    @property
    def open(self) -> bool:
        """Whether it can answer another query here."""
        return self.left > 0 and self.entry.open

    def answer(self, counts: Private[Counts], bits: Bits) -> Settled:
        """Answer in order, until the queries, the round's number or its one contested query is used up."""
        if not self.open:
            raise LedgerFailure("round: it is over or was paid for elsewhere, buy another before asking")
        return self._close(settle(counts, self.left, self._line, self._vote.rule, self._vote.event, self.entry, bits))

    def _close(self, told: Settled) -> Settled:
        self.left = 0 if told.contested else self.left - len(told.labels)
        if self.left == 0:
            self.entry.commit()
        return told
