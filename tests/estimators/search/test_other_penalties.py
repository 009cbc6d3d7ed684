"""Stability searches over penalties that only output perturbation serves, and words for what cannot be searched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise import tuning
from equipoise.inside import enter, minimise

ROWS = 400
GRID = {"alpha": [0.05, 0.5]}

ESTIMATORS: dict[str, Any] = {
    "bridge": eq.BridgeRegressor(5.0, label_bounds=(-1, 1)),
    "elastic net": eq.ElasticNet(5.0, label_bounds=(-1, 1)),
    "elastic net of classes": eq.ElasticNetClassifier(5.0),
}

Array = npt.NDArray[np.float64]


def table(seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, 3)) / 2
    return X, np.clip(X[:, 0] + rng.normal(size=ROWS) / 5, -1, 1)


def labels(name: str, y: Array) -> Any:
    return (y > 0).astype(int) if name == "elastic net of classes" else y


@pytest.mark.filterwarnings("ignore::equipoise.estimators.search.stability_search.NoisyChoice")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_stability_search_takes_the_mechanism_that_serves_the_penalty(name: str) -> None:
    X, y = table()
    search = tuning.StabilitySearch(ESTIMATORS[name], GRID, random_state=0).fit(X, labels(name, y))
    assert search.best_params_["alpha"] in GRID["alpha"]
    assert search.best_estimator_.guarantee_.epsilon <= 5.0
    plan: Any = search.plan(ROWS, 3)
    assert {each.mechanism for each in plan.plans} == {"output"}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_neighbours_move_what_is_tried_further_than_the_search_counts(name: str) -> None:
    """The steadiness of each setting on its training part, against replaced rows and labels."""
    plan: Any = tuning.StabilitySearch(ESTIMATORS[name], GRID).plan(ROWS, 3)
    rng = np.random.default_rng(1)
    for setting in plan.steady:
        facts, rows = setting.facts, plan.question.rows.training
        bounds = replace(facts.bounds, classes=(0, 1)) if name == "elastic net of classes" else facts.bounds

        def end(X: Array, y: Array, facts: Any = facts, bounds: Any = bounds, radius: float = setting.radius) -> Array:
            found = minimise(enter(X, labels(name, y), bounds), facts.loss, facts.penalty, facts.n, radius, facts.ball)
            return np.asarray(found.reveal().point)

        for attempt in range(4):
            X, y = (part[:rows] for part in table(attempt))
            X, y = (X, y) if attempt else (np.tile([[9.0, 0.0, 0.0]], (rows, 1)), np.ones(rows))
            other, names = X.copy(), y.copy()
            other[0], names[0] = (-X[0] if attempt % 2 else rng.normal(size=3)), -np.sign(y[0])
            assert np.linalg.norm(end(X, y) - end(other, names)) <= setting.stability


LIFTED: dict[str, tuple[Any, str]] = {
    "KernelClassifier": (eq.KernelClassifier(), "those of random features"),
    "MultiTaskRegressor": (eq.MultiTaskRegressor(label_bounds=(-1, 1)), "those of each task"),
    "PairwiseRanker": (eq.PairwiseRanker(), "those of differences between rows"),
    "AdditiveClassifier": (eq.AdditiveClassifier(column_bounds=(-1, 1)), "shapes"),
}


@pytest.mark.parametrize("name", LIFTED)
@pytest.mark.parametrize("kind", ["StabilitySearch", "DataSplitSearch", "BudgetSplitSearch", "RandomStopSearch"])
def test_what_has_no_coefficients_of_columns_is_refused_by_name_and_for_free(name: str, kind: str) -> None:
    (estimator, has), ledger = LIFTED[name], eq.Ledger(5.0)
    X, y = table()
    with pytest.raises(eq.InvalidInput, match=f"{name}: .*this one has {has}; give it alpha.*nothing was spent"):
        getattr(tuning, kind)(estimator, GRID, ledger=ledger).fit(X, (y > 0).astype(int))
    assert not ledger.entries()
