"""Bridge regression: the penalty it names, the ridge's sensitivity, and powers that have a bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize

import equipoise as eq
from equipoise import stability
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import solve
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Huber, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Bridge

Array = npt.NDArray[np.float64]


def table(n: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, size=(n, 4))
    return X, np.clip(1.5 * X[:, 0] - 0.7 * X[:, 1] + 0.1 * rng.normal(size=n), -1, 1)


@pytest.mark.parametrize("power", [1.2, 1.5, 1.9])
def test_it_minimises_the_power_it_names(power: float) -> None:
    """Against the uncut penalty, by another solver: corner and reach change next to nothing."""
    X, y = table(4000)
    alpha = 0.02
    model = eq.BridgeRegressor(
        1e9, power=power, mechanism="output", alpha=alpha, fit_intercept=False, label_bounds=(-1, 1), random_state=0
    ).fit(X, y)
    weight = model.guarantee_.constants["power weight"]
    assert weight * power * (power - 1) * ((1 / weight) ** (1 / power)) ** (power - 2) == pytest.approx(alpha)

    def objective(w: Array) -> float:
        return float(np.mean((X @ w - y) ** 2) + weight * np.sum(np.abs(w) ** power))

    best = minimize(objective, np.full(4, 0.1), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-14})
    best = minimize(objective, best.x, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-14, "maxiter": 9999})
    assert model.coef_ == pytest.approx(best.x, abs=0.02)


def test_power_two_is_linear_regression() -> None:
    X, y = table(500)
    known: dict[str, Any] = {"alpha": 0.1, "label_bounds": (-1, 1), "random_state": 0}
    for mechanism in ("output", "objective", "sufficient-statistics"):
        bridge = eq.BridgeRegressor(1.0, power=2.0, mechanism=mechanism, coef_norm=1.0, **known).fit(X, y)
        ridge = eq.LinearRegression(1.0, mechanism=mechanism, coef_norm=1.0, **known).fit(X, y)
        assert bridge.coef_ == pytest.approx(ridge.coef_, abs=1e-6)


@pytest.mark.parametrize("power", [1.05, 1.5, 2.0])
def test_noise_is_for_the_bound_of_the_catalogue(power: float) -> None:
    """Ours is never above it, and is it where a slope's diameter is twice its bound, as for Huber's loss."""
    n, penalty = 1000, Bridge.of(0.1, power, 1.0, 1000, spared=False)
    ours = sensitivity.of_minimiser(Facts(Huber(0.5), penalty, Bounds(1.0, label_range=(-1.0, 1.0)), n, 3)).l2
    stated = stability.bridge(0.5, penalty.weight, power, n, loss_at_zero=1.0).value
    assert ours == pytest.approx(stated, rel=1e-9)


@pytest.mark.parametrize("loss", [Huber(0.5), Squared()])
@pytest.mark.parametrize("power", [1.3, 1.7])
def test_no_record_moves_the_minimiser_further_than_stated(loss: Loss, power: float) -> None:
    """Near the reach, where the penalty is weakest, records that turn round come within ten per cent of it."""
    n, alpha, worst = 40, 4.0, 0.0
    penalty = Bridge.of(alpha, power, 1.0, n, spared=False)
    penalty = Bridge(alpha, power, penalty.corner, start=1e-6)  # a short reach, so that minimisers lie beyond it
    facts = Facts(loss, penalty, Bounds(1.0, label_range=(-1.0, 1.0)), n, 2)
    claimed = sensitivity.of_minimiser(facts).l2
    rng = np.random.default_rng(1)
    for trial in range(12):
        X = rng.normal(size=(n, 2)) if trial % 2 else np.tile([1.0, 0.0], (n, 1))
        y = rng.uniform(-1, 1, size=n) if trial % 3 else np.ones(n)
        other, labels = X.copy(), y.copy()
        y[0], labels[0] = 1.0, -1.0
        if trial % 4 == 3:
            other[0] = -other[0]
        moved = float(np.linalg.norm(minimiser(facts, X, y) - minimiser(facts, other, labels)))
        assert moved <= claimed
        worst = max(worst, moved / claimed)
    assert worst > (0.9 if isinstance(loss, Huber) else 0.6)


def minimiser(facts: Facts, X: Array, y: Array) -> Array:
    records = Records(design_from(X, 1.0, 0.0), y)
    return solve(Objective(facts.loss, facts.penalty, records, facts.n), 1e-8).point


@pytest.mark.parametrize("power", [1.0, 0.5, 2.1, -1.0, None, "1.5", float("nan")])
def test_other_powers_are_refused_for_free(power: Any) -> None:
    ledger = eq.Ledger(1.0)
    with pytest.raises((eq.InvalidInput, ArithmeticError)) as caught:
        eq.BridgeRegressor(1.0, power=power, label_bounds=(-1, 1), ledger=ledger).fit(*table(50))
    assert isinstance(caught.value, eq.InvalidInput)
    assert "power" in str(caught.value)
    assert ledger.spent().epsilon == 0


@pytest.mark.parametrize("mechanism", ["objective", "noisy-gradient", "sufficient-statistics", "sgd"])
def test_mechanisms_for_the_ridge_alone_refuse_other_powers(mechanism: str) -> None:
    with pytest.raises(eq.MechanismRefused, match='use "output"'):
        eq.BridgeRegressor(1.0, 1e-6, mechanism=mechanism, label_bounds=(-1, 1)).plan(1000, 3)
    assert eq.BridgeRegressor(1.0, 1e-6, label_bounds=(-1, 1)).plan(1000, 3).mechanism in ("output", "constant")


def test_files_groups_and_cards(tmp_path: Path) -> None:
    X, y = table(300)
    made = eq.BridgeRegressor(1.0, mechanism="output", rows_per_person=2, label_bounds=(-1, 1))
    model = made.fit(X, y, groups=np.arange(300) // 2)
    model.save(tmp_path / "model.json")
    assert np.array_equal(eq.load(tmp_path / "model.json").predict(X), model.predict(X))
    assert "power weight" in str(model.card())
