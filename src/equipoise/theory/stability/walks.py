"""How far one record moves the end of gradient steps with facts of our own losses.  docs/proofs/stable_sgd.md."""

from __future__ import annotations

import math

from equipoise.theory.plan import Facts, Sensitivity
from equipoise.theory.rounding import FORMULA, LONG_SUM, up
from equipoise.theory.sensitivity import MACHINE, gradient_change, gradient_rounding
from equipoise.theory.stability.descents import Walk


def walk_norm(facts: Facts) -> float:
    """Where gradient steps from the centre stay: within ρ/α of it, whatever the records, or in the ball."""
    reach = facts.bounds.norm * facts.loss.facts(math.inf).slope / facts.penalty.strong_convexity
    return min(facts.ball, up(facts.penalty.centre_norm + reach, LONG_SUM))


def of_walk(facts: Facts, walk: Walk) -> Sensitivity:
    """Δ₂ of the end of gradient steps: D·B times what is left of a record's visits, and rounding on both sides.

    Every step errs by what its gradient and a few operations on the point do; later steps do not enlarge that
    (docs/proofs/stable_sgd.md).
    """
    norm = walk_norm(facts)
    change, why = gradient_change(facts, norm)
    rounding = gradient_rounding(facts, norm) * walk.total_length + 320 * MACHINE * norm * walk.steps
    where = "" if math.isinf(norm) else f" at coefficient norms up to {norm:.4g}"
    return Sensitivity(up(change * walk.visits + 2 * rounding, FORMULA), f"contracting steps, {why}{where}")
