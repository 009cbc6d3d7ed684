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

from equipoise._checks import shown
from equipoise.errors import MechanismRefused
from equipoise.gate.door import add_noise
from equipoise.gate.models.added_noise import added_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.models.output_perturbation import smoothed
from equipoise.gate.noise import Bits
from equipoise.gate.order import order_in_runs
from equipoise.inside import Private, Records
from equipoise.inside.records import Order
from equipoise.inside.walk import Masks, walked
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import STABLE_SGD
from equipoise.theory.plan import Facts, WalkPlan
from equipoise.theory.rounding import FORMULA, up
from equipoise.theory.stability.descents import SGD, Walk
from equipoise.theory.stability.walks import masked, of_walk, walk_norm

NAME = STABLE_SGD.name
MOST_MASKED = 2**28
"""Columns of all masks together."""

RUN, MANY_ROWS = 32, 100_000
"""Of so many rows runs stay together, which is read faster: an order drawn without the records all the same."""


def plan(facts: Facts, budget: Budget) -> WalkPlan[Walk]:
    """Settle steps, sensitivity and noise from public facts."""
    if facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused(f'mechanism="{NAME}": a row more would shift every batch, use adjacency="replace-one"')
    facts, notes = smoothed(facts)
    alpha = facts.penalty.strong_convexity
    way = facts.descent if isinstance(facts.descent, SGD) else SGD()
    if way.slope_cap is not None and facts.loss.outputs > 1:
        raise MechanismRefused("slope_cap: clipping several scores drives points apart, clip rows by row_norm instead")
    seen = masked(facts, way.keep)
    bend = up(facts.loss.facts(math.inf).curvature * seen.bounds.norm**2 + alpha, FORMULA)
    walk = way.settled(facts.n, alpha, bend)
    if walk.keep < 1 and walk.steps * facts.features > MOST_MASKED:
        raise MechanismRefused(
            f"keep={shown(walk.keep)}: too many masks for so many steps and columns, use larger batches"
        )
    moved = of_walk(seen, walk)
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
        norm=walk_norm(seen, walk.slope_cap),
        notes=notes,
    )


def predict_risk(plan: WalkPlan[Walk]) -> float:
    """As if the steps ended at the minimiser, over the family of problems."""
    return family.of_output(plan.facts, plan.noise.rms)


def release(records: Private[Records], plan: WalkPlan[Walk], entry: Entry, bits: Bits) -> Released:
    """Walk in an order that is drawn as it is needed, then one trip through the door."""
    facts = plan.facts

    def shuffle(count: int) -> Order:
        return order_in_runs(count, RUN if count >= MANY_ROWS else 1, bits)

    end = walked(records, facts, plan.walk, shuffle, _masks(plan, bits))
    value = add_noise(end, plan.noise, plan.event, entry, bits)
    variances = np.full(facts.dim, plan.noise.rms * plan.noise.rms)
    return Released(value, plan.event, plan.guarantee(bits.seeded), covariance=variances)


def _masks(plan: WalkPlan[Walk], bits: Bits) -> Masks | None:
    """For each step which columns are kept, each by itself."""
    keep, columns = plan.walk.keep, plan.facts.features - (plan.facts.bounds.intercept > 0)
    if keep == 1:
        return None
    return np.array([bits.words(columns) < np.uint64(keep * 2.0**63) * np.uint64(2) for _ in range(plan.walk.steps)])


MECHANISM = Mechanism(
    about=STABLE_SGD,
    needs=Needs(smooth=False),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
    in_auto=False,
    by_sums=False,
    by_walk=True,
)
