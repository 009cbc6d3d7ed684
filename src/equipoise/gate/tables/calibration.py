"""Calibration: noisy counts of forecasts by outcome, and a noisy sum of squared errors.

Guarantee.  ε-DP: a quarter of ε for the sum, the rest for the counts; all of it for the sum when asked alone.
            δ is not used.
Assumes.    The classifier is released or made without these rows; the number of rows is public.
Adjacency.  Replace-one.
Numerics.   Counts are whole and lie on the noise's grid; the sum is rounded to a grid and its sensitivity includes
            that: δ_numeric is 0.
Reference.  docs/proofs/calibration.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise._checks import positive
from equipoise.gate.door import add_noise
from equipoise.gate.laws import pure, spanning
from equipoise.gate.noise import Bits
from equipoise.gate.tables.counts import Array, counts_noise, private_histogram
from equipoise.inside import Private
from equipoise.inside.tables.calibration import Forecasts, reliability_counts, squared_errors
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.noise import Noise
from equipoise.theory.rounding import down
from equipoise.theory.sensitivity import of_counts
from equipoise.theory.tables.calibration import BRIER_SHARE, of_squared_errors

NAME = "reliability"


@dataclass(frozen=True, slots=True)
class ReliabilityPlan:
    """Everything about the release, before a record is seen.  Without bins the Brier score alone is released."""

    records: int
    bins: int
    budget: Budget

    def __post_init__(self) -> None:
        positive(epsilon=min(self.brier, self.counts))  # a part of next to nothing may be nothing
        _ = self.sum_noise, self.bins and self.cell_noise  # they refuse what cannot be drawn for

    @property
    def event(self) -> PureRelease:
        return pure_release(self.budget.epsilon)

    @property
    def brier(self) -> float:
        """ε of the Brier score."""
        return down(self.budget.epsilon * BRIER_SHARE) if self.bins else self.budget.epsilon

    @property
    def counts(self) -> float:
        """ε of the counts."""
        return down(self.budget.epsilon * (1 - BRIER_SHARE))

    @property
    def sum_noise(self) -> Noise:
        return pure(spanning(of_squared_errors(self.records), self.brier, self.records), 1, self.brier).noise

    @property
    def cell_noise(self) -> Noise:
        return counts_noise(2 * self.bins, of_counts(Adjacency.REPLACE_ONE), self.counts)

    def guarantee(self, seeded: bool) -> Guarantee:
        """What the release promises."""
        moved = of_counts(Adjacency.REPLACE_ONE) if self.bins else of_squared_errors(self.records)
        named = {"records": float(self.records), "noise scale of the squared errors": self.sum_noise.scale}
        named["epsilon of the Brier score"] = self.brier
        if self.bins:
            named |= {"epsilon of the counts": self.counts, "noise scale of the counts": self.cell_noise.scale}
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=NAME,
            theorem="discrete Laplace noise on counts and on the sum of squared errors",
            sensitivity=float(moved),
            noise_scale=(self.cell_noise if self.bins else self.sum_noise).scale,
            seeded=seeded,
            constants=named,
            notes=("this holds with delta=0",) if self.budget.delta > 0 else (),
        )


@dataclass(frozen=True, slots=True, eq=False)
class NoisyReliability:
    """What leaves: noisy counts (bins × outcome, none without bins) and the noisy mean of squared errors."""

    counts: Array
    brier: float


def release(forecasts: Private[Forecasts], plan: ReliabilityPlan, entry: Entry, bits: Bits) -> NoisyReliability:
    """Let the sum out, and the counts where a curve was asked for."""
    total = add_noise(squared_errors(forecasts), plan.sum_noise, plan.event, entry, bits)
    brier = float(total[0]) / plan.records
    if not plan.bins:
        return NoisyReliability(total[:0].reshape(0, 2), brier)
    counts = private_histogram(reliability_counts(forecasts, plan.bins), plan.cell_noise, plan.event, entry, bits)
    return NoisyReliability(counts.reshape(plan.bins, 2), brier)
