"""Output perturbation: minimise, certify, add noise to the minimiser.

Guarantee.  ε-DP with spherical noise (δ = 0), (ε, δ)-DP with Gaussian noise.
Assumes.    Convex loss, Lipschitz where minimisers can lie; ridge α > 0 on every coefficient, intercept included.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Grid of 2⁻²⁴ noise scales; the solver's radius and the rounding are part of the sensitivity.
Reference.  docs/proofs/output_perturbation.md; Chaudhuri, Monteleoni, Sarwate 2011; Wu et al. 2015 (constants ours).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from equipoise.gate.door import add_noise
from equipoise.gate.models import evened
from equipoise.gate.models.added_noise import added_noise
from equipoise.gate.models.mechanism import Mechanism, Needs, Steady
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, minimise, point_of, weighed
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family, sensitivity
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import OUTPUT
from equipoise.theory.plan import Facts, OutputPlan, Sensitivity
from equipoise.theory.rounding import up

DRAWS = 8
"""Draws to average a score over, when settings are compared: one more costs a product with the validation part."""

RADIUS_SHARE = 2.0**-10
"""The solver may be this part of the sensitivity away from the minimiser: it costs a fifth of a per cent of noise."""


def plan(facts: Facts, budget: Budget) -> OutputPlan:
    """Settle sensitivity, radius and noise from public facts."""
    return plan_for(OUTPUT.name, facts, budget, sensitivity.of_minimiser(facts.without_kink()))


def plan_for(name: str, facts: Facts, budget: Budget, moved: Sensitivity) -> OutputPlan:
    """The plan for a given, proved sensitivity of the minimiser."""
    evened.check(facts)
    facts, notes = smoothed(facts)
    radius = radius_for(facts, moved.l2)
    added = added_noise(up(moved.l2 + 2 * radius), facts.dim, budget, facts.bounds.norm)
    norm = sensitivity.minimiser_norm(facts)
    return OutputPlan(
        mechanism=name,
        theorem=added.theorem,
        facts=facts,
        budget=budget,
        event=added.event,
        sensitivity=moved,
        noise=added.noise,
        norm=norm,
        radius=radius,
        notes=notes,
    )


def smoothed(facts: Facts) -> tuple[Facts, tuple[str, ...]]:
    """The problem that is solved, and a note where it is not the one that was asked for."""
    if facts.loss.smooth:
        return facts, ()
    solved = facts.without_kink()
    bend = solved.loss.facts(math.inf).curvature
    return solved, (f"the kink of the {facts.loss.name} loss is rounded to a curvature of {bend:g}",)


def radius_for(facts: Facts, moved: float) -> float:
    """How far from the minimiser the solver may stop: a small part of how far that moves, or what doubles can reach."""
    return max(RADIUS_SHARE * moved, sensitivity.certifiable_radius(facts))


def predict_risk(plan: OutputPlan) -> float:
    """Excess risk over the family of problems."""
    return family.of_output(plan.facts, plan.noise.rms)


def release(records: Private[Records], plan: OutputPlan, entry: Entry, bits: Bits) -> Released:
    """Solve to the planned radius, then one trip through the door."""
    facts = plan.facts
    counted, to = weighed(records, facts), facts.evened_to
    solution = minimise(counted, facts.loss, facts.penalty, facts.n, plan.radius, facts.ball, evened=to)
    value = add_noise(point_of(solution), plan.noise, plan.event, entry, bits)
    # Uncorrelated errors: the variances alone, since a square of a large dimension would not fit in memory.
    variances = np.full(facts.dim, plan.noise.rms * plan.noise.rms)
    return Released(value, plan.event, plan.guarantee(bits.seeded), covariance=variances)


def steady(plan: OutputPlan, rows: int, draws: int | None) -> Steady:
    """w*(T) + noise moves as the minimiser does; the solver may add its radius on either side."""
    facts = replace(plan.facts, n=rows)
    moved = sensitivity.of_minimiser(facts)
    radius = radius_for(facts, moved.l2)
    return Steady(plan, facts, radius, up(moved.l2 + 2 * radius), draws or DRAWS)


MECHANISM = Mechanism(
    about=OUTPUT,
    needs=Needs(smooth=False, ball=False, ridge=False),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    steady=steady,
    finish=evened.where_noisy(plan, predict_risk),
    rescaled=lambda _, facts, budget: plan(facts, budget),
    on_grid=True,
)
