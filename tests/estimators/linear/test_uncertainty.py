"""Standard errors, intervals and shrinkage of fitted estimators: the right numbers in the caller's units."""

from __future__ import annotations

import math
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.exceptions import NotFittedError

import equipoise as eq
from equipoise.outside import Released
from equipoise.theory.noise import Law

Array = npt.NDArray[np.float64]

FITS = 320
"""Seeded fits behind each coverage figure."""

ALPHA = 0.2
LABELS = (0.0, 10.0)


def simulated(features: int = 4, rows: int = 400) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, features)) / math.sqrt(features)
    y = 6 + 2 * X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=rows)
    return X, np.clip(y, *LABELS)


def without_noise(X: Array, y: Array, intercept: bool = True) -> Array:
    """The regularised minimiser by hand: coefficients and then the intercept, in units of the labels."""
    clipped = X * np.minimum(1, 1 / np.linalg.norm(X, axis=1))[:, None]
    column = 0.5 if intercept else 0.0
    rows = np.column_stack([clipped, np.full(len(X), column)])
    centre, scale = (5.0, 5.0) if intercept else (0.0, 10.0)
    bend = 2 * rows.T @ rows / len(X) + ALPHA * np.eye(rows.shape[1])
    w = np.linalg.solve(bend, 2 * rows.T @ ((y - centre) / scale) / len(X)) * scale
    return np.append(w[:-1], w[-1] * column + centre)


def regression(delta: float, seed: int, **settings: Any) -> Any:
    given: dict[str, Any] = {"epsilon": 1.0, "mechanism": "output", "alpha": ALPHA, "label_bounds": LABELS} | settings
    return eq.LinearRegression(delta=delta, random_state=seed, **given)


@cache
def many_fits(delta: float, coef_norm: float | None) -> list[Any]:
    return [regression(delta, seed, coef_norm=coef_norm).fit(*simulated()) for seed in range(FITS)]


def hits(model: Any, target: Array, level: float = 0.95) -> list[bool]:
    found = model.confidence_intervals(level)
    low, high = np.append(found.coef_low, found.intercept_low), np.append(found.coef_high, found.intercept_high)
    return list((low <= target) & (target <= high))


@pytest.mark.parametrize(("delta", "law"), [(1e-6, Law.GAUSSIAN), (0.0, Law.SPHERICAL)])
@pytest.mark.parametrize("coef_norm", [None, 3.0])
def test_intervals_cover_the_non_private_minimiser_as_often_as_they_say(
    delta: float, law: Law, coef_norm: float | None
) -> None:
    target, models = without_noise(*simulated()), many_fits(delta, coef_norm)
    assert models[0].model_.uncertainty.law is law
    moved = [not np.array_equal(model.coef_, model.model_.uncertainty.estimate[0, :-1]) for model in models]
    assert any(moved) == (coef_norm is not None), "the ball should matter in this test"
    covered = np.mean([hits(model, target) for model in models], axis=0)
    assert 0.92 <= covered.mean() <= 0.98, covered
    assert np.all((covered > 0.91) & (covered < 0.99)), covered
    half = np.mean([hits(model, target, 0.5) for model in models])
    assert 0.46 <= half <= 0.54


def test_spread_of_many_fits_is_the_standard_error() -> None:
    models = many_fits(0.0, None)
    released = np.array([np.append(model.coef_, model.intercept_) for model in models])
    errors = np.append(*models[0].standard_errors())
    np.testing.assert_allclose(released.std(axis=0), errors, rtol=0.12)
    np.testing.assert_allclose(
        released.mean(axis=0), without_noise(*simulated()), atol=5 * errors.max() / math.sqrt(FITS)
    )


def test_units_are_those_of_the_labels() -> None:
    X, y = simulated()
    model = regression(1e-6, 0).fit(X, y)
    sigma = model.guarantee_.constants["noise scale"]
    coef, intercept = model.standard_errors()
    np.testing.assert_allclose(coef, np.full(4, 5 * sigma), rtol=1e-12)
    assert intercept == pytest.approx(5 * 0.5 * sigma, rel=1e-12)
    assert model.model_.covers == "the non-private minimiser"
    assert model.model_.covariance.shape == (5, 5)


def test_longer_rows_and_wider_labels_change_units_alone() -> None:
    X, y = simulated()
    one = regression(0.0, 3).fit(X, y)
    other = regression(0.0, 3, row_norm=10.0, label_bounds=(-200.0, 200.0), alpha=100 * ALPHA).fit(10 * X, 40 * (y - 5))
    np.testing.assert_allclose(other.standard_errors()[0], 4 * one.standard_errors()[0], rtol=1e-6)
    assert other.standard_errors()[1] == pytest.approx(40 * float(one.standard_errors()[1]), rel=1e-6)


