"""Minimisers of records that count alike: the last step of a plan, where it costs nothing and noise is what is lost.

Noise hides the longest row, so a shorter one may count for more (theory/evening.py).  What is then minimised is another
mean of the same losses, whose least is elsewhere unless a linear model is right.  Where noise is small that is all
there would be to notice, so the plain mean is kept there: with more records or a larger ε a fit ends where one without
privacy does.

Guarantee.  That of the plan, by the same constants.
Assumes.    What the plan does.
Adjacency.  Replace-one; where a record more or less moves the others' places, what a row measures might move with them.
Numerics.   One product more for each record, within the allowance of the certificate.
Reference.  docs/proofs/objective_perturbation.md, section 8; docs/decisions/0067-minimisers-of-evened-records.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from equipoise.errors import MechanismRefused
from equipoise.theory import family
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Facts, OutputPlan, TiltedPlan
from equipoise.theory.rounding import FORMULA, up

P = TypeVar("P", OutputPlan, TiltedPlan)

NOISY = 0.1
"""Predicted excess from which on noise is what is lost, as a part of what the best constant costs."""


def check(facts: Facts) -> None:
    """The proof for minimisers is about tables in which every other row keeps its place."""
    if facts.evened and facts.adjacency is not Adjacency.REPLACE_ONE:
        raise MechanismRefused("records: a minimiser of evened ones is private where their number is public, use plain")


def where_noisy(plan_of: Callable[[Facts, Budget], P], risk_of: Callable[[P], float]) -> Callable[[P, float], P]:
    """The last step for a mechanism that plans and predicts like this; what it may cost is not asked, it is free."""

    def finish(plan: P, _: float) -> P:
        facts = plan.facts
        if facts.adjacency is not Adjacency.REPLACE_ONE or risk_of(plan) < NOISY * family.of_best_constant(facts):
            return plan
        again = plan_of(replace(facts, evened=True), plan.budget)
        free = again.sensitivity.l2 <= up(plan.sensitivity.l2, FORMULA)  # the same number may be rounded up another way
        return replace(again, notes=plan.notes) if free else plan

    return finish
