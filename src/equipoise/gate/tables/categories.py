"""Categories: which values of columns occur often, by noisy counts that reach a threshold.

Guarantee.  (ε, δ)-DP, δ > 0: a value that one record alone has is found with probability at most δ/(2·columns).
Assumes.    A record has at most one value in each column.
Adjacency.  Replace-one; of a person where the table holds one row of each.
Numerics.   Counts are whole and lie on the noise's grid: δ_numeric is 0; the tail is rounded up.
Reference.  docs/proofs/private_categories.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import whole
from equipoise.errors import MechanismRefused
from equipoise.gate.door import keep_frequent
from equipoise.gate.noise import Bits
from equipoise.gate.tables.counts import counts_noise
from equipoise.inside import Private
from equipoise.inside.tables.categories import Named, word_counts
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import promised
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import ApproximateRelease, PureRelease
from equipoise.theory.guarantees import ONE_ROW, Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.plan import person_unit
from equipoise.theory.tables.categories import chance_of_each, counts_moved, least_count

NAME = "private-categories"


@dataclass(frozen=True, slots=True)
class CategoriesPlan:
    """Everything about the release, before a record is seen."""

    records: int
    columns: int
    budget: Budget
    persons: bool = False
    """Whether the records are the first rows of persons."""

    def __post_init__(self) -> None:
        whole(records=self.records)
        if self.budget.delta == 0:
            raise MechanismRefused("delta: values can be found with delta > 0 only, state one far below 1/n")

    @property
    def event(self) -> PureRelease | ApproximateRelease:
        return promised(self.budget.epsilon, self.budget.delta)

    @property
    def noise(self) -> Noise:
        """Of one count; each has its own."""
        return counts_noise(1, counts_moved(self.columns), self.budget.epsilon)

    @property
    def least(self) -> int:
        """What a noisy count must reach."""
        return least_count(self.noise, chance_of_each(self.budget.delta, self.columns))

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="discrete Laplace noise on counts of what occurs, kept above a threshold",
            sensitivity=float(counts_moved(self.columns)),
            noise_scale=self.noise.scale,
            seeded=seeded,
            unit=person_unit(1) if self.persons else ONE_ROW,
            constants={
                "records": float(self.records),
                "columns": float(self.columns),
                "least noisy count": float(self.least),
            },
        )


def release(
    words: Private[dict[str, list[str | None]]], plan: CategoriesPlan, entry: Entry, bits: Bits
) -> dict[Named, float]:
    """Values that were found, with their noisy counts."""
    return keep_frequent(word_counts(words), plan.noise, float(plan.least), plan.event, entry, bits)