def test_an_intercept_that_is_not_fitted_has_no_error() -> None:
    X, y = simulated()
    model = regression(0.0, 0, fit_intercept=False).fit(X, y)
    assert model.standard_errors()[1] == 0
    assert model.confidence_intervals().intercept_low == model.confidence_intervals().intercept_high == 0
    target = np.append(without_noise(X, y, intercept=False)[:-1], 0.0)
    fits = [regression(0.0, seed, fit_intercept=False).fit(X, y) for seed in range(FITS)]
    covered = [hits(fitted, target)[:-1] for fitted in fits]
    assert 0.92 <= np.mean(covered) <= 0.98


def test_correlated_errors_of_sufficient_statistics_come_out_in_the_labels_units() -> None:
    model = regression(1e-6, 0).set_params(mechanism="sufficient-statistics")
    plan = model.plan(100, 2)
    full = np.array([[4.0, 1.0, 0.5], [1.0, 9.0, 0.0], [0.5, 0.0, 1.0]])
    released = Released(np.array([0.1, 0.2, 0.3]), plan.event, plan.guarantee(True), full)
    found = model._uncertainty(plan, released)
    units = np.array([5.0, 5.0, 2.5])
    np.testing.assert_allclose(found.covariance, full * np.outer(units, units))
    np.testing.assert_allclose(found.estimate, [[0.5, 1.0, 5.75]])
    assert (found.law, found.covers, found.slack) == (Law.GAUSSIAN, "the population coefficients", 0.0)


def test_every_binary_and_regression_estimator_can_say(kind: Any, table: Any) -> None:
    model = kind(1.0, 1e-6, mechanism="output").fit(*table)
    coef, intercept = model.standard_errors()
    assert np.shape(coef) == np.shape(model.coef_)
    assert np.shape(intercept) == np.shape(model.intercept_)
    found = model.confidence_intervals(level=0.8)
    assert np.all((found.coef_low < model.coef_) & (model.coef_ < found.coef_high))
    assert np.shape(found.intercept_low) == np.shape(model.intercept_)
    assert "standard errors" in str(model.card())


@pytest.mark.parametrize("mechanism", ["constant", "functional"])
def test_other_mechanisms_say_who_can(mechanism: str, manners: Any) -> None:
    X, y = simulated()
    model = regression(1e-6 if mechanism == "constant" else 0.0, 0, mechanism=mechanism).fit(X, y)
    for asked in (model.standard_errors, model.confidence_intervals):
        with pytest.raises(eq.InvalidInput, match=r"output, .* or sufficient-statistics") as caught:
            asked()
        manners(caught.value)
    assert "standard errors" not in str(model.card())


@pytest.mark.parametrize("method", ["standard_errors", "confidence_intervals"])
def test_nothing_is_known_before_fitting(kind: Any, method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(kind(), method)()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_saved_models_and_pickles_say_the_same(kind: Any, delta: float, table: Any, tmp_path: Path) -> None:
    model = kind(1.0, delta, mechanism="output").fit(*table)
    model.save(tmp_path / "model.json")
    for copy in (eq.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):  # noqa: S301
        for level in (0.5, 0.95):
            one, other = model.confidence_intervals(level), copy.confidence_intervals(level)
            np.testing.assert_array_equal(one.coef_low, other.coef_low)
            np.testing.assert_array_equal(one.intercept_high, other.intercept_high)


def test_labels_beyond_squaring_still_fit(table: Any) -> None:
    X, y = table
    model = eq.LinearRegression(label_bounds=(-1e180, 1e180), mechanism="output", random_state=0).fit(X, y * 1e180)
    assert np.isfinite(model.coef_).all()
    with pytest.raises(eq.InvalidInput, match="not kept in this model"):
        model.standard_errors()


def test_many_features_need_no_square_of_them() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5000)) / 70, rng.integers(0, 2, size=30)
    model: Any = eq.LogisticRegression(1.0, mechanism="output", random_state=0).fit(X, y)
    assert model.model_.uncertainty.covariance.shape == (5001,)
    assert model.standard_errors()[0].shape == (1, 5000)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_shrinking_brings_noisy_slopes_closer_to_the_minimiser(delta: float, epsilon: float) -> None:
    X, y = simulated(features=8, rows=1000)
    target = without_noise(X, y)[:-1]
    models = [regression(delta, seed, epsilon=epsilon).fit(X, y).model_ for seed in range(100)]
    raw = [float(np.sum((model.coef_ - target) ** 2)) for model in models]
    less = [float(np.sum((model.shrunk().coef_ - target) ** 2)) for model in models]
    assert np.mean(less) < 0.75 * np.mean(raw)
