"""What is found out before anything else, and the plan for what it leaves.

Guarantee.  That of a choice of a usual range of labels, of one of a usual length of rows, and of the fit, together.
Assumes.    What each of them does; the fit's plan is a function of public facts and of what was chosen.
Adjacency.  Replace-one, rows.
Numerics.   Shares of ε are rounded down.
Reference.  docs/proofs/usual_labels.md; docs/proofs/usual_length.md, 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from equipoise.gate.models import usual_labels, usual_length
from equipoise.gate.models.choose import MECHANISMS, choose
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.ledger import Entry
from equipoise.theory.expected import left_open
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, Plan
from equipoise.theory.usual_labels import UsualLabels, worth


@dataclass(frozen=True, slots=True)
class Found:
    """What was chosen: a usual length, of the bound, and a usual range of labels, in the caller's units."""

    length: float = 1.0
    labels: tuple[float, float] | None = None


def planned(
    facts: Facts,
    budget: Budget,
    mechanism: str,
    alpha: float | None,
    *,
    loss_is_given: bool = False,
    middle: bool = False,
    alone: bool = True,
) -> Plan:
    """What `choose` would, with choices first where "auto" may make them and the plan can use them."""
    if mechanism != "auto" or alpha is not None or middle or not alone:
        return choose(facts, budget, mechanism, alpha, loss_is_given=loss_is_given, middle=middle)
    labels = usual_labels.offered(facts, budget)
    if labels is not None:
        plan = _planned(facts, labels.main, loss_is_given)
        found = worth(labels, left_open(plan.facts, MECHANISMS[plan.mechanism].predict_risk(plan)))
        if found is not None:
            return _with_labels(plan, found, budget)
    return _planned(facts, budget, loss_is_given)


def _planned(facts: Facts, budget: Budget, loss_is_given: bool) -> Plan:
    """With a usual length first, or without."""
    plan = usual_length.planned(facts, budget, loss_is_given=loss_is_given)
    return choose(facts, budget, "auto", None, loss_is_given=loss_is_given) if plan is None else plan


def _with_labels(plan: Plan, labels: UsualLabels, budget: Budget) -> Plan:
    words = (
        f"labels count within their usual range, which is chosen first, at epsilon {labels.epsilon:.3g}: the few"
        " outside are clipped to it"
    )
    event = usual_length.together(labels.epsilon, plan.event, budget)
    expected = None if plan.expected is None else replace(plan.expected, assumes="")
    return replace(plan, budget=budget, event=event, labels=labels, notes=(*plan.notes, words), expected=expected)


def at(plan: Plan, found: Found) -> Plan:
    """The plan for what was chosen: in units of it, the one that was printed."""
    return usual_length.at(_labelled(plan, found.labels), found.length)


def first(records: Private[Records], plan: Plan, entry: Entry, bits: Bits) -> tuple[Private[Records], Plan, Found]:
    """The records as they are fitted, the plan for them, and what was chosen."""
    length, labels = 1.0, None
    if plan.labels is not None:
        records, bounds = usual_labels.chosen(records, plan.facts.bounds, plan.labels, entry, bits)
        labels = bounds.usual_labels
        plan = _labelled(plan, labels)
    if plan.length is not None:
        records, plan, length = usual_length.chosen(records, plan, plan.length, entry, bits)
    return records, plan, Found(length, labels)


def _labelled(plan: Plan, labels: tuple[float, float] | None) -> Plan:
    if labels is None:
        return plan
    return replace(plan, facts=replace(plan.facts, bounds=replace(plan.facts.bounds, usual_labels=labels)))
