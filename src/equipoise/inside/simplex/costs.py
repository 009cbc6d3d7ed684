"""What experts have cost so far, in whole steps: sums are exact."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.entries import EntryBound
from equipoise.theory.simplex.rounds import COST_STEPS

Totals = npt.NDArray[np.int64]


def no_costs(experts: int) -> Private[Totals]:
    """Before the first round."""
    return Private(np.zeros(experts, dtype=np.int64))


def with_cost(totals: Private[Totals], cost: Array, bound: float) -> Private[Totals]:
    """One vector more, each entry brought within its bound; what is missing counts as 0."""
    return totals.map(lambda known: known + _steps(cost, bound))


def leaning(totals: Private[Totals], rate: float) -> Private[Array]:
    """Exponents: the less an expert has cost, the larger."""
    return totals.map(lambda known: -rate * known.astype(np.float64))


def _steps(cost: Array, bound: float) -> Totals:
    within = EntryBound(bound).brought_within(cost[None])[0] / bound
    steps: Totals = np.rint(np.clip(within, -1.0, 1.0) * COST_STEPS).astype(np.int64)
    return steps
