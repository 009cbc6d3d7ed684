"""How many records a fit clips: four noisy counts.

Guarantee.  ε-DP; δ is not used.
Assumes.    Bounds and classes are public.
Adjacency.  Replace-one, or add-remove.
Numerics.   Counts are whole and lie on the noise's grid: δ_numeric is 0.
Reference.  docs/proofs/histogram_density.md, section 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.gate.noise import Bits
from equipoise.gate.tables.counts import Array, counts_noise, private_histogram
from equipoise.inside import Private
from equipoise.inside.tables.clipped import Changed, change_counts
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.sensitivity import of_counts

NAME = "clipped-counts"
CELLS = 4


@dataclass(frozen=True, slots=True)
class ClippedPlan:
    """Everything about the release, before a record is seen."""

    budget: Budget
    adjacency: Adjacency

    def __post_init__(self) -> None:
        _ = self.noise  # which refuses an epsilon too small to be drawn for, before a record is seen

    @property
    def event(self) -> PureRelease:
        return pure_release(self.budget.epsilon)

    @property
    def noise(self) -> Noise:
        return counts_noise(CELLS, of_counts(self.adjacency), self.budget.epsilon)

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=0.0,
            delta_numeric=0.0,
            adjacency=self.adjacency,
            mechanism=NAME,
            theorem="discrete Laplace noise on counts",
            sensitivity=float(of_counts(self.adjacency)),
            noise_scale=self.noise.scale,
            seeded=seeded,
        )


def release(changed: Private[Changed], plan: ClippedPlan, entry: Entry, bits: Bits) -> Array:
    """The four counts with noise."""
    return private_histogram(change_counts(changed), plan.noise, plan.event, entry, bits)
