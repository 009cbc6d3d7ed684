"""Evaluation: a noisy sum of one number in [0, 1] for each record.

Guarantee.  ε-DP.  δ is not used.
Assumes.    The model is released or made without these rows; the number of rows is public.
Adjacency.  Replace-one.
Numerics.   The sum is rounded to a grid and its sensitivity includes that: δ_numeric is 0.
Reference.  docs/proofs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.gate.door import add_noise
from equipoise.gate.laws import pure
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.tables.evaluation import summed
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.tables.calibration import of_squared_errors

NAME = "evaluation"


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """Everything about the release, before a record is seen."""

    records: int
    budget: Budget

    def __post_init__(self) -> None:
        whole(records=self.records)

    @property
    def event(self) -> PureRelease:
        return pure_release(self.budget.epsilon)

    @property
    def noise(self) -> Noise:
        return pure(of_squared_errors(self.records), 1, self.budget.epsilon).noise

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="discrete Laplace noise on a sum of numbers in [0, 1]",
            sensitivity=of_squared_errors(self.records),
            noise_scale=self.noise.scale,
            seeded=seeded,
            constants={"records": float(self.records)},
            notes=("this holds with delta=0",) if self.budget.delta > 0 else (),
        )


def release(terms: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> float:
    """The mean of the terms, with noise."""
    total = add_noise(summed(terms), plan.noise, plan.event, entry, bits)
    return float(total[0]) / plan.records
