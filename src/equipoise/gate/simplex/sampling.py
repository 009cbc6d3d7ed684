"""Sampling from the minimiser: entropy-regularised weights, certified, of which a few corners are drawn.

Guarantee.  ε-DP (δ = 0) or (ε, δ)-DP: the log-ratio of the weights of neighbours is bounded, and its range.
Assumes.    Convex smooth loss of a bounded score; every entry of a row within `row_norm`; entropy α > 0.
Adjacency.  Replace-one; several rows of a person together.
Numerics.   The solver's residual and whole-number weights are part of the log-ratio; draws are exact: δ_numeric is 0.
Reference.  docs/proofs/simplex.md; Jain, Thakurta 2014, section 5.1 (constants ours).
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np

from equipoise._checks import MOST_COUNTED, shown
from equipoise.errors import MechanismRefused
from equipoise.gate import door
from equipoise.gate.noise import Bits
from equipoise.inside import Private
from equipoise.inside.simplex.mixtures import Mixtures
from equipoise.inside.simplex.solver import log_weights
from equipoise.ledger import Entry
from equipoise.outside.simplex.mixture import Mixture, mixture_of
from equipoise.theory import sensitivity
from equipoise.theory.accounting.prices import promised
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import SAMPLE
from equipoise.theory.plan import Facts
from equipoise.theory.simplex import draws as counting
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.draws import Draws, LogRatios
from equipoise.theory.simplex.plans import SamplePlan
from equipoise.theory.simplex.solving import course_for, exponent_reach

TRIED = 120
"""Strengths of the entropy that are compared where nobody chose one, evenly in their logarithm."""

WEAKEST, STRONGEST = 2.0**-24, 2.0**8
"""The first and last of them, in units of the largest slope of a record's loss in a weight."""


def plan(facts: Facts, corners: Corners, budget: Budget, given: bool) -> SamplePlan:
    """Settle residual, log-ratios and the number of draws; `given` is whether the caller chose the entropy's weight."""
    if facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'adjacency="{facts.adjacency}": needs a public number of rows, use replace-one')
    chosen = facts if given else strongest_use(facts, corners, budget)
    course = course_for(chosen, corners)
    ratios = ratios_of(chosen, corners, course.residual)
    count = counting.most_draws(budget, ratios)
    if count < 1:
        raise too_dear(chosen, budget, ratios)
    return SamplePlan(
        mechanism=SAMPLE.name,
        theorem="sampling from the entropy-regularised minimiser, bounded log-ratios",
        facts=chosen,
        budget=budget,
        event=promised(budget.epsilon, budget.delta),
        sensitivity=sensitivity.of_weights(chosen, course.residual),
        corners=corners,
        draws=Draws(count, ratios),
        course=course,
        notes=(f"an average of {count} draws: at most so many coefficients are not zero",),
    )


def ratios_of(facts: Facts, corners: Corners, residual: float) -> LogRatios:
    """Between the laws that are drawn from, arithmetic included."""
    error = counting.weights_error(corners.count, exponent_reach(facts))
    return counting.widened(sensitivity.of_log_weights(facts, residual), error)


def too_dear(facts: Facts, budget: Budget, ratios: LogRatios) -> MechanismRefused:
    """Not one draw: what would be needed instead."""
    rows = rows_for(ratios.each, facts, budget)
    return MechanismRefused(
        f"alpha={facts.penalty.strong_convexity:.4g}: one draw costs epsilon {ratios.each:.4g}, {budget.epsilon:g}"
        f" is there; raise epsilon to that, n to {rows}, or alpha (alpha='auto' finds one)"
    )


def rows_for(cost: float, facts: Facts, budget: Budget) -> str:
    """How many rows would make a draw of this ε as cheap as the budget, in a message."""
    rows = 1.01 * cost / budget.epsilon * facts.n
    return str(math.ceil(rows)) if rows < MOST_COUNTED else "more than can be counted"


def strongest_use(facts: Facts, corners: Corners, budget: Budget) -> Facts:
    """The entropy's weight of least predicted risk, from public facts."""
    reach = sensitivity.corner_reach(facts)
    unit = facts.loss.facts(reach).slope * reach
    tried = [of_weight(facts, unit * float(part)) for part in np.geomspace(WEAKEST, STRONGEST, TRIED)]
    risks = [predict_risk(each, corners, budget) for each in tried]
    best = int(np.argmin(risks))
    if math.isinf(risks[best]):
        cost = cheapest_draw(tried, corners)
        if math.isinf(cost):
            raise MechanismRefused(f"coef_norm={facts.ball:g}: too large for rows of so long entries, choose a smaller")
        raise MechanismRefused(
            f"epsilon={shown(budget.epsilon)}: not one draw at any alpha for n={facts.n}, raise epsilon to {cost:.4g}"
            f" or n to {rows_for(cost, facts, budget)}"
        )
    return tried[best]


def cheapest_draw(tried: list[Facts], corners: Corners) -> float:
    """The ε of one draw at the best of these weights of the entropy; it falls as one over n."""
    costs = [math.inf]
    for each in tried:
        with suppress(MechanismRefused):
            costs.append(ratios_of(each, corners, course_for(each, corners).residual).each)
    return min(costs)


def of_weight(facts: Facts, alpha: float) -> Facts:
    """The same problem with another weight of the entropy."""
    return replace(facts, penalty=facts.penalty.of_strength(alpha))


def predict_risk(facts: Facts, corners: Corners, budget: Budget) -> float:
    """Excess risk at most: α·log p for the entropy, and what an average of m draws adds to a smooth loss."""
    try:
        ratios = ratios_of(facts, corners, course_for(facts, corners).residual)
    except MechanismRefused:
        return math.inf
    count = counting.quick_draws(budget, ratios)
    if count < 1:
        return math.inf
    reach = sensitivity.corner_reach(facts)
    loss = facts.loss.facts(reach)
    drawn = min(loss.curvature * reach * reach / (2 * count), loss.slope * reach / math.sqrt(count))
    return facts.penalty.strong_convexity * math.log(corners.count) + drawn


def release(records: Private[Mixtures], plan: SamplePlan, entry: Entry, bits: Bits) -> Mixture:
    """Solve to the planned residual, then one trip through the door."""
    logs = log_weights(records, plan.course)
    return mixture_of(plan.corners, door.sample(logs, plan.draws, plan.event, entry, bits))
