"""Following the regularised leader: the plan of so many rounds, and how much worse than the best expert they can be.

One replaced cost vector shifts every later exponent by at most 2R/λ either way: each draw has range 4R/λ, and the
rounds compose by bounded range, costs chosen adaptively included (docs/proofs/simplex.md, section 6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import moderate, shown, whole
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting.prices import bounded_range_answers, promised
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.mechanisms import FOLLOW_THE_LEADER
from equipoise.theory.rounding import FORMULA, down, up
from equipoise.theory.simplex.draws import LARGEST_REACH, MIXED, Draws, LogRatios, weights_error, widest_range

COST_STEPS = 2**40
"""Whole steps to the largest cost: sums of costs are exact."""

MOST_ROUNDS = 2**22
"""Beyond, sums of whole costs would not fit."""

FIRST_EPOCH = 64
"""Rounds of the first epoch where the horizon is not known; each later one has twice as many."""


@dataclass(frozen=True, slots=True)
class RoundsPlan:
    """One horizon: settled before a cost is seen."""

    experts: int
    horizon: int
    cost_bound: float
    budget: Budget
    smoothing: float
    """λ: an expert is drawn with probability ∝ exp(−its cost so far/λ)."""
    eta: float
    """The range of one draw, arithmetic included."""
    doubling: bool = False
    """Whether this is one of several horizons, each with costs of its own."""

    @property
    def paid_draws(self) -> int:
        """The first decision has seen no cost and is free."""
        return self.horizon - 1

    @property
    def event(self) -> Event:
        """Of one horizon; of all of them where they double, since each cost is used in one alone."""
        if not self.doubling:
            return bounded_range_answers(self.eta, self.paid_draws)
        return promised(self.budget.epsilon, self.budget.delta)

    @property
    def draws(self) -> Draws:
        return Draws(1, LogRatios(self.eta, self.eta))

    @property
    def rate(self) -> float:
        """What one step of a cost takes off an exponent."""
        return self.cost_bound / COST_STEPS / self.smoothing

    def regret_bound(self, rounds: int) -> float:
        """Expected cost beyond that of the best expert, at most: λ·log p + tR²/(2λ), and what the uniform part adds."""
        mixed = 2 * self.cost_bound * MIXED * rounds
        drift = rounds * self.cost_bound**2 / (2 * self.smoothing)
        return self.smoothing * math.log(self.experts) + drift + mixed

    def guarantee(self, seeded: bool) -> Guarantee:
        """What all rounds together promise about one cost vector."""
        notes = ["the first decision has seen no cost: it is free", "a cost beyond its bound counts as the bound"]
        if self.doubling:
            notes.append("horizons double, and each starts afresh: a cost vector is used in one of them alone")
        return Guarantee(
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            delta_numeric=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            mechanism=FOLLOW_THE_LEADER.name,
            theorem="exponential mechanisms in rounds, bounded-range composition",
            sensitivity=2 * self.cost_bound,
            noise_scale=self.smoothing,
            seeded=seeded,
            unit="one cost vector",
            constants={
                "experts": float(self.experts),
                "rounds": float(self.horizon),
                "cost bound": self.cost_bound,
                "smoothing": self.smoothing,
                "range of a draw": self.eta,
            },
            notes=tuple(notes),
        )


def plan_rounds(experts: int, horizon: int, cost_bound: float, budget: Budget, *, doubling: bool = False) -> RoundsPlan:
    """The least λ that the budget allows, or the one of least regret if that is larger."""
    experts, horizon, cost_bound = whole(experts=experts), whole(horizon=horizon), moderate(cost_bound=cost_bound)
    if experts < 2:
        raise InvalidInput(f"experts={experts}: must be at least 2, with one there is nothing to decide")
    if not 2 <= horizon <= MOST_ROUNDS:
        raise InvalidInput(f"horizon={horizon}: must be from 2 to 2**22")
    most = min(widest_range(budget, horizon - 1), down(LARGEST_REACH / (2 * horizon)))  # wider ranges than doubles hold
    without = math.sqrt(horizon / (2 * math.log(experts)))  # λ/R of least regret where nothing need be private
    error = weights_error(experts, 2 * horizon * most)
    if 8 * error > most:
        raise MechanismRefused(
            f"epsilon={shown(budget.epsilon)}: too small for {horizon} rounds, raise it or lower horizon"
        )
    smoothing = up(cost_bound * max(4 / (most - 4 * error), without), FORMULA)
    eta = up(4 * cost_bound / smoothing + 4 * error, FORMULA / 100)
    return RoundsPlan(experts, horizon, cost_bound, budget, smoothing, min(eta, most), doubling)
