"""Evaluation: a noisy sum of one number in [0, 1] for each record; of squared errors in units of a usual size, chosen
first.

Guarantee.  ε-DP, the choice included.  δ is not used.
Assumes.    The model is released or made without these rows; the number of rows is public.
Adjacency.  Replace-one, of a row or of a person with a public cap on rows.
Numerics.   The sum is rounded to a grid and its sensitivity includes that: δ_numeric is 0.
Reference.  docs/proofs/evaluation.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.door import add_noise
from equipoise.gate.laws import pure, spanning
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.tables.evaluation import counted_beyond, error_scores, summed, within_usual
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.plan import person_unit
from equipoise.theory.rounding import down
from equipoise.theory.tables.calibration import of_squared_errors
from equipoise.theory.tables.usual_errors import COUNTED, UsualErrors, clipped_at, square_of

NAME = "evaluation"


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """Everything about the release, before a record is seen."""

    records: int
    budget: Budget
    person_rows: int | None = None
    """Rows of one person at most; None where the unit is the row."""
    errors: UsualErrors | None = None
    """What finds a usual size of errors first, where something does."""

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
        return pure(spanning(self.moved, self.left, self.records), 1, self.left).noise

    @property
    def left(self) -> float:
        """ε of the sum."""
        if self.errors is None:
            return self.budget.epsilon
        return down(down(self.budget.epsilon - self.errors.epsilon) - self.counted)

    @property
    def counted(self) -> float:
        """ε of how many errors are clipped, where a size is chosen."""
        return down(COUNTED * self.budget.epsilon)

    @property
    def count_noise(self) -> Noise:
        return pure(spanning(self.moved, self.counted, self.records), 1, self.counted).noise

    @property
    def together(self) -> int:
        """Rows that change between neighbours, at most."""
        return self.person_rows or 1

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
            theorem="discrete Laplace noise on a sum of numbers in [0, 1]"
            + ("" if self.errors is None else ", beside a choice of a usual size of errors and a count"),
            sensitivity=self.moved,
            noise_scale=self.noise.scale,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants=self._constants(),
            notes=("this holds with delta=0",) if self.budget.delta > 0 else (),
        )

    def _constants(self) -> dict[str, float]:
        """What the guarantee rests on."""
        found = {"records": float(self.records)}
        if self.errors is not None:
            found |= self.errors.constants() | {"privacy of the clipped errors": self.counted}
        return found


def release(terms: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> float:
    """The mean of the terms, with noise."""
    return release_sum(summed(terms), plan, entry, bits)


@dataclass(frozen=True, slots=True)
class UsualMean:
    """What leaves of squared errors."""

    mean: float
    """In units of the square, those beyond counted as one."""
    square: float = 1.0
    beyond: float | None = None
    """The part of the errors beyond, with noise; None where no size is chosen."""


def release_usual(squares: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> UsualMean:
    """The mean in units of a usual square, or of the bounds where nothing is chosen."""
    if plan.errors is None:
        return UsualMean(release(squares, plan, entry, bits))
    scores = error_scores(squares, plan.errors)
    level = clipped_at(permute_and_flip(scores, float(plan.together), plan.errors.epsilon, entry, bits))
    counted = add_noise(counted_beyond(squares, level), plan.count_noise, plan.event, entry, bits)
    mean = release(within_usual(squares, level), plan, entry, bits)
    return UsualMean(mean, square_of(level), float(counted[0]) / plan.records)


def release_sum(total: Private[Array], plan: EvaluationPlan, entry: Entry, bits: Bits) -> float:
    """The same from their sum, rounded once at most."""
    noisy = add_noise(total, plan.noise, plan.event, entry, bits)
    return float(noisy[0]) / plan.records
