"""Scaling: where the values of columns lie and how far they spread, from noisy soft counts.

Guarantee.  ε-DP, or (ε, δ)-DP with Gaussian noise where a δ is given.
Assumes.    Public bounds and scale of each column; the number of records is public.
Adjacency.  Replace-one, of a row or of a person with a public cap on rows.
Numerics.   As for every vector on a grid: sums are rounded to it and the sensitivity includes that.
Reference.  docs/proofs/private_scaling.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise._checks import whole
from equipoise.errors import InvalidInput
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.design.contract import Array
from equipoise.inside.tables.scaling import soft_counts
from equipoise.ledger import Entry
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Event
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.noise import Law
from equipoise.theory.plan import person_unit
from equipoise.theory.tables.scaling import MOST_RECORDS, SLOTS, Standing, soft_counts_moved, standing

NAME = "private-scaling"


@dataclass(frozen=True, slots=True)
class ScalingPlan:
    """Everything about the release, before a record is seen."""

    records: int
    columns: int
    budget: Budget
    person_rows: int | None = None

    def __post_init__(self) -> None:
        if whole(records=self.records) > MOST_RECORDS:
            raise InvalidInput(f"data: has more than {MOST_RECORDS} rows, scale by a part of them")

    @property
    def moved(self) -> float:
        """L2 sensitivity of all sums together."""
        return soft_counts_moved(self.columns, self.records, self.person_rows or 1)

    @property
    def law(self) -> tuple[laws.Calibrated, Event]:
        """Of the noise, and what it costs."""
        numbers = SLOTS * self.columns
        return laws.joint(laws.spanning(self.moved, self.budget.epsilon, 2.0 * self.records), numbers, self.budget)

    @property
    def event(self) -> Event:
        return self.law[1]

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        law, _ = self.law
        pure = law.noise.law is not Law.GAUSSIAN
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=law.delta_numeric,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem=f"{law.noise.law.words} noise on three soft counts of each column",
            sensitivity=self.moved,
            noise_scale=law.noise.scale,
            seeded=seeded,
            unit=ONE_ROW if self.person_rows is None else person_unit(self.person_rows),
            constants={
                "records": float(self.records),
                "columns": float(self.columns),
                "noise in a count (root mean square)": law.noise.rms,
            },
            notes=("this holds with delta=0",) if pure and self.budget.delta > 0 else (),
        )


def release(places: Private[Array], plan: ScalingPlan, entry: Entry, bits: Bits) -> tuple[Standing, ...]:
    """Centre and spread of each column, along its scale."""
    law, event = plan.law
    sums = add_noise(soft_counts(places), law.noise, event, entry, bits)
    return tuple(standing(part, law.noise.rms) for part in np.reshape(sums, (plan.columns, SLOTS)))
