"""Choosing among released models on rows kept for it, with permute-and-flip."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search.base import Problem, Taken
from equipoise.estimators.search.charges import for_one_row
from equipoise.estimators.search.far_rows import let_in
from equipoise.estimators.search.parts import Index
from equipoise.gate.choices.select import grid_for, permute_and_flip
from equipoise.inside.scores.of_linear_models import as_scores, mean_losses
from equipoise.ledger import Entry
from equipoise.theory.guarantees import Budget
from equipoise.theory.sensitivity import of_mean_loss


def choose_on(
    kept: Index, problem: Problem, fitted: list[Any], taken: Taken, names: tuple[Any, ...] | None, entry: Entry
) -> int:
    """The place of the candidate whose mean loss on the kept rows is smallest, ε-privately for these rows."""
    bounds = replace(problem.plans[0].facts.bounds, classes=names)
    records = let_in(taken.rows[kept], taken.labels[kept], bounds)
    models = [_candidates.flat_model(model, bounds, problem.classes) for model in fitted]
    loss = _candidates.record_loss(problem.estimator, problem.classes)
    cap, sensitivity = scale(problem)
    scores = as_scores(mean_losses(records, loss, models, cap))
    return permute_and_flip(scores, sensitivity, row_epsilon(problem), entry, taken.bits)


def scale(problem: Problem) -> tuple[float, float]:
    """The cap on one record's loss, and how far one record moves the mean."""
    cap = _candidates.loss_cap(problem.estimator, problem.plans)
    return cap, of_mean_loss(cap, problem.sizes[-1])


def row_epsilon(problem: Problem) -> float:
    """ε of the choice for one row; the rows of a group together spend the estimator's."""
    whole = Budget(problem.estimator.epsilon, problem.estimator.delta)
    return for_one_row(whole, problem.groups).epsilon


def constants(problem: Problem) -> dict[str, float]:
    """The numbers the choice rests on, by name."""
    cap, sensitivity = scale(problem)
    return {
        "candidates": float(len(problem.settings)),
        "records to choose on": float(problem.sizes[-1]),
        "largest loss of a record": cap,
        "score sensitivity": sensitivity,
        "score noise scale": 2 * sensitivity / row_epsilon(problem),
        "score grid step": grid_for(sensitivity).step,
    }
