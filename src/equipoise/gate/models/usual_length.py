"""A usual length of rows, chosen before anything else, and the plan for rows of that length.

Guarantee.  ε′-DP, δ = 0: one choice by rank among at most fifteen public lengths.
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

from equipoise.errors import EquipoiseError
from equipoise.gate.choices.select import permute_and_flip
from equipoise.gate.models.choose import MECHANISMS, choose
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, ending_with
from equipoise.inside.design.contract import Array
from equipoise.ledger import Entry
from equipoise.theory.accounting.prices import choice_then_fit, promised, pure_release
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import ApproximateRelease, Event, PureRelease
from equipoise.theory.expected import left_open
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, Plan
from equipoise.theory.rounding import up
from equipoise.theory.tuning.stability import plan_within, what_is_left
from equipoise.theory.usual_length import MOST_CLASSES, MOVED, UsualLength, offer, worth


def planned(facts: Facts, budget: Budget, before: float, *, loss_is_given: bool = False) -> Plan | None:
    """The fit that "auto" would plan for rows of a usual length, within what this choice and one before it at that ε
    leave; None where there may be none, or the plan cannot use it.

    It is planned for rows that may hardly fill a usual length either: in the directions that tell they may be short.
    """
    length = offer(facts.n, what_is_left(budget, before) if before else budget) if _can(facts) else None
    if length is None:
        return None
    plan = beside(facts, budget, added(before, length.epsilon), loss_is_given)
    if plan is None or math.isinf(plan.facts.loss.facts(math.inf).slope) or plan.facts.loss.outputs >= MOST_CLASSES:
        return None
    found = worth(length, left_open(plan.facts, MECHANISMS[plan.mechanism].predict_risk(plan)))
    if found is None:
        return None
    words = (
        f"rows count by their usual length, which is chosen first, at epsilon {length.epsilon:.3g}: the few that are"
        " longer count less"
    )
    pure = isinstance(plan.event, PureRelease)  # it may be, whatever the budget
    main = Budget(plan.budget.epsilon, 0.0) if pure else plan.budget
    return replace(plan, length=replace(found, main=main), notes=(*plan.notes, words))


def beside(facts: Facts, budget: Budget, choosing: float, loss_is_given: bool) -> Plan | None:
    """What "auto" plans within what choices at that ε leave: of Gaussian noise more than by addition.  None where ε is
    so large that the accountant finds no Gaussian fit beside them."""

    def at_price(each: Budget) -> Plan:
        return choose(facts, each, "auto", None, loss_is_given=loss_is_given)

    if not choosing:
        return at_price(budget)
    plan = plan_within(at_price, budget, choosing)
    return plan if plan.budget.delta == budget.delta else None


def added(*choices: float) -> float:
    """The ε of choices together."""
    some = [each for each in choices if each]
    return up(math.fsum(some)) if len(some) > 1 else sum(some)


def choosing(plan: Plan) -> float:
    """The ε of all that is chosen before the fit."""
    return added(*(each.epsilon for each in (plan.labels, plan.length) if each is not None))


def _can(facts: Facts) -> bool:
    """What the proof asks for: rows as they are, and nothing that a caller said in units of the bound."""
    bounds, penalty = facts.bounds, facts.penalty
    as_they_are = (bounds.lift, bounds.encoding, bounds.view, facts.partners, facts.descent) == (None,) * 5
    counted = facts.adjacency is Adjacency.REPLACE_ONE and facts.person_rows is None
    free = math.isinf(bounds.coef_norm) and penalty.centre is None and penalty.bend == 0
    return as_they_are and counted and free


def together(choice: float, fit: Event, budget: Budget) -> Event:
    """A choice at that ε and a fit.  What both promise at some ε adds up to the budget; one with a curve keeps it."""
    if isinstance(fit, PureRelease | ApproximateRelease):
        return promised(budget.epsilon, fit.delta if isinstance(fit, ApproximateRelease) else 0.0, fit.delta_numeric)
    return choice_then_fit(pure_release(choice), fit)


def at(plan: Plan, length: float) -> Plan:
    """The plan for rows of this usual length.  As it is where none is chosen, or a bound would be too small for
    doubles: what is decided here hangs on the released length alone."""
    rescaled = MECHANISMS[plan.mechanism].rescaled if plan.length is not None else None
    if plan.length is None or rescaled is None or length == 1.0:
        return plan
    try:
        made = rescaled(plan, _of_length(plan.facts, length), plan.length.main or plan.budget)
    except EquipoiseError:
        return plan
    if together(choosing(plan), made.event, plan.budget) != plan.event:
        return plan
    kept = {"budget": plan.budget, "event": plan.event, "length": plan.length, "labels": plan.labels}
    whole: Plan = replace(made, **kept, notes=plan.notes, expected=plan.expected)
    return whole


def _of_length(facts: Facts, length: float) -> Facts:
    """In units of rows that are so much shorter everything is what it was; a constant column keeps its share."""
    bounds, alpha = facts.bounds, facts.penalty.strong_convexity
    shorter = replace(bounds, row_norm=bounds.row_norm * length, intercept=bounds.intercept * length)
    ridge = facts.penalty.of_strength(alpha * length**2)
    return replace(facts, bounds=shorter, penalty=ridge, longer=1 / length)


def chosen(
    records: Private[Records], plan: Plan, length: UsualLength, scores: Private[Array], entry: Entry, bits: Bits
) -> tuple[Private[Records], Plan, float]:
    """The records as they are fitted, the plan for them, and the length that was chosen; 1 for the bound."""
    found = length.lengths[permute_and_flip(scores, MOVED, length.epsilon, entry, bits)]
    settled = at(plan, found)
    if settled is plan:
        return records, plan, 1.0
    return ending_with(records, settled.facts.bounds.intercept), settled, found
