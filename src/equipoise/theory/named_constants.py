"""Every number that a plan with added noise rests on, by the names that a guarantee and its card use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equipoise.theory.evening import LARGEST_WEIGHT
from equipoise.theory.noise import Noise

if TYPE_CHECKING:
    from equipoise.theory.plan import Plan


def of_added_noise(plan: Plan, norm: float, radius: float, noise: Noise) -> dict[str, float]:
    """The constants of every plan that adds noise to a value, in the order in which they are printed."""
    facts, loss = plan.facts, plan.facts.loss.facts(plan.facts.bounds.norm * norm)
    named = {
        "records": float(facts.records),
        "released numbers": float(facts.dim),
        "row norm": facts.bounds.row_norm,
        "intercept column": facts.bounds.intercept,
        "row norm with intercept": facts.bounds.norm,
        "slope bound": loss.slope,
        "curvature bound": loss.curvature,
        **facts.penalty.constants(),
        "coefficient norm": norm,
        "solver radius": radius,
        "sensitivity": plan.sensitivity.l2,
        "noise scale": noise.scale,
        "grid step": noise.step,
    }
    if facts.partners is not None:
        named["pairs"], named["partners"] = float(facts.n), float(facts.partners)
    if facts.person_rows is not None:
        named["rows per person"] = float(facts.person_rows)
    if facts.bounds.label_range is not None:
        named["label lower bound"], named["label upper bound"] = facts.bounds.label_range
    if facts.evened:
        named["largest weight of a record"] = LARGEST_WEIGHT
    return named


def of_choices(plan: Plan) -> dict[str, float]:
    """The constants of what was found out before the fit, and what was found."""
    bounds = plan.facts.bounds
    named = {} if plan.length is None else plan.length.constants(plan.facts.longer)
    if plan.labels is not None:
        named |= plan.labels.constants(bounds.usual_labels)
    return named
