"""How far one record moves the end of gradient steps with facts of our own losses.

docs/proofs/stable_sgd.md, and docs/proofs/momentum.md for steps with momentum.
"""

from __future__ import annotations

import math
from dataclasses import replace

from equipoise.theory.plan import Facts, Sensitivity
from equipoise.theory.rounding import FORMULA, LONG_SUM, WELL_CLEAR, up
from equipoise.theory.sensitivity import MACHINE, gradient_change, gradient_rounding
from equipoise.theory.stability.descents import Walk
from equipoise.theory.stability.momentum import Swing, responses


def masked(facts: Facts, keep: float) -> Facts:
    """The facts of rows that are masked and then clipped to this part of their bound, the constant column with them.

    However they were encoded or lifted: their norm is then that of the clipping.
    """
    bounds = facts.bounds
    if keep == 1:
        return facts
    short = replace(
        bounds, row_norm=keep * bounds.row_norm, intercept=keep * bounds.intercept, encoding=None, lift=None
    )
    return replace(facts, bounds=short)


def walk_norm(facts: Facts, slope_cap: float = math.inf) -> float:
    """Where gradient steps from the centre stay: within ρ/α of it, whatever the records, or in the ball."""
    slope = min(slope_cap, facts.loss.facts(math.inf).slope)
    reach = facts.bounds.norm * slope / facts.penalty.strong_convexity
    return min(facts.ball, up(facts.penalty.centre_norm + reach, LONG_SUM))


def of_walk(facts: Facts, walk: Walk) -> Sensitivity:
    """Δ₂ of the end of gradient steps: D·B times what is left of a record's visits, and rounding on both sides.

    Every step errs by what its gradient and a few operations on the point do; later steps do not enlarge that
    (docs/proofs/stable_sgd.md).
    """
    norm = walk_norm(facts, walk.slope_cap)
    change, why = gradient_change(facts, norm)
    capped = up(2 * facts.together * facts.bounds.norm * walk.slope_cap, FORMULA)
    rounding = gradient_rounding(facts, norm) * walk.total_length + 320 * MACHINE * norm * walk.steps
    where = "" if math.isinf(norm) else f" at coefficient norms up to {norm:.4g}"
    why = why if change <= capped else "slopes clipped"
    return Sensitivity(
        up(min(change, capped) * walk.visits + 2 * rounding, FORMULA), f"contracting steps, {why}{where}"
    )


def swing_norms(facts: Facts, swing: Swing) -> tuple[float, ...]:
    """Within which norm each gradient is taken, and last the end: no table leads further."""
    start = facts.penalty.centre_norm
    residual = up(facts.loss.label_bound + facts.bounds.norm * start, FORMULA)
    strays = responses(swing, facts.loss.facts(0.0).curvature).strays
    slack = WELL_CLEAR * max(strays)
    return tuple(up(start + residual * (each + slack), FORMULA) for each in strays)


def of_swing(facts: Facts, swing: Swing) -> Sensitivity:
    """Δ₂ of the end of steps with momentum on a quadratic: impulses of one record's change, and rounding on both sides.

    Only a Hessian that is the same everywhere makes the difference of two walks a sum of impulses.
    """
    norms = swing_norms(facts, swing)
    impulses = responses(swing, facts.loss.facts(0.0).curvature).impulses
    moved = math.fsum(size * gradient_change(facts, norm)[0] for size, norm in zip(impulses, norms[:-1], strict=True))
    errors = math.fsum(
        size * (swing.step * gradient_rounding(facts, norm) + 320 * MACHINE * max(norms))
        for size, norm in zip(impulses, norms[:-1], strict=True)
    )
    why = f"sum of impulses, gradient diameters at coefficient norms up to {max(norms):.4g}"
    return Sensitivity(up(swing.step * moved / facts.n + 2 * errors, FORMULA), why)
