"""Parameters of every kind that nobody meant: told in one line before the debit, by an error of ours, or taken."""

from __future__ import annotations

import inspect
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise import answering, tuning
from equipoise.errors import EquipoiseError

rng = np.random.default_rng(0)
X = np.round(rng.uniform(-0.7, 0.7, size=(40, 2)), 3)
CLASSES = (X[:, 1] > 0).astype(int)
RANGE = {"label_bounds": (-1.0, 1.0)}

ODD: list[Any] = [
    None, True, -1, 2**63, 10**400, math.nan, math.inf, 5e-324, 1e308, "", "x", b"x", [], {}, (1, 2), set(), object(),
    np.array([]), np.array([1.0, 2.0]), np.array(1.0), 1j, Decimal(1), Fraction(1, 2), [None], int,
]  # fmt: skip

ESTIMATORS: dict[Any, dict[str, Any]] = {
    eq.LogisticRegression: {},
    eq.LinearSVC: {},
    eq.LinearRegression: RANGE,
    eq.HuberRegressor: RANGE,
    eq.ElasticNet: RANGE,
    eq.ElasticNetClassifier: {},
    eq.BridgeRegressor: RANGE,
    eq.KernelClassifier: {"frequencies": 4},
    eq.MultiTaskRegressor: {"tasks": [0, 1], **RANGE},
    eq.PairwiseRanker: {},
    eq.SimplexRegressor: RANGE,
    eq.SimplexClassifier: {},
    eq.HistogramDensity: {"bounds": [(0, 1), (0, 1)]},
    eq.PeelingSelector: {"k": 1, "column_bounds": [(-1, 1)] * 2, **RANGE},
    eq.AdditiveClassifier: {"column_bounds": (-1, 1), "knots": 3},
    eq.AdditiveRegressor: {"column_bounds": (-1, 1), "knots": 3, **RANGE},
    eq.SimplexFTRL: {"experts": 3, "horizon": 4},
    answering.StablePredictor: {},
    answering.SGDPredictor: {},
    tuning.StabilitySearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.BudgetSplitSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.DataSplitSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.RandomSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
}

CASES = [(kind, name) for kind in ESTIMATORS for name in inspect.signature(kind).parameters if name != "estimator"]


def fit(kind: Any, settings: dict[str, Any]) -> None:
    model = kind(**settings)
    if kind is eq.SimplexFTRL:
        model.partial_fit([0.0, 1.0, 0.5])
    elif kind is eq.HistogramDensity:
        model.fit(X)
    else:
        numbers = "label_bounds" in ESTIMATORS[kind]
        model.fit(X, X[:, 1] if numbers else CLASSES)


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_an_odd_parameter_is_told_in_one_line_before_the_debit_or_taken(kind: Any, name: str) -> None:
    for value in ODD:
        ledger = eq.Ledger(1000.0, 0.5)
        settings = {"ledger": ledger, "random_state": 0} | ESTIMATORS[kind] | {name: value}
        told = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fit(kind, settings)
            except EquipoiseError as problem:
                told = str(problem)
        assert told is None or ("\n" not in told and not ledger.entries()), (type(value), told)


@pytest.mark.parametrize("count", [2**17, 2**63, 10**400])
def test_a_search_that_could_not_end_is_refused_before_the_debit(count: int) -> None:
    ledger = eq.Ledger(1.0)
    search = tuning.StabilitySearch(eq.LogisticRegression(), {"alpha": [0.1, 1.0]}, draws=count, ledger=ledger)
    with pytest.raises(eq.InvalidInput, match="draws: must be at most"):
        search.fit(X, CLASSES)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    "search", [tuning.StabilitySearch, tuning.BudgetSplitSearch, tuning.DataSplitSearch, tuning.RandomSearch]
)
def test_a_search_says_that_it_takes_rows_as_they_are(search: Any) -> None:
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.InvalidInput, match="middle="):
        search(eq.LogisticRegression(middle="auto"), {"alpha": [0.1, 1.0]}, ledger=ledger).fit(X, CLASSES)
    assert ledger.entries() == ()


def test_advice_for_more_questions_than_anybody_asks_is_refused() -> None:
    predictor = answering.StablePredictor(0.1, ledger=eq.Ledger(1.0)).fit(X, CLASSES)
    with pytest.raises(eq.InvalidInput, match="k: must be at most"):
        predictor.compare_with_release(10**400)
