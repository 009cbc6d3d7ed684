"""Stated stability: somebody's estimator, whose caller says how far one record moves it, with noise on that scale.

Guarantee.  ε-DP with spherical noise (δ = 0), (ε, δ)-DP with Gaussian noise, if the stated stability is true.
Assumes.    A worst-case bound on the coefficients in L2, for every table within the bounds, failures included.
Adjacency.  Replace-one.
Numerics.   Grid of 2⁻²⁴ noise scales; the rounding is part of the sensitivity.  The stranger's arithmetic is part of
            what its caller states.
Reference.  docs/proofs/stated_stability.md; Watson, Rozemberczki, Sarkar 2020 (conditions ours).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.gate.door import add_noise
from equipoise.gate.models.added_noise import AddedNoise, added_noise
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.mechanisms import STATED_STABILITY
from equipoise.theory.plan import person_unit
from equipoise.theory.stability.bound import StabilityBound

Vector = npt.NDArray[np.float64]
HOLDS_PURE = "pure noise is smaller here: this holds with delta=0"


@dataclass(frozen=True, slots=True, repr=False)
class StatedPlan:
    """Everything about the release, before a record is seen."""

    records: int
    dim: int
    row_norm: float
    stated: StabilityBound
    budget: Budget
    added: AddedNoise
    sensitivity: float
    person_rows: int | None
    notes: tuple[str, ...]

    @property
    def neighbours(self) -> Neighbours:
        return Neighbours(Adjacency.REPLACE_ONE, Unit.ROW if self.person_rows is None else Unit.PERSON)

    def constants(self) -> dict[str, float]:
        """Every number the guarantee rests on, by name."""
        named = {
            "records": float(self.records),
            "released numbers": float(self.dim),
            "row norm": self.row_norm,
            "stated stability": self.stated.value,
            "sensitivity": self.sensitivity,
            "noise scale": self.added.noise.scale,
            "grid step": self.added.noise.step,
        }
        if self.person_rows is not None:
            named["rows per person"] = float(self.person_rows)
        return named

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises, on the caller's word."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=self.added.event.delta_numeric,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=STATED_STABILITY.name,
            theorem=self.added.theorem,
            sensitivity=self.sensitivity,
            noise_scale=self.added.noise.scale,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants=self.constants(),
            notes=self.notes,
        )

    def __repr__(self) -> str:
        head = f"mechanism   {STATED_STABILITY.name}: {self.added.theorem}"
        spent = f"budget      epsilon {self.budget.epsilon:g}, delta {self.budget.delta:g}"
        rows = [f"  {name:<18}  {value:.6g}" for name, value in self.constants().items()]
        return "\n".join([head, spent, *rows, *(f"note        {note}" for note in self.notes)])


def word_of(stated: StabilityBound) -> str:
    """Whose claim the promise rests on."""
    given = "; ".join(stated.assumes)
    return (
        f"THE CALLER STATES that one row moves the coefficients by at most {stated.value:.6g} in L2, because:"
        f" {stated.because}{f' (assuming: {given})' if given else ''}. Nobody else vouches for it, and if it is false,"
        " so is this promise"
    )


def plan(
    stated: StabilityBound, records: int, dim: int, row_norm: float, budget: Budget, person_rows: int | None = None
) -> StatedPlan:
    """The smaller of pure and Gaussian noise where δ allows both."""
    together = stated if person_rows is None else stated.for_rows(person_rows)
    moved = together.weights_l2()
    budgets = [budget, replace(budget, delta=0.0)] if budget.delta > 0 else [budget]
    tried = [added_noise(moved, whole(dim=dim), each, row_norm) for each in budgets]
    best = min(tried, key=lambda each: each.noise.rms)
    notes = (word_of(stated),) if best is tried[0] else (word_of(stated), HOLDS_PURE)
    return StatedPlan(whole(records=records), dim, row_norm, stated, budget, best, moved, person_rows, notes)


def release(value: Private[Vector], plan: StatedPlan, entry: Entry, bits: Bits) -> Released:
    """One trip through the door."""
    noisy = add_noise(value, plan.added.noise, plan.added.event, entry, bits)
    return Released(noisy, plan.added.event, plan.guarantee(bits.seeded))
