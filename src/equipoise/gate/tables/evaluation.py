"""Evaluation: a noisy sum of one number in [0, 1] for each record.

Guarantee.  ε-DP.  δ is not used.
Assumes.    The model is released or made without these rows; the number of rows is public.
Adjacency.  Replace-one, of a row or of a person with a public cap on rows.
Numerics.   The sum is rounded to a grid and its sensitivity includes that: δ_numeric is 0.
Reference.  docs/proofs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.gate.door import add_noise
from equipoise.gate.laws import pure, spanning
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.tables.evaluation import summed
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.plan import person_unit
from equipoise.theory.tables.calibration import of_squared_errors

NAME = "evaluation"


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """Everything about the release, before a record is seen."""

    records: int
    budget: Budget
    person_rows: int | None = None
    """Rows of one person at most; None where the unit is the row."""

    def __post_init__(self) -> None:
        whole(records=self.records)
        _ = self.noise  # which refuses an epsilon too small to be drawn for, before a record is seen

    @property
    def event(self) -> PureRelease:
        return pure_release(self.budget.epsilon)

    @property
    def moved(self) -> float:
        """How far a row, or all rows of a person, move the sum."""
        return of_squared_errors(self.records, self.person_rows or 1)

    @property
    def noise(self) -> Noise:
        return pure(spanning(self.moved, self.budget.epsilon, self.records), 1, self.budget.epsilon).noise

    @property
    def independent(self) -> int:
        """How many independent terms an interval may count on: rows of one person say something about each other."""
        return max(1, self.records // (self.person_rows or 1))

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="discrete Laplace noise on a sum of numbers in [0, 1]",
            sensitivity=self.moved,
            noise_scale=self.noise.scale,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants={"records": float(self.records)},
            notes=("this holds with delta=0",) if self.budget.delta > 0 else (),
        )


def release(terms: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> float:
    """The mean of the terms, with noise."""
    return release_sum(summed(terms), plan, entry, bits)


def release_sum(total: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> float:
    """The same from their sum, rounded once at most."""
    noisy = add_noise(total, plan.noise, plan.event, entry, bits)
    return float(noisy[0]) / plan.records
