"""A usual length of rows, chosen before anything else, and the plan for rows of that length.

Guarantee.  ε′-DP, δ = 0: one choice by rank among fifteen public lengths.
Assumes.    Rows as they are, within a public norm; a mechanism whose constants hold with weights.
Adjacency.  Replace-one, rows.
Numerics.   Counts are whole numbers; every row is measured by itself.
Reference.  docs/proofs/usual_length.md; docs/decisions/0081-a-usual-length.md.

Noise is made for rows as long as the bound; bounds that are five times too wide make it five times too large.  Whatever
comes after the choice is planned for rows of the chosen length, and the few that are longer count less.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from equipoise.errors import EquipoiseError
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.models.choose import MECHANISMS, choose
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, ending_with, length_scores
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import choice_then_fit, promised, pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import ApproximateRelease, Event, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, Plan
from equipoise.theory.usual_length import LENGTHS, MOVED, UsualLength, offer


def planned(
    facts: Facts,
    budget: Budget,
    mechanism: str,
    alpha: float | None,
    *,
    loss_is_given: bool = False,
    middle: bool = False,
) -> Plan:
    """What `choose` would, with a usual length first where "auto" may find one and the plan can use it."""
    if mechanism == "auto" and alpha is None and not middle and _can(facts):
        length = offer(facts.n, budget)
        plan = None if length is None else _after(length, facts, budget, loss_is_given)
        if plan is not None:
            return plan
    return choose(facts, budget, mechanism, alpha, loss_is_given=loss_is_given, middle=middle)


def _can(facts: Facts) -> bool:
    """What the proof asks for: rows as they are, and nothing that a caller said in units of the bound."""
    bounds, penalty = facts.bounds, facts.penalty
    as_they_are = (bounds.lift, bounds.encoding, bounds.view, facts.partners, facts.descent) == (None,) * 5
    counted = facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None
    free = math.isinf(bounds.coef_norm) and penalty.centre is None and penalty.bend == 0
    return as_they_are and counted and free


def _after(length: UsualLength, facts: Facts, budget: Budget, loss_is_given: bool) -> Plan | None:
    """The plan for what that choice leaves; None where it could not be used for rows of another length."""
    plan = choose(replace(facts, measured=True), length.main, "auto", None, loss_is_given=loss_is_given)
    if math.isinf(plan.facts.loss.facts(math.inf).slope):
        return None
    pure = isinstance(plan.event, PureRelease)  # it may be, whatever the budget
    length = replace(length, main=Budget(length.main.epsilon, 0.0) if pure else length.main)
    event, share = _together(length, plan.event, budget), f"at epsilon {length.epsilon:.3g}"
    words = f"rows count by their usual length, which is chosen first, {share}: the few that are longer count less"
    whole = replace(plan, budget=budget, event=event, length=length, notes=(*plan.notes, words))
    return whole if at(whole, LENGTHS[0]) is not whole else None


def _together(length: UsualLength, fit: Event, budget: Budget) -> Event:
    """The choice and the fit.  What both promise at some ε adds up to the budget; a Gaussian fit keeps its curve."""
    if isinstance(fit, PureRelease | ApproximateRelease):
        return promised(budget.epsilon, fit.delta if isinstance(fit, ApproximateRelease) else 0.0, fit.delta_numeric)
    return choice_then_fit(pure_release(length.epsilon), fit)


def at(plan: Plan, length: float) -> Plan:
    """The plan for rows of this usual length.  As it is where none is chosen, or a bound would be too small for
    doubles: what is decided here hangs on the released length alone."""
    rescaled = MECHANISMS[plan.mechanism].rescaled if plan.length is not None else None
    if plan.length is None or rescaled is None or length == 1.0:
        return plan
    try:
        made = rescaled(plan, _of_length(plan.facts, length), plan.length.main)
    except EquipoiseError:
        return plan
    if _together(plan.length, made.event, plan.budget) != plan.event:
        return plan
    kept = {"budget": plan.budget, "event": plan.event, "length": plan.length}
    whole: Plan = replace(made, **kept, notes=plan.notes, expected=plan.expected)
    return whole


def _of_length(facts: Facts, length: float) -> Facts:
    """In units of rows that are so much shorter everything is what it was; a constant column keeps its share."""
    bounds, alpha = facts.bounds, facts.penalty.strong_convexity
    shorter = replace(bounds, row_norm=bounds.row_norm * length, intercept=bounds.intercept * length)
    ridge = facts.penalty.of_strength(alpha * length**2)
    return replace(facts, bounds=shorter, penalty=ridge, longer=1 / length)


def first(records: Private[Records], plan: Plan, entry: Entry, bits: Bits) -> tuple[Private[Records], Plan, float]:
    """The records as they are fitted, the plan for them, and the length that was chosen; 1 where none is."""
    if plan.length is None:
        return records, plan, 1.0
    scores = length_scores(records, plan.facts.bounds.row_norm * np.array(LENGTHS), plan.length.beyond)
    length = LENGTHS[permute_and_flip(scores, MOVED, plan.length.epsilon, entry, bits)]
    settled = at(plan, length)
    if settled is plan:
        return records, plan, 1.0
    return ending_with(records, settled.facts.bounds.intercept), settled, length
