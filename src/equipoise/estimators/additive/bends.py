"""How many bends shapes have where none opens on the way: as many as the plan can pay for, by public facts alone.

A plan's figure foretells what noise costs, for a family of problems that knows nothing of bends; so bends have a price
and no worth.  Their worth is set here: a shape with fewer bends is taken to miss a part of what there is to learn.  The
price of more bends falls as ε grows, so each step up is taken where it costs little, and not before
(docs/decisions/0085-bends-that-pay.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from equipoise.errors import MechanismRefused
from equipoise.estimators.additive.shared import opens
from equipoise.estimators.additive.stated import MOST_KNOTS
from equipoise.gate import MECHANISMS
from equipoise.theory.additive.opened import SEVERAL, SMOOTH
from equipoise.theory.bounds import Bounds
from equipoise.theory.family import of_best_constant
from equipoise.theory.losses import is_regression
from equipoise.theory.plan import Plan
from equipoise.theory.usual_length import LARGEST_EPSILON

BENDS = (0, 1, SMOOTH, SEVERAL, MOST_KNOTS)
"""Of a column of numbers, in steps; the last are all that its knots have."""

MISSED = (0.26, 0.14, 0.06, 0.02, 0.0)
"""What shapes with so many bends are taken to miss, of what the best constant costs."""

MISSED_IN_WIDE_LABELS = (0.11, 0.08, 0.05, 0.02, 0.0)
"""The same for numbers whose usual range is not found first: labels that fill a part of their bounds are drowned in the
noise of bends at figures that look harmless."""

NOISE = 0.25
"""The most that a plan with bends may leave open, of what the best constant costs."""


def planned(estimator: Any, bounds: Bounds, plan_for: Callable[[Bounds], Plan]) -> Plan:
    """The plan with as many bends as pay; as the bounds say where the caller said how smooth shapes are, or where they
    open on the way."""
    encoding, best = bounds.encoding, plan_for(bounds)
    if encoding is None or encoding.bends is None or opens(estimator):
        return best
    wide = is_regression(best.facts.loss) and best.labels is None and best.budget.epsilon <= LARGEST_EPSILON
    missed = MISSED_IN_WIDE_LABELS if wide else MISSED
    least = _open(best) + missed[0]
    for many, part in zip(BENDS[1:], missed[1:], strict=True):
        try:
            plan = plan_for(replace(bounds, encoding=replace(encoding, bends=many)))
        except MechanismRefused:  # of so many numbers
            break
        left = _open(plan)
        if left > NOISE:
            break
        if left + part < least:
            best, least = plan, left + part
    return best


def _open(plan: Plan) -> float:
    """The part that noise is foretold to leave open."""
    return MECHANISMS[plan.mechanism].predict_risk(plan) / of_best_constant(plan.facts)
