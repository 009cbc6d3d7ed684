"""What is found out before anything else, and the plan for what it leaves.

Guarantee.  That of a choice of a usual range of labels, of one of a usual length of rows, and of the fit, together.
Assumes.    What each of them does; the fit's plan is a function of public facts and of what was chosen.
Adjacency.  Replace-one, rows.
Numerics.   Shares of ε are rounded down.
Reference.  docs/proofs/usual_labels.md; docs/proofs/usual_length.md, 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.gate.models import usual_labels, usual_length
from equipoise.gate.models.choose import MECHANISMS, choose
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, both_scores, label_scores, length_scores
from equipoise.inside.design.contract import Array
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
    labels = usual_labels.offered(facts, budget, loss_is_given=loss_is_given)
    if labels is not None:
        plan = _fit(facts, budget, labels.epsilon, loss_is_given)
        whole = None if plan is None else _with_labels(plan, labels, budget)
        if whole is not None:
            return whole
    plan = _fit(facts, budget, 0.0, loss_is_given)
    whole = None if plan is None else _paid(plan, budget)
    return choose(facts, budget, "auto", None, loss_is_given=loss_is_given) if whole is None else whole


def _fit(facts: Facts, budget: Budget, before: float, loss_is_given: bool) -> Plan | None:
    """Beside a choice at that ε: with a usual length, or without; None where there can be none."""
    plan = usual_length.planned(facts, budget, before, loss_is_given=loss_is_given)
    return usual_length.beside(facts, budget, before, loss_is_given) if plan is None else plan


def _with_labels(plan: Plan, offered: UsualLabels, budget: Budget) -> Plan | None:
    """With a choice of labels first, where one is worth it."""
    labels = worth(offered, left_open(plan.facts, MECHANISMS[plan.mechanism].predict_risk(plan)))
    if labels is None:
        return None
    words = (
        f"labels count within their usual range, which is chosen first, at epsilon {labels.epsilon:.3g}: the few"
        " outside are clipped to it"
    )
    expected = None if plan.expected is None else replace(plan.expected, assumes="")
    return _paid(replace(plan, labels=labels, notes=(*plan.notes, words), expected=expected), budget)


def _paid(plan: Plan, budget: Budget) -> Plan | None:
    """The same for the whole budget, choices included; None where a length could not be used."""
    if plan.length is None and plan.labels is None:
        return plan
    event = usual_length.together(usual_length.choosing(plan), plan.event, budget)
    whole = replace(plan, budget=budget, event=event)
    if plan.length is None or usual_length.at(whole, plan.length.lengths[0]) is not whole:
        return whole
    return None


def at(plan: Plan, found: Found) -> Plan:
    """The plan for what was chosen: in units of it, the one that was printed."""
    return usual_length.at(_labelled(plan, found.labels), found.length)


def first(records: Private[Records], plan: Plan, entry: Entry, bits: Bits) -> tuple[Private[Records], Plan, Found]:
    """The records as they are fitted, the plan for them, and what was chosen."""
    length, labels = 1.0, None
    of_labels, of_lengths = _scores(records, plan)
    if plan.labels is not None and of_labels is not None:
        records, bounds = usual_labels.chosen(records, plan.facts.bounds, plan.labels, of_labels, entry, bits)
        labels = bounds.usual_labels
        plan = _labelled(plan, labels)
    if plan.length is not None and of_lengths is not None:
        records, plan, length = usual_length.chosen(records, plan, plan.length, of_lengths, entry, bits)
    return records, plan, Found(length, labels)


def _scores(records: Private[Records], plan: Plan) -> tuple[Private[Array] | None, Private[Array] | None]:
    """Of what may be chosen, together: no length of a row hangs on the labels."""
    bounds, labels, length = plan.facts.bounds, plan.labels, plan.length
    if length is None:
        return (None, None) if labels is None else (label_scores(records, bounds, labels), None)
    lengths = bounds.row_norm * np.array(length.lengths)
    if labels is None:
        return None, length_scores(records, lengths, length.beyond)
    return both_scores(records, bounds, labels, lengths, length.beyond)


def _labelled(plan: Plan, labels: tuple[float, float] | None) -> Plan:
    if labels is None:
        return plan
    return replace(plan, facts=replace(plan.facts, bounds=replace(plan.facts.bounds, usual_labels=labels)))
