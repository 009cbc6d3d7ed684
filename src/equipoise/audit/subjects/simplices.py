"""Models in few columns and experts followed in rounds, at sizes where every outcome can be listed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.exact.audits import exact_discrete
from equipoise.audit.exact.corner_laws import corner_weights, counts_law, decisions_law, mixed_with_uniform
from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair
from equipoise.audit.subjects.targets import Target, corners, fits
from equipoise.theory.losses import Logistic
from equipoise.theory.simplex.draws import MIXED
from equipoise.theory.simplex.plans import SamplePlan

WIDE = 200
"""Columns or experts, so that one of them weighs little."""

REACH = 0.02
"""Scores so small that the loss hardly bends: then the theorem's constants are attained."""


def simplices(epsilon: float, delta: float, rows: int) -> list[Target]:
    """Drawn once from many columns, drawn often from two corners, stepped, and in rounds."""
    wide = partial(_classifier, epsilon, 0.0, alpha=4.2 * 0.5025 * REACH / rows / epsilon)
    narrow = partial(_classifier, epsilon, delta, alpha=REACH, signed=True)
    squared = partial(estimators.SimplexRegressor, epsilon, label_bounds=(-1.0, 1.0), fit_intercept=False)
    about = ("SimplexClassifier",)
    made = [
        ("SimplexClassifier, sample (many columns)", 0.0, wide, _wide_pairs(rows), WIDE),
        ("SimplexClassifier, sample (two corners)", delta, narrow, _narrow_pairs(rows), 1),
    ]
    drawn = [
        Target(name, epsilon, slip, fits(make), pairs, law=partial(_counts, _planned(make(), rows, d)), speaks_of=about)
        for name, slip, make, pairs, d in made
    ]
    about = ("SimplexRegressor",)
    numbers = corners(rows, labels=(-1.0, 1.0))
    for name, slip in (("sample", 0.0), ("frank-wolfe", 0.0), ("frank-wolfe", delta)):
        make = partial(squared, slip, mechanism=name, signed=True)
        drawn.append(Target(f"SimplexRegressor, {name}", epsilon, slip, fits(make), numbers, speaks_of=about))
    return [*drawn, *(_experts(epsilon, slip, horizon) for slip, horizon in ((0.0, 2), (delta, 8)))]


def _classifier(epsilon: float, delta: float, **settings: Any) -> estimators.SimplexClassifier:
    shape = {"signed": False, "fit_intercept": False, "coef_norm": REACH, "classes": (-1, 1), **settings}
    return estimators.SimplexClassifier(epsilon, delta, mechanism="sample", **shape)


def _planned(model: estimators.SimplexClassifier, rows: int, columns: int) -> SamplePlan:
    plan = model.plan(rows, columns)
    assert isinstance(plan, SamplePlan)
    return plan


def _wide_pairs(rows: int) -> tuple[Pair, ...]:
    """One column against all others, in one record alone."""
    X, y = np.zeros((rows, WIDE)), np.ones(rows, dtype=int)
    X[0] = -1.0
    X[0, 0] = 1.0
    other = X.copy()
    other[0] *= -1
    return (Pair("others zero; record changes sign", (X, y), (other, y)),)


def _narrow_pairs(rows: int) -> tuple[Pair, ...]:
    X, y = np.ones((rows, 1)), np.where(np.arange(rows) % 2, -1, 1)
    other = X.copy()
    other[0] *= -1
    return (Pair("others alike with either label; record changes sign", (X, y), (other, y)),)


def _counts(plan: SamplePlan, pair: Pair) -> float:
    """The exact ε of what is drawn."""
    return exact_discrete(_counts_of(plan, pair.left), _counts_of(plan, pair.right), plan.budget.delta)


def _counts_of(plan: SamplePlan, table: Data) -> Array:
    rows, labels = table
    scores = plan.facts.ball * np.asarray(rows, dtype=np.float64)
    if plan.corners.signed:
        scores = np.column_stack([scores, -scores])
    weights = corner_weights(scores, labels, Logistic(), plan.facts.penalty.strong_convexity)
    return counts_law(mixed_with_uniform(weights, MIXED), plan.draws.count)


def _experts(epsilon: float, delta: float, horizon: int) -> Target:
    """Rows are cost vectors."""
    experts = WIDE if horizon == 2 else 2
    make = partial(estimators.SimplexFTRL, epsilon, delta, experts=experts, horizon=horizon)
    costs = np.full((horizon, experts), 1.0)
    costs[:, 0] = -1.0
    other, nobody = costs.copy(), np.zeros(horizon)
    other[0] *= -1
    pair = Pair("all costs alike; the first changes sign", (costs, nobody), (other, nobody))
    law = partial(_decisions, make().plan().smoothing, delta)
    name = f"SimplexFTRL, {horizon} rounds"
    return Target(name, epsilon, delta, partial(_played, make), (pair,), law=law, speaks_of=("SimplexFTRL",))


def _decisions(smoothing: float, delta: float, pair: Pair) -> float:
    left, right = (decisions_law(table[0], smoothing, MIXED) for table in (pair.left, pair.right))
    return exact_discrete(left, right, delta)


def _played(make: Any, table: Data) -> Any:
    learner = make()
    for cost in table[0]:
        learner.partial_fit(cost)
    return learner.decisions_
