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
from equipoise.gate.answers.vote import weighted_choice
from equipoise.gate.door import check_paid
from equipoise.gate.noise import Bits, discrete_laplace
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.events import ApproximateRelease
from equipoise.theory.prediction.shards import Consensus

Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ConsensusVote:
    """The price and the rule of a round."""

    epsilon: float
    delta: float
    rule: Consensus

    @property
    def event(self) -> ApproximateRelease:
        return ApproximateRelease(self.epsilon, self.delta)

    def open_round(self, entry: Entry, bits: Bits) -> Round:
        """Start a round that has been paid for: its one draw of line noise is hidden until the round is over."""
        check_paid(entry, self.event)
        line = self.rule.line + int(discrete_laplace(self.rule.line_scale, 1, bits)[0])
        return Round(self.rule, Private(line), entry)


@dataclass(frozen=True, slots=True)
class Answered:
    """Answers to the first queries of a batch, as many as the round covered."""

    labels: Labels
    contested: bool
    """Whether the last of them was; the round is then over."""


class Round:
    """Some answers still to be given under one entry.  Not thread-safe by itself: hold the predictor's lock."""

    __slots__ = ("_line", "_rule", "entry", "left")

    def __init__(self, rule: Consensus, line: Private[int], entry: Entry) -> None:
        self._rule, self._line, self.entry = rule, line, entry
        self.left = rule.queries

    @property
    def open(self) -> bool:
        """Whether it can answer another query here."""
        return self.left > 0 and self.entry.open

    def answer(self, counts: Private[Counts], bits: Bits) -> Answered:
        """Answer in order, until the queries, the round's number or its one contested query is used up."""
        if not self.open:
            raise LedgerFailure("round: it is over or was paid for elsewhere, buy another before asking")
        votes = counts.reveal()[: self.left]
        noise = discrete_laplace(self._rule.query_scale, len(votes), bits)
        contested = np.flatnonzero(distances(votes) * self._rule.unit + noise < self._line.reveal())
        if contested.size == 0:
            return self._close(np.argmax(votes, axis=1), contested=False)
        last = int(contested[0])
        drawn = weighted_choice(votes[last : last + 1], self._rule.vote / 2, bits)
        return self._close(np.append(np.argmax(votes[:last], axis=1), drawn), contested=True)

    def _close(self, labels: Labels, *, contested: bool) -> Answered:
        self.left = 0 if contested else self.left - len(labels)
        if self.left == 0:
            self.entry.commit()
        return Answered(labels, contested)


def distances(votes: Counts) -> Counts:
    """How many voters must change before another class can win: ⌈lead/2⌉ − 1, and 0 where there is no lead."""
    ranked = np.sort(votes, axis=1)
    lead: Counts = ranked[:, -1] - ranked[:, -2]
    return np.maximum(0, (lead - 1) // 2)
