"""Stable gradient descent: steps over batches of records, each record once a pass, and noise on where they end.

Guarantee.  ε-DP with spherical noise (δ = 0), (ε, δ)-DP with Gaussian noise.
Assumes.    A convex smooth loss, a ridge α > 0 on every coefficient; an order drawn without the records.
Adjacency.  Replace-one: a row more or less would shift every later batch.
Numerics.   No certificate is needed: the end of the walk is what is released.  Rounding of the steps and of the grid is
            part of the sensitivity.
Reference.  docs/proofs/stable_sgd.md; Wu et al. 2017 (bolt-on); Watson, Rozemberczki, Sarkar 2020 (constants ours).
"""

from __future__ import annotations

import math

import numpy as np

from equipoise.errors import MechanismRefused
from equipoise.gate.door import add_noise
from equipoise.gate.models.added_noise import added_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.models.output_perturbation import smoothed
from equipoise.gate.noise import Bits
from equipoise.gate.order import random_order
from equipoise.inside import Private, Records
from equipoise.inside.walk import walked
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import STABLE_SGD
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.descents import SGD, Walk
from equipoise.theory.stability.walks import of_walk, walk_norm

NAME = STABLE_SGD.name


def plan(facts: Facts, budget: Budget) -> WalkPlan[Walk]:
    """Settle steps, sensitivity and noise from public facts."""
    if facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'mechanism="{NAME}": a row more would shift every batch, use adjacency="replace-one"')
    facts, notes = smoothed(facts)
    alpha = facts.penalty.strong_convexity
    bend = up(facts.loss.facts(math.inf).curvature * facts.bounds.norm**2 + alpha, FORMULA)
    way = facts.descent if isinstance(facts.descent, SGD) else SGD()
    walk = way.settled(facts.n, alpha, bend)
    moved = of_walk(facts, walk)
    added = added_noise(moved.l2, facts.dim, budget, facts.bounds.norm)
    return WalkPlan(
        mechanism=NAME,
        theorem=f"stable gradient descent, {added.theorem}",
        facts=facts,
        budget=budget,
        event=added.event,
        sensitivity=moved,
        walk=walk,
        noise=added.noise,
        norm=walk_norm(facts),
        notes=notes,
    )


def predict_risk(plan: WalkPlan[Walk]) -> float:
    """As if the steps ended at the minimiser, over the family of problems."""
    return family.of_output(plan.facts, plan.noise.rms)


def release(records: Private[Records], plan: WalkPlan[Walk], entry: Entry, bits: Bits) -> Released:
    """Draw an order, walk, then one trip through the door."""
    facts = plan.facts
    order = np.asarray(random_order(facts.n, bits), dtype=np.intp)
    end = walked(records, facts.loss, facts.penalty, plan.walk, order, facts.ball)
    value = add_noise(end, plan.noise, plan.event, entry, bits)
    variances = np.full(facts.dim, plan.noise.rms * plan.noise.rms)
    return Released(value, plan.event, plan.guarantee(bits.seeded), covariance=variances)


MECHANISM = Mechanism(
    about=STABLE_SGD,
    needs=Needs(smooth=False),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    in_auto=False,
)
