"""Which mechanism, with which ridge: the smallest predicted risk, from public facts alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import InvalidInput
from equipoise.gate.choices import training
from equipoise.gate.models import (
    functional_mechanism,
    noisy_gradients,
    objective_perturbation,
    output_as_printed,
    output_perturbation,
    projected_histogram,
    sufficient_statistics,
)
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import risk
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Squared
from equipoise.theory.plan import Facts, Plan

RIDGES = np.geomspace(1e-6, 30.0, 13)
"""First candidates for α, in units of the reference problem's curvature; the best one's surroundings come next."""

FINER = np.geomspace(1 / 3, 3.0, 7)


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The two halves of a mechanism, and what it predicts of itself."""

    plan: Callable[[Facts, Budget], Plan]
    predict_risk: Callable[[Plan], float]
    release: Callable[[Private[Records], Plan, Entry, Bits], Released]
    pure: bool
    """Whether it works with δ = 0."""
    smooth_only: bool
    bounded_only: bool
    """Whether the squared loss needs a ball of coefficients."""
    losses: tuple[str, ...] | None = None
    """The only losses it serves, by name; None for all."""
    most_features: float = math.inf
    in_auto: bool = True
    """Whether "auto" considers it; baselines are offered by name alone."""
    steady: Callable[[Plan, int, int | None], training.Steady] | None = None
    """Its training taken apart, for a part of this many rows and so many draws; None: it states no stability."""


MECHANISMS = {
    output_perturbation.NAME: Mechanism(
        output_perturbation.plan,
        output_perturbation.predict_risk,
        output_perturbation.release,
        pure=True,
        smooth_only=False,
        bounded_only=False,
        steady=training.steady_output,
    ),
    objective_perturbation.NAME: Mechanism(
        objective_perturbation.plan,
        objective_perturbation.predict_risk,
        objective_perturbation.release,
        pure=True,
        smooth_only=True,
        bounded_only=True,
        steady=training.steady_objective,
    ),
    noisy_gradients.NAME: Mechanism(
        noisy_gradients.plan,
        noisy_gradients.predict_risk,
        noisy_gradients.release,
        pure=False,
        smooth_only=True,
        bounded_only=True,
    ),
    sufficient_statistics.NAME: Mechanism(
        sufficient_statistics.plan,
        sufficient_statistics.predict_risk,
        sufficient_statistics.release,
        pure=True,
        smooth_only=True,
        bounded_only=True,
        losses=("squared",),
        most_features=sufficient_statistics.MOST_FEATURES,
    ),
    functional_mechanism.NAME: Mechanism(
        functional_mechanism.plan,
        functional_mechanism.predict_risk,
        functional_mechanism.release,
        pure=True,
        smooth_only=True,
        bounded_only=True,
        losses=("squared",),
        in_auto=False,
    ),
    projected_histogram.NAME: Mechanism(
        projected_histogram.plan,
        projected_histogram.predict_risk,
        projected_histogram.release,
        pure=True,
        smooth_only=True,
        bounded_only=True,
        losses=("squared",),
        in_auto=False,
    ),
    output_as_printed.NAME: Mechanism(
        output_as_printed.plan,
        output_as_printed.predict_risk,
        output_as_printed.release,
        pure=True,
        smooth_only=True,
        bounded_only=True,
        losses=("squared",),
        in_auto=False,
        steady=training.steady_output,
    ),
}


def choose(facts: Facts, budget: Budget, mechanism: str, alpha: float | None) -> Plan:
    """The plan for these facts.  `mechanism="auto"` and `alpha=None` leave the choice to the predicted risk."""
    if mechanism != "auto" and mechanism not in MECHANISMS:
        raise InvalidInput(f"mechanism={mechanism!r}: must be one of auto, {', '.join(MECHANISMS)}")
    if mechanism != "auto" and mechanism not in _applicable(facts, budget):
        return MECHANISMS[mechanism].plan(facts, budget)  # which refuses, by name
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
    return [
        name
        for name, option in MECHANISMS.items()
        if (option.pure or budget.delta > 0)
        and (facts.loss.smooth or not option.smooth_only)
        and (option.losses is None or facts.loss.name in option.losses)
        and facts.features <= option.most_features
    ]


def _best_of(name: str, facts: Facts, budgets: list[Budget], alpha: float | None) -> tuple[float, Plan]:
    """The best plan of one mechanism; pure noise is tried too when δ > 0, as in few dimensions it is smaller."""
    option = MECHANISMS[name]
    facts, notes = _with_ball(facts, option)
    usable = [budget for budget in budgets if option.pure or budget.delta > 0]
    if alpha is not None:
        found, best = _try(option, facts, usable, [alpha])
    elif name == noisy_gradients.NAME:
        found, best = _try(option, facts, usable, [noisy_gradients.light_ridge(facts)])
    else:
        _, first = _try(option, facts, usable, list(RIDGES * risk.usual_bend(facts)))
        found, best = _try(option, facts, usable, list(FINER * first.facts.penalty.alpha))
    if alpha is None:
        notes = (*notes, f"alpha={best.facts.penalty.alpha:.4g} chosen by predicted excess risk")
    return found, replace(best, notes=(*best.notes, *notes))


def _try(option: Mechanism, facts: Facts, budgets: list[Budget], alphas: list[float]) -> tuple[float, Plan]:
    """The plan with the least predicted risk, and that risk."""
    given = [replace(facts, penalty=replace(facts.penalty, alpha=float(alpha))) for alpha in alphas]
    plans = [option.plan(candidate, budget) for candidate in given for budget in budgets]
    risks = [option.predict_risk(plan) for plan in plans]
    best = int(np.argmin(risks))
    return risks[best], plans[best]


def _with_ball(facts: Facts, option: Mechanism) -> tuple[Facts, tuple[str, ...]]:
    """The squared loss has no slope bound without one; nobody gave one, so take the usual."""
    needed = option.bounded_only or facts.adjacency is Adjacency.ADD_REMOVE
    if not (needed and isinstance(facts.loss, Squared) and math.isinf(facts.bounds.coef_norm)):
        return facts, ()
    ball = max(risk.USUAL_BALL * facts.loss.label_bound / facts.bounds.row_norm, facts.penalty.centre_norm)
    bounded = replace(facts, bounds=replace(facts.bounds, coef_norm=ball))
    return bounded, (f"coef_norm={ball:.4g} in units of half the label range per unit of row, the usual one",)
