"""The exponential projected walk: 1 with probability sigmoid(ε·v/2), where v is where the walk stands at the query.

Guarantee.  ε-bounded range, hence ε-DP, for each answer, exactly.
Assumes.    One record moves v by at most 2, wherever the walk is asked.
Adjacency.  Replace-one.
Numerics.   v is a whole number, the coins have exactly rational exponents, δ_numeric is 0.
Reference.  docs/proofs/walk.md; Dwork, Feldman 2018, Lemma 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate import door
from equipoise.gate.door import answers_paid
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.answers.walk import beside_zero
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import bounded_range_answers
from equipoise.theory.events import BoundedRangeRelease

Counts = npt.NDArray[np.int64]
Labels = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class WalkCoin:
    """One coin per query."""

    epsilon: float
    rows: int = 1
    """How many rows may change between neighbours: each moves the walk by two at most."""

    @property
    def per_row(self) -> float:
        """What each of them may cost."""
        return self.epsilon / self.rows

    def event(self, count: int) -> BoundedRangeRelease:
        return bounded_range_answers(self.epsilon, count)

    def release(self, stands: Private[Counts], entry: Entry, bits: Bits) -> Labels:
        """0 with weight 1, 1 with weight exp(ε·v/(2·rows))."""
        event = self.event(answers_paid(entry))
        return door.vote(beside_zero(stands), Fraction(self.epsilon) / (2 * self.rows), event, entry, bits)
