"""A shorter constant column for noisy gradients of several classes: the last step of a plan.

Noise is made for the longest row, its constant column included.  Half a row norm (docs/decisions/0005) lengthens every
row by 12 per cent; three tenths by 4.  What that saves is in every coefficient of every class; what it costs is that
intercepts are learnt more slowly, each being one number beside a class's many slopes.

Guarantee.  That of the plan, by the same theorem: the column's size is a public number in it.
Assumes.    Rows as they are, and nothing that a caller said in the units of the longer column: no ball, start or ridge.
Adjacency.  That of the plan.
Numerics.   That of the plan.
Reference.  docs/proofs/noisy_gradients.md, section 6; docs/decisions/0072-a-shorter-constant-column.md.
"""

from __future__ import annotations

import math
from dataclasses import replace

from equipoise.theory.losses import Coding
from equipoise.theory.plan import Facts, GradientPlan

SHARE = 0.3
"""Of the row norm."""

WORDS = f"the constant column is {SHARE:g} of the row norm: several classes' slopes need less noise beside it"


def serves(plan: GradientPlan, light: float) -> bool:
    """Whether there are several classes, whose ridge is no more than a `light` one, and everything else is as usual."""
    facts, bounds = plan.facts, plan.facts.bounds
    several = facts.loss.traits.labels is Coding.PLACES and facts.loss.outputs > 1
    as_they_are = (bounds.lift, bounds.encoding, bounds.view, facts.partners) == (None,) * 4
    penalty = facts.penalty
    free = math.isinf(bounds.coef_norm) and penalty.centre is None and penalty.bend == 0
    return several and as_they_are and free and penalty.strong_convexity <= light and bounds.intercept > 0


def shortened(facts: Facts) -> Facts:
    """The facts of rows that end with the shorter column."""
    bounds = facts.bounds
    return replace(facts, bounds=replace(bounds, intercept=min(bounds.intercept, SHARE * bounds.row_norm)))
