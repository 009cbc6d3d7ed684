"""Counts for placing knots: one Gaussian release of the cells of all columns, a part of an additive fit.

Guarantee.  μ-GDP, beside the rest of the fit: both together have the fit's (ε, δ).
Assumes.    Columns, their bounds and the cells are public.
Adjacency.  Replace-one, or add-remove.
Numerics.   Integer noise on a grid, as for every Gaussian release.
Reference.  docs/proofs/additive.md, section 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models.noisy_gradients import MOST_STEPS
from equipoise.gate.noise import Bits, delta_numeric
from equipoise.inside import Private
from equipoise.ledger import Entry
from equipoise.theory.accounting.shares import gaussian_share
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Noise
from equipoise.theory.plan import Facts
from equipoise.theory.rounding import WELL_CLEAR, down
from equipoise.theory.tables.placing import CELLS, SHARE, counts_moved, worth_counting

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlacingPlan:
    """The counts' noise and price, and what is left for the fit."""

    noise: Noise
    event: GaussianRelease
    left: Budget


def plan(columns: int, facts: Facts, budget: Budget) -> PlacingPlan | None:
    """For so many columns, beside noisy gradients with these facts; None where counting is not worth its price."""
    epsilon, slack = laws.within_reach(budget.epsilon), laws.gaussian_room(columns * CELLS)
    drawn = slack.epsilon + MOST_STEPS * laws.gaussian_room(facts.dim).epsilon
    whole = laws.shift_for(down(epsilon - drawn, WELL_CLEAR), budget.delta) if drawn < epsilon / 2 else 0.0
    mu = down(whole * math.sqrt(SHARE), WELL_CLEAR)
    if not mu > 0:
        return None
    moved = counts_moved(columns, facts.adjacency, facts.together)
    noise = laws.gaussian_of(moved, columns * CELLS, mu)
    if not worth_counting(noise.scale, facts.n):
        return None
    event = GaussianRelease(mu, 1, delta_numeric(epsilon, slack, budget.delta), slack.epsilon)
    rest = gaussian_share(down(whole * math.sqrt(1 - SHARE), WELL_CLEAR), budget.delta)
    return PlacingPlan(noise, event, rest.budget)


def release(counts: Private[Array], plan: PlacingPlan, entry: Entry, bits: Bits) -> Array:
    """One trip through the door; a row of cells for each column."""
    return add_noise(counts, plan.noise, plan.event, entry, bits).reshape(-1, CELLS)
