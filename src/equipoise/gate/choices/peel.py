"""Peeling: the columns that go best with the label, chosen one after the other, and nothing else.

Guarantee.  ε-DP by permute-and-flip; (ε, δ)-DP by weights of bounded range where that chooses more sharply.
Assumes.    Entries and labels within public ranges.
Adjacency.  Replace-one, of a row or of a person with a public cap on rows.
Numerics.   As for every choice: the law is exact, scores are rounded to a grid that the rate includes.
Reference.  docs/proofs/peeling.md; Durfee, Rogers 2019 (bounded range, without their noise).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from equipoise._checks import whole
from equipoise.errors import InvalidInput
from equipoise.gate.choices.select import coins_of
from equipoise.gate.door import choose
from equipoise.gate.noise import Bits
from equipoise.gate.noise.choice import Coins, permute_and_flip, weighted_choice
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.scores.covariances import those
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import bounded_range_answers, promised, pure_answers
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import BoundedRangeRelease, PureRelease
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.plan import person_unit
from equipoise.theory.rounding import FORMULA, down
from equipoise.theory.sensitivity import of_covariances
from equipoise.theory.simplex.draws import widest_range

NAME = "peeling"
MOST_RECORDS = 2**30
GAPS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""In covariance, for which a plan tells how often the wrong columns are chosen."""


@dataclass(frozen=True, slots=True, repr=False)
class PeelingPlan:
    """Everything about the choices, before a record is seen.  Printing it costs nothing."""

    records: int
    columns: int
    k: int
    budget: Budget
    person_rows: int | None = None
    """Rows of one person at most; None where the unit is the row."""

    def __post_init__(self) -> None:
        if whole(records=self.records) > MOST_RECORDS:
            raise InvalidInput("n: must be at most 2**30, choose from a part of the rows")
        if not whole(k=self.k) < whole(columns=self.columns):
            raise InvalidInput(f"k={self.k}: must be below the number of columns, n_features={self.columns}")

    @property
    def moved(self) -> float:
        """How far a row, or all rows of a person, move each score."""
        return of_covariances(self.records, self.person_rows or 1)

    @property
    def share(self) -> float:
        """ε of one choice, or its range."""
        return max(self._pure, self._range)

    @property
    def _pure(self) -> float:
        return down(self.budget.epsilon / self.k, FORMULA)

    @property
    def _range(self) -> float:
        return widest_range(self.budget, self.k) if self.budget.delta > 0 else 0.0

    @property
    def by_weights(self) -> bool:
        """Whether choices are by weights of bounded range, rather than by permute-and-flip."""
        return self._range > self._pure

    @property
    def event(self) -> PureRelease | BoundedRangeRelease:
        return bounded_range_answers(self.share, self.k) if self.by_weights else pure_answers(self.share, self.k)

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours(Adjacency.REPLACE_ONE, Unit.ROW if self.person_rows is None else Unit.PERSON)

    def wrong(self, gap: float) -> float:
        """The chance, at most, of another set where the k largest covariances are by `gap` above all others.

        Covariances of columns and label scaled to [−1, 1] by their ranges.
        """
        left = (self.columns - self.k) * math.exp(-min(700.0, self.share * gap * self.records / (2 * self.moved)))
        if not self.by_weights:
            return min(1.0, self.k * left / 2)
        return 1 - math.exp(-math.fsum(math.log1p(left / right) for right in range(1, self.k + 1)))

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the choices promise."""
        way = "weights of bounded range" if self.by_weights else "permute-and-flip"
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem=f"{self.k} choices among columns by {way}, by covariance with the label",
            sensitivity=self.moved,
            noise_scale=0.0,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants={
                "records": float(self.records),
                "columns": float(self.columns),
                "choices": float(self.k),
                "range of one choice" if self.by_weights else "epsilon of one choice": self.share,
            },
            notes=("this holds with delta=0",) if self.budget.delta > 0 and not self.by_weights else (),
        )

    def __repr__(self) -> str:
        promise = self.guarantee(seeded=False)
        head = [
            f"mechanism   {NAME}: {promise.theorem}",
            f"budget      epsilon {self.budget.epsilon:g}, delta {self.budget.delta:g}, {promise.adjacency}",
            f"sensitivity {self.moved:.6g} of n times a covariance, in units of the public ranges",
            f"chance of a wrong set, at most, where the {self.k} largest covariances are so far above all others:",
        ]
        return "\n".join([*head, *(f"  {gap:<5g} {self.wrong(gap):.3g}" for gap in GAPS)])


def release(sizes: Private[Array], plan: PeelingPlan, entry: Entry, bits: Bits) -> tuple[int, ...]:
    """The places of the columns chosen, in their order."""
    left, chosen = list(range(plan.columns)), []
    rule = partial(coins_of, sensitivity=plan.moved, epsilon=plan.share)
    event = plan.event if plan.by_weights else promised(plan.share)
    pick = by_weights if plan.by_weights else permute_and_flip
    for _ in range(plan.k):
        chosen.append(left.pop(choose(those(sizes, left), rule, event, entry, bits, pick)))
    return tuple(chosen)


def by_weights(coins: Coins, bits: Bits) -> int:
    """With chance proportional to exp(−exponent), exactly."""
    rate = Fraction(coins.epsilon) / (2 * coins.moved)
    return int(weighted_choice(np.array([coins.steps], dtype=np.int64), rate, bits)[0])
