"""Intervals of walks and tilted problems: right at least as often as they say, and no wider than they must be.

A column of zeros is flat ground, where the stated error is the true one: there too wide a statement is caught as well.
Everything is seeded; with fresh seeds a test here would fail by chance less than once in 10,000 runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.estimators.linear import units
from equipoise.gate.door import solve_tilted
from equipoise.gate.models import noisy_gradients, objective_perturbation
from equipoise.outside.uncertainty import NOISELESS

Array = npt.NDArray[np.float64]

FITS = 90
FLAT = 3
"""The column that says nothing."""


def simulated(classes: int = 2) -> tuple[Array, npt.NDArray[Any]]:
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.uniform(-0.5, 0.5, size=(300, 3)), np.zeros(300)])
    score = X[:, 0] - X[:, 1] + rng.normal(size=300) / 4
    return X, np.digitize(score, [0.0] if classes == 2 else [-0.2, 0.2])


def fitted(mechanism: str, seed: int, delta: float = 1e-6, classes: int = 2, **settings: Any) -> Any:
    given = {"alpha": 0.02 if mechanism == "objective" else "auto"} | settings
    kind = eq.LogisticRegression(
        1.0, delta, mechanism=mechanism, classes=list(range(classes)), random_state=seed, **given
    )
    return kind.fit(*simulated(classes))


def released(model: Any) -> Array:
    return np.array(model.model_.uncertainty.estimate)


def without_noise(mechanism: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Array:
    """The same fit, each draw left out."""
    with monkeypatch.context() as patched:
        for place in (noisy_gradients, objective_perturbation):
            patched.setattr(place, "add_noise", lambda value, *_: value.reveal())
        nothing = lambda records, noise, plan, *_: solve_tilted(records, np.zeros(noise.dim), plan)  # noqa: E731
        patched.setattr(objective_perturbation, "tilt", nothing)
        return released(fitted(mechanism, 0, **settings))


@pytest.mark.parametrize(
    ("mechanism", "delta", "classes"),
    [("noisy-gradient", 1e-6, 2), ("noisy-gradient", 1e-6, 3), ("objective", 1e-6, 2), ("objective", 0.0, 2)],
)
def test_intervals_hold_the_same_fit_without_noise(
    mechanism: str, delta: float, classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = without_noise(mechanism, monkeypatch, delta=delta, classes=classes)
    models = [fitted(mechanism, seed, delta, classes).model_ for seed in range(FITS)]
    assert {model.covers for model in models} == {NOISELESS}
    away = np.array([model.uncertainty.estimate - target for model in models])
    reach = np.array([model.uncertainty.reach(0.95) for model in models])
    covered = (np.abs(away) <= reach).mean(axis=0)
    assert covered.min() >= 0.83, covered  # below it once in 1e5 for a chance of .95
    stated = np.array([model.uncertainty.standard_errors for model in models]).mean(axis=0)
    spread = away.std(axis=0) / stated
    assert spread.max() < 1.35, spread
    np.testing.assert_allclose(spread[:, FLAT], 1.0, atol=0.35)


def test_intervals_of_walks_are_in_the_callers_units() -> None:
    X, y = simulated()
    kind = eq.LinearRegression(1.0, 1e-6, mechanism="noisy-gradient", random_state=0, label_bounds=(-1.0, 1.0))
    first = kind.fit(X, y).standard_errors()
    second = kind.set_params(label_bounds=(-10.0, 10.0)).fit(X, 10 * y).standard_errors()
    np.testing.assert_allclose(second[0], 10 * np.array(first[0]), rtol=1e-9)
    np.testing.assert_allclose(second[1], 10 * np.array(first[1]), rtol=1e-9)


def test_upper_bounds_are_not_used_for_shrinking() -> None:
    model = fitted("noisy-gradient", 0).model_
    assert model.shrunk() is model


def test_every_number_of_a_softmax_has_an_interval_and_all_classes_the_same_error() -> None:
    model = fitted("noisy-gradient", 0, classes=3)
    coef, intercept = model.standard_errors()
    assert np.shape(coef) == np.shape(model.coef_) == (3, 4)
    assert np.shape(intercept) == (3,)
    np.testing.assert_allclose(coef, coef[0, 0], rtol=1e-9)


def test_of_many_columns_the_variances_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A square of a wide table would not fit into memory, after the debit."""
    square = fitted("noisy-gradient", 0, column_bounds=[(-0.5, 1.0)] * 4).model_.uncertainty
    monkeypatch.setattr(units, "MOST_SQUARED", 2)
    flat = fitted("noisy-gradient", 0, column_bounds=[(-0.5, 1.0)] * 4).model_.uncertainty
    assert (square.covariance.ndim, flat.covariance.ndim) == (2, 1)
    np.testing.assert_allclose(flat.standard_errors, square.standard_errors, rtol=1e-9)
