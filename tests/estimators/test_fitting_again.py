"""Fitting again is fitting afresh: nothing of an earlier fit, plan, answer or table stays behind.

A constant kept from a larger table would be a promise that the smaller one does not keep.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import equipoise as eq
from equipoise import answering, tuning

CLASSES = (0, 1)
GRID = {"alpha": [0.5, 1.0]}


def rows(count: int, columns: int, seed: int) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, size=(count, columns))
    return X, (X[:, 0] + 0.1 * draw.normal(size=count) > 0).astype(int)


LARGE, SMALL = rows(400, 3, 1), rows(60, 3, 2)
LOGISTIC = eq.LogisticRegression(1.0, 1e-6, classes=CLASSES, random_state=3)
TRIED = eq.LogisticRegression(1.0, classes=CLASSES, random_state=3, mechanism="output")

RELEASED: dict[str, Callable[[], Any]] = {
    "logistic": lambda: LOGISTIC,
    "logistic, objective": lambda: clone(LOGISTIC).set_params(mechanism="objective"),
    "logistic, output": lambda: clone(LOGISTIC).set_params(mechanism="output"),
    "logistic, noisy gradients": lambda: clone(LOGISTIC).set_params(mechanism="noisy-gradient"),
    "linear": lambda: eq.LinearRegression(1.0, label_bounds=(0, 1), random_state=3),
    "linear, statistics": lambda: eq.LinearRegression(
        1.0, mechanism="sufficient-statistics", label_bounds=(-1, 1), random_state=3
    ),
    "huber": lambda: eq.HuberRegressor(1.0, label_bounds=(-1, 1), random_state=3),
    "svc": lambda: eq.LinearSVC(1.0, classes=CLASSES, smoothing=0.5, random_state=3),
    "density": lambda: eq.HistogramDensity(1.0, bounds=[(-1, 1)], random_state=3),
    "data split": lambda: tuning.DataSplitSearch(TRIED, GRID),
    "budget split": lambda: tuning.BudgetSplitSearch(TRIED, GRID),
    "random": lambda: tuning.RandomSearch(TRIED, GRID),
    "stability": lambda: tuning.StabilitySearch(TRIED, GRID, share=0.5),
}

ASKED: dict[str, Callable[[], Any]] = {
    "stable": lambda: answering.StablePredictor(1.0, classes=CLASSES, random_state=3),
    "one pass": lambda: answering.SGDPredictor(1.0, classes=CLASSES, random_state=3),
    "votes": lambda: answering.VotingPredictor(
        DecisionTreeClassifier(max_depth=1), 1.0, shards=6, n_jobs=1, random_state=3
    ),
    "average": lambda: answering.AveragingPredictor(
        DecisionTreeRegressor(max_depth=1), 1.0, shards=6, n_jobs=1, bounds=(0, 1), random_state=3
    ),
}


def with_ledger(estimator: Any, ledger: eq.Ledger) -> Any:
    return clone(estimator).set_params(ledger=ledger)


@pytest.mark.filterwarnings("ignore::equipoise.tuning.NoisyChoice")
@pytest.mark.parametrize("name", RELEASED)
def test_a_second_fit_promises_pays_and_releases_what_a_first_one_would(name: str) -> None:
    many, one = eq.Ledger(delta=1e-5), eq.Ledger(delta=1e-5)
    used, fresh = with_ledger(RELEASED[name](), many), with_ledger(RELEASED[name](), one)
    tables = [(X[:, :1], y) if name == "density" else (X, y) for X, y in (LARGE, SMALL)]
    used.fit(*tables[0]).fit(*tables[1])
    fresh.fit(*tables[1])
    assert used.guarantee_ == fresh.guarantee_
    assert many.entries()[-1].event == one.entries()[0].event
    if name == "density":
        np.testing.assert_array_equal(used.density_.mass, fresh.density_.mass)
    else:
        np.testing.assert_array_equal(used.predict(tables[1][0]), fresh.predict(tables[1][0]))


def test_a_second_fit_may_have_other_columns() -> None:
    X, y = rows(60, 2, 2)
    model = clone(LOGISTIC).fit(*LARGE).fit(X, y)
    assert (model.n_features_in_, model.coef_.shape) == (2, (1, 2))
    assert model.guarantee_ == clone(LOGISTIC).fit(X, y).guarantee_


@pytest.mark.parametrize("name", ASKED)
def test_a_predictor_that_is_fitted_again_forgets_its_answers(name: str) -> None:
    """The same questions are new ones: they are paid for again, and answered from the new table."""
    X, y = rows(60, 3, 4)
    many, one = eq.Ledger(), eq.Ledger()
    used, fresh = with_ledger(ASKED[name](), many), with_ledger(ASKED[name](), one)
    questions = np.linspace(-0.4, 0.4, 12).reshape(4, 3)
    used.fit(*LARGE).predict(questions)
    told = used.fit(X, 1 - y).predict(questions)
    np.testing.assert_array_equal(told, fresh.fit(X, 1 - y).predict(questions))
    assert used.guarantee_ == fresh.guarantee_
    assert [record.event for record in many.entries()[1:]] == [record.event for record in one.entries()]


def test_a_walk_that_is_fitted_again_forgets_its_answers() -> None:
    used, fresh = (answering.ThresholdPredictor(1.0, random_state=3) for _ in range(2))
    rising = np.repeat([[0.2], [0.8]], 40, axis=0), np.repeat([0, 1], 40)
    flat = np.full((80, 1), 0.5), np.zeros(80, dtype=int)
    questions = [[0.5], [0.9]]
    used.fit(*rising).predict(questions)
    told = used.fit(*flat).predict(questions)
    np.testing.assert_array_equal(told, fresh.fit(*flat).predict(questions))
    assert len(used.ledger_.entries()) == 1
