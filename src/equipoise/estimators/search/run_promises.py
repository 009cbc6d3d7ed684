"""What the best of a random number of runs promises."""

from __future__ import annotations

from dataclasses import replace

from equipoise.estimators import _strangers as _black_box
from equipoise.estimators.search.base import ALONE, FORGOTTEN, Problem, with_unit
from equipoise.estimators.search.parts import Groups
from equipoise.gate.choices.stop import StopPlan
from equipoise.theory.accounting import runs
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget, Guarantee

MECHANISM = "random-stop search"
THEOREM = "best of a random number of runs, each on a candidate drawn at random"


def own_guarantee(problem: Problem, plan: StopPlan, budget: Budget, fitted: Guarantee, seeded: bool) -> Guarantee:
    """One promise for the whole search; sensitivity and noise are those of the chosen fit."""
    whole = replace(
        with_unit(fitted, problem.groups),
        epsilon=budget.epsilon,
        delta=budget.delta,
        delta_numeric=runs.delta_numeric(plan.event, budget.epsilon),
        mechanism=MECHANISM,
        seeded=seeded,
    )
    if len(problem.settings) == 1:
        return replace(whole, notes=(*whole.notes, ALONE))
    share = problem.share or budget
    shares = {"epsilon of one run": share.epsilon, "delta of one run": share.delta}
    constants = whole.constants | shares | _constants(plan, len(problem.settings), problem.sizes[-1])
    return replace(whole, theorem=f"{THEOREM} ({fitted.theorem})", constants=constants, notes=(*whole.notes, FORGOTTEN))


def stranger_guarantee(
    plan: StopPlan, total: Budget, candidates: int, groups: Groups | None, seeded: bool
) -> Guarantee:
    """A promise that rests on the caller's word for each fit."""
    noise = plan.noise
    promise = Guarantee(
        epsilon=total.epsilon,
        delta=total.delta,
        delta_numeric=runs.delta_numeric(plan.event, total.epsilon),
        adjacency=Adjacency.REPLACE_ONE,
        mechanism=MECHANISM,
        theorem=THEOREM,
        sensitivity=0.0 if noise is None else noise.sensitivity,
        noise_scale=0.0 if noise is None else noise.scale,
        seeded=seeded,
        constants=_constants(plan, candidates, 0),
        notes=(_black_box.WORD, FORGOTTEN if candidates > 1 else ALONE),
    )
    return with_unit(promise, groups)


def _constants(plan: StopPlan, candidates: int, kept: int) -> dict[str, float]:
    """The numbers the runs rest on, by name."""
    named = {"candidates": float(candidates), "mean number of runs": plan.stop.mean}
    if plan.noise is None:
        return named
    return named | {
        "records to choose on": float(kept),
        "score sensitivity": plan.noise.sensitivity,
        "score noise scale": plan.noise.scale,
    }
