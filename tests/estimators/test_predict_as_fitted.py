"""What was learnt on clipped rows is applied to clipped rows: in estimators, files, searches, predictors, forecasts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.sparse import csr_array

import equipoise as eq
from equipoise.answering import SGDPredictor, StablePredictor
from equipoise.calibration import brier_score
from equipoise.inside.design import design_from
from equipoise.rows import RowBounds
from equipoise.tuning import BudgetSplitSearch

Array = npt.NDArray[np.float64]

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3)) * [1.0, 4.0, 0.2]
Y = (X[:, 0] + X[:, 2] > 0).astype(int)
RANGES = ((-1.0, 1.0), (-2.0, 6.0), (0.0, 0.5))
SETTINGS: dict[str, dict[str, Any]] = {
    "row norm": {"row_norm": 1.5},
    "no intercept": {"row_norm": 1.5, "fit_intercept": False},
    "column bounds": {"column_bounds": RANGES},
}
ESTIMATORS: dict[str, Any] = {
    "logistic": eq.LogisticRegression,
    "softmax": lambda **given: eq.LogisticRegression(classes=[0, 1, 2], **given),
    "hinge": eq.LinearSVC,
    "squared": lambda **given: eq.LinearRegression(label_bounds=(0, 1), **given),
    "huber": lambda **given: eq.HuberRegressor(label_bounds=(0, 1), **given),
}
NAME = "column bounds"
CELLS = st.one_of(st.floats(-9, 9), st.just(np.nan), st.just(np.inf), st.floats(allow_nan=False))


def fitted(name: str, setting: str) -> Any:
    return ESTIMATORS[name](epsilon=5.0, random_state=0, **SETTINGS[setting]).fit(X, Y)


MODELS = {(name, setting): fitted(name, setting) for name in ESTIMATORS for setting in SETTINGS}


def within(rows: Array, setting: str) -> Array:
    """By hand: what is missing settled, cells within their ranges or rows within their norm."""
    if setting == "column bounds":
        low, high = np.array(RANGES).T
        return np.asarray(np.clip(np.where(np.isnan(rows), (low + high) / 2, rows), low, high))
    plain = np.nan_to_num(rows)  # infinity is the largest double
    peak = np.maximum(np.abs(plain).max(axis=1, keepdims=True), 1e-300)
    lengths = np.linalg.norm(plain / peak, axis=1, keepdims=True)
    return np.asarray(np.where(lengths > 1.5 / peak, plain / peak * 1.5 / np.maximum(lengths, 1e-300), plain))


def scores(model: Any, rows: Any) -> Any:
    return model.decision_function(rows) if hasattr(model, "decision_function") else model.predict(rows)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", ESTIMATORS)
@settings(max_examples=25)
@given(rows=arrays.arrays(np.float64, (4, 3), elements=CELLS))
def test_rows_are_scored_as_a_fit_would_take_them(name: str, setting: str, rows: Array) -> None:
    model = MODELS[name, setting]
    np.testing.assert_allclose(scores(model, rows), scores(model, within(rows, setting)), rtol=1e-7, atol=1e-9)
    expected = within(rows, setting) @ np.atleast_2d(model.coef_).T + model.intercept_
    np.testing.assert_allclose(np.reshape(scores(model, rows), expected.shape), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("setting", ["row norm", "no intercept"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_scores_are_those_of_the_design_of_the_fit(name: str, setting: str) -> None:
    model = MODELS[name, setting]
    constant = 0.5 * 1.5 if model.fit_intercept else 0.0
    weights = np.atleast_2d(model.coef_)
    if constant:
        weights = np.column_stack([weights, np.atleast_1d(model.intercept_) / constant])
    expected = design_from(X, 1.5, constant).matvec(weights.T)
    np.testing.assert_allclose(np.reshape(scores(model, X), expected.shape), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_way_to_ask_takes_rows_alike(name: str, setting: str, tmp_path: Path) -> None:
    model, rows = MODELS[name, setting], X * 7
    clipped = within(rows, setting)
    model.save(tmp_path / "model.json")
    for asked in (model, model.model_, eq.load(tmp_path / "model.json")):
        for method in ("predict", "predict_proba", "predict_log_proba"):
            if hasattr(asked, method) and (method == "predict" or name in ("logistic", "softmax")):
                ask = getattr(asked, method)
                np.testing.assert_allclose(ask(rows), ask(clipped), rtol=1e-7, atol=1e-9)
    assert model.score(rows, Y) == pytest.approx(model.score(clipped, Y))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_sparse_rows_are_clipped_like_dense_ones(name: str) -> None:
    model = MODELS[name, "row norm"]
    np.testing.assert_allclose(scores(model, csr_array(X * 7)), scores(model, X * 7), rtol=1e-9)


def test_parameters_changed_after_the_fit_do_not_change_how_rows_are_taken() -> None:
    model = fitted("logistic", "row norm")
    before = model.predict_proba(X * 7)
    np.testing.assert_array_equal(model.set_params(row_norm=99.0).predict_proba(X * 7), before)


def test_a_shrunk_model_keeps_its_bounds() -> None:
    model = eq.LinearRegression(1.0, mechanism="output", label_bounds=(0, 1), row_norm=1.5).fit(X, Y).model_.shrunk()
    assert model.row_bounds == RowBounds(1.5)


def test_a_search_predicts_as_its_estimator_was_fitted() -> None:
    search = BudgetSplitSearch(eq.LogisticRegression(5.0, row_norm=1.5), {"alpha": [0.1, 1.0]}, random_state=0)
    found = search.fit(X, Y)
    np.testing.assert_allclose(found.predict_proba(X * 7), found.predict_proba(within(X * 7, "row norm")), rtol=1e-7)


@pytest.mark.parametrize("kind", [StablePredictor, SGDPredictor])
def test_queries_that_count_as_the_same_are_one(kind: Any) -> None:
    predictor = kind(1.0, row_norm=1.5).fit(X, Y)
    told = predictor.predict([[30.0, 0.0, 0.0], [1e200, 0.0, 0.0], [np.inf, 0.0, 0.0]])
    assert len(set(told.tolist())) == 1
    assert predictor.last_cost_.new <= 2  # the clipped rows may differ in their last place


def test_forecasts_for_calibration_take_rows_as_the_fit_did() -> None:
    model = MODELS["logistic", NAME]
    spoilt = X * 7
    spoilt[5, 1] = np.nan
    found = brier_score(model, spoilt, Y)
    assert found.value == pytest.approx(brier_score(model, within(spoilt, NAME), Y).value)
    noisy = [brier_score(model, rows, Y, epsilon=1.0, random_state=0).value for rows in (spoilt, within(spoilt, NAME))]
    assert noisy[0] == pytest.approx(noisy[1])


@pytest.mark.parametrize("name", ["logistic", "hinge"])
def test_more_epsilon_does_not_hurt_where_most_rows_are_clipped(name: str) -> None:
    """A table like Adult after impute, scale and one-hot: rows five times as long as the default bound.

    The classes are as unequal as there; before, accuracy fell below the share of the larger one as epsilon grew.
    """
    rng = np.random.default_rng(5)
    n = 6000
    categories = [np.eye(size)[rng.integers(size, size=n)] for size in (5, 4)]
    table = np.column_stack([rng.normal(size=(n, 6)), *categories])
    table[:, 0] = np.exp(rng.normal(size=n))  # long on one side, as capital gains are
    weights = rng.normal(size=table.shape[1])
    signal = table @ weights
    labels = (signal + rng.normal(size=n) > np.quantile(signal, 0.76)).astype(int)
    found = []
    for epsilon in (0.1, 1.0, 10.0):
        model = ESTIMATORS[name](epsilon=epsilon, random_state=0).fit(table[:4000], labels[:4000])
        found.append(model.score(table[4000:], labels[4000:]))
    assert found[2] > found[1] - 0.01 > found[0] - 0.02
    assert found[2] > 1 - labels[4000:].mean() + 0.03
