"""Which mechanism, with which ridge: the smallest predicted risk, from public facts alone."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from equipoise.errors import InvalidInput
from equipoise.gate.models import (
    functional_mechanism,
    noisy_gradients,
    objective_perturbation,
    output_as_printed,
    output_perturbation,
    projected_histogram,
    sufficient_statistics,
)
from equipoise.gate.models.mechanism import AnyMechanism
from equipoise.theory import risk
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import is_regression, needs_ball
from equipoise.theory.plan import Facts, Plan

RIDGES = np.geomspace(1e-6, 30.0, 13)
"""First candidates for α, in units of the reference problem's curvature; the best one's surroundings come next."""

FINER = np.geomspace(1 / 3, 3.0, 7)


MECHANISMS: dict[str, AnyMechanism] = {
    file.MECHANISM.name: file.MECHANISM
    for file in (
        output_perturbation,
        objective_perturbation,
        noisy_gradients,
        sufficient_statistics,
        functional_mechanism,
        projected_histogram,
        output_as_printed,
    )
}
"""In the order in which "auto" prefers them where they are equally good."""


@lru_cache(maxsize=128)  # pure: a search or a service plans the same fit again and again
def choose(facts: Facts, budget: Budget, mechanism: str, alpha: float | None) -> Plan:
    """The plan for these facts.  `mechanism="auto"` and `alpha=None` leave the choice to the predicted risk."""
    if mechanism != "auto" and mechanism not in MECHANISMS:
        raise InvalidInput(f"mechanism={mechanism!r}: must be one of auto, {', '.join(MECHANISMS)}")
    if mechanism != "auto" and mechanism not in _applicable(facts, budget):
        refused: Plan = MECHANISMS[mechanism].plan(facts, budget)  # which refuses, by name
        return refused
    if mechanism != "auto":
        return _best_of(mechanism, facts, [budget], alpha)[1]
    budgets = [budget] if budget.delta == 0 else [budget, replace(budget, delta=0.0)]
    names = [name for name in _applicable(facts, budget) if MECHANISMS[name].in_auto]
    found = [_best_of(name, facts, budgets, alpha) for name in names]
    found.sort(key=lambda pair: pair[0])
    best = found[0][1]
    others = ", ".join(f"{plan.mechanism} {value:.3g}" for value, plan in found)
    if best.budget != budget:
        best = replace(best, budget=budget, notes=(*best.notes, "pure noise is smaller here: this holds with delta=0"))
    return replace(best, notes=(*best.notes, f"mechanism chosen by predicted excess risk: {others}"))


def _applicable(facts: Facts, budget: Budget) -> list[str]:
    return [name for name, option in MECHANISMS.items() if option.needs.met_by(facts.loss, budget, facts.features)]


def _best_of(name: str, facts: Facts, budgets: list[Budget], alpha: float | None) -> tuple[float, Plan]:
    """The best plan of one mechanism; pure noise is tried too when δ > 0, as in few dimensions it is smaller."""
    option = MECHANISMS[name]
    facts, notes = _with_ball(facts, option)
    usable = [budget for budget in budgets if budget.delta > 0 or not option.needs.delta]
    if alpha is not None:
        found, best = _try(option, facts, usable, [alpha])
    elif option.ridges is not None:
        found, best = _try(option, facts, usable, option.ridges(facts))
    else:
        _, first = _try(option, facts, usable, list(RIDGES * risk.usual_bend(facts)))
        found, best = _try(option, facts, usable, list(FINER * first.facts.penalty.strong_convexity))
    if alpha is None:
        notes = (*notes, f"alpha={best.facts.penalty.strong_convexity:.4g} chosen by predicted excess risk")
    return found, replace(best, notes=(*best.notes, *notes))


def _try(option: AnyMechanism, facts: Facts, budgets: list[Budget], alphas: list[float]) -> tuple[float, Plan]:
    """The plan with the least predicted risk, and that risk."""
    given = [replace(facts, penalty=facts.penalty.of_strength(float(alpha))) for alpha in alphas]
    plans = [option.plan(candidate, budget) for candidate in given for budget in budgets]
    risks = [option.predict_risk(plan) for plan in plans]
    best = int(np.argmin(risks))
    return risks[best], plans[best]


def _with_ball(facts: Facts, option: AnyMechanism) -> tuple[Facts, tuple[str, ...]]:
    """A loss whose slope has no bound without one gets the usual one, if nobody gave another."""
    wanted = option.needs.ball or facts.adjacency is Adjacency.ADD_REMOVE
    if not (wanted and needs_ball(facts.loss) and math.isinf(facts.bounds.coef_norm)):
        return facts, ()
    usual = facts.loss.traits.usual.ball * facts.loss.label_bound / facts.bounds.row_norm
    ball = max(usual, facts.penalty.centre_norm)
    bounded = replace(facts, bounds=replace(facts.bounds, coef_norm=ball))
    units = " in units of half the label range per unit of row" if is_regression(facts.loss) else ""
    return bounded, (f"coef_norm={ball:.4g}{units}, the usual one",)
