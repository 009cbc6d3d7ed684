"""Gradient steps with momentum on all records, heavy ball or Nesterov's, and noise on where they end.

Guarantee.  ε-DP with spherical noise (δ = 0), (ε, δ)-DP with Gaussian noise.
Assumes.    The squared loss, whose Hessian is the same everywhere; a ridge α > 0 on every coefficient.
Adjacency.  Replace-one.
Numerics.   No certificate is needed: the end of the steps is what is released.  Rounding of the steps and of the grid
            is part of the sensitivity.
Reference.  docs/proofs/momentum.md; Watson, Rozemberczki, Sarkar 2020 (constants ours).
"""

from __future__ import annotations

import math

from equipoise.errors import MechanismRefused
from equipoise.gate.door import add_noise
from equipoise.gate.models.added_noise import added_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.inside.walk import swung
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import MOMENTUM
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.momentum import HeavyBall, Nesterov, Swing
from equipoise.theory.stability.walks import of_swing, swing_norms

NAME = MOMENTUM.name


def plan(facts: Facts, budget: Budget) -> WalkPlan[Swing]:
    """Settle steps, sensitivity and noise from public facts."""
    if facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'mechanism="{NAME}": its bound is for a public number of rows, use "replace-one"')
    if not facts.loss.traits.quadratic:
        raise MechanismRefused(
            f'mechanism="{NAME}": bounded for the squared loss alone, with the {facts.loss.name} loss momentum can'
            ' drive neighbours apart exponentially: use mechanism="sgd" or "output"'
        )
    alpha = facts.penalty.strong_convexity
    bend = up(facts.loss.facts(math.inf).curvature * facts.bounds.norm**2 + alpha, FORMULA)
    way = facts.descent if isinstance(facts.descent, HeavyBall | Nesterov) else HeavyBall()
    swing = way.settled(alpha, bend)
    moved = of_swing(facts, swing)
    added = added_noise(moved.l2, facts.dim, budget, facts.bounds.norm)
    return WalkPlan(
        mechanism=NAME,
        theorem=f"gradient steps with momentum, {added.theorem}",
        facts=facts,
        budget=budget,
        event=added.event,
        sensitivity=moved,
        walk=swing,
        noise=added.noise,
        norm=max(swing_norms(facts, swing)),
    )


def predict_risk(plan: WalkPlan[Swing]) -> float:
    """As if the steps ended at the minimiser, over the family of problems."""
    return family.of_output(plan.facts, plan.noise.rms)


def release(records: Private[Records], plan: WalkPlan[Swing], entry: Entry, bits: Bits) -> Released:
    """Walk, then one trip through the door."""
    facts = plan.facts
    end = swung(records, facts.loss, facts.penalty, plan.walk, facts.n)
    value = add_noise(end, plan.noise, plan.event, entry, bits)
    return Released(value, plan.event, plan.guarantee(bits.seeded))


MECHANISM = Mechanism(
    about=MOMENTUM,
    needs=Needs(ball=False, quadratic=True),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    in_auto=False,
)
