"""Frank and Wolfe's method with private steps: each goes to a corner drawn by the gradient where the last one led.

Guarantee.  Every step is an exponential mechanism of bounded range, all together ε-DP or (ε, δ)-DP by composition.
Assumes.    Smooth loss of a bounded score; every entry of a row within `row_norm`.  No solver, no certificate.
Adjacency.  Replace-one; several rows of a person together.
Numerics.   The gradient's rounding is part of its sensitivity, whole-number weights part of the range; draws are exact.
Reference.  docs/proofs/simplex.md, section 5; Talwar, Thakurta, Zhang 2015.
"""

from __future__ import annotations

import math

import numpy as np

from equipoise._checks import shown
from equipoise.errors import MechanismRefused
from equipoise.gate import door
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.simplex.mixtures import Mixtures, pulls
from equipoise.ledger import Entry
from equipoise.outside.simplex.mixture import Mixture, mixture_of
from equipoise.theory import sensitivity
from equipoise.theory.accounting.prices import bounded_range_answers
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import FRANK_WOLFE
from equipoise.theory.plan import Facts, Sensitivity
from equipoise.theory.rounding import FORMULA, down
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.draws import LARGEST_REACH, Draws, LogRatios, weights_error, widest_range
from equipoise.theory.simplex.plans import WolfePlan

STEPS = tuple(2**power for power in range(11))
"""Numbers of steps that are compared, from public facts."""


def plan(facts: Facts, corners: Corners, budget: Budget) -> WolfePlan:
    """Settle the number of steps and how sharply each chooses."""
    if facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'adjacency="{facts.adjacency}": needs a public number of rows, use replace-one')
    moved = sensitivity.of_corner_gradient(facts)
    reach = sensitivity.corner_reach(facts)
    largest = facts.loss.facts(reach).slope * reach
    offers = [
        (_risk(facts, corners, steps, rate), steps, eta, rate)
        for steps in STEPS
        for eta, rate in [_sharpness(budget, steps, moved, largest, corners)]
        if rate > 0
    ]
    if not offers:
        raise MechanismRefused(
            f"epsilon={shown(budget.epsilon)}: too small for one step, raise epsilon or give more rows"
        )
    _, steps, eta, rate = min(offers)
    return WolfePlan(
        mechanism=FRANK_WOLFE.name,
        theorem="private Frank-Wolfe, bounded-range composition",
        facts=facts,
        budget=budget,
        event=bounded_range_answers(eta, steps),
        sensitivity=Sensitivity(moved, "change of a mean gradient's coordinates at the released point"),
        corners=corners,
        draws=Draws(1, LogRatios(eta, eta)),
        steps=steps,
        rate=rate,
        notes=(f"{steps} steps, each to one corner: at most so many coefficients are not zero",),
    )


def _sharpness(budget: Budget, steps: int, moved: float, largest: float, corners: Corners) -> tuple[float, float]:
    """The range of one step, and the rate that keeps it, or one that doubles hold; 0 where nothing is left after
    rounding."""
    eta, most = widest_range(budget, steps), down(LARGEST_REACH / (2 * largest))
    rate = min(most, down(eta / (2 * moved), FORMULA))
    left = eta - 4 * weights_error(corners.count, 2 * rate * largest)
    return eta, max(0.0, min(most, down(left / (2 * moved), FORMULA)))


def _risk(facts: Facts, corners: Corners, steps: int, rate: float) -> float:
    """8·L_gR²/(steps + 2) of the method itself, and what choosing by such weights loses in a step."""
    reach = sensitivity.corner_reach(facts)
    return 8 * facts.loss.facts(reach).curvature * reach * reach / (steps + 2) + math.log(corners.count) / rate


def predict_risk(plan: WolfePlan) -> float:
    """Excess risk at most, on average."""
    return _risk(plan.facts, plan.corners, plan.steps, plan.rate)


def release(records: Private[Mixtures], plan: WolfePlan, entry: Entry, bits: Bits) -> Mixture:
    """Step t moves a part 2/(t + 2) of the way to its corner; the first goes all the way."""
    places, shares = np.empty(plan.steps, dtype=np.intp), np.zeros(plan.steps)
    weights = np.full(plan.corners.count, 1 / plan.corners.count)
    for step in range(plan.steps):
        wanted = pulls(records, weights, plan.rate)
        (places[step],) = door.sample(wanted, plan.draws, plan.event, entry, bits)
        part = 2 / (step + 2)
        shares *= 1 - part
        shares[step] = part
        weights *= 1 - part
        weights[places[step]] += part
    kept = shares > 0
    return mixture_of(plan.corners, places[kept], shares[kept] / math.fsum(shares.tolist()))
