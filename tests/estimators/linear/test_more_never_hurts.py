"""More ε and more rows never hurt beyond noise, on simulated tables that nothing was set on.

Each comparison allows four standard errors of the difference of two means and one part in two hundred of what the best
constant costs: false alarms below 1e-3 for all of them together, if means of eight runs were normal.  Seeds are fixed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq

Array = npt.NDArray[np.float64]

SEEDS = 8
EPSILONS = (0.3, 3.0, 20.0)
SIZES = (400, 4000)


def rows(rng: np.random.Generator, n: int, d: int, decay: float) -> Array:
    scales = np.arange(1, d + 1) ** -decay
    return np.asarray(rng.standard_normal((n, d)) * scales / np.sqrt(2 * np.sum(scales**2)))


def numbers(kind: str, seed: int, n: int) -> tuple[Array, Array, tuple[float, float]]:
    rng = np.random.default_rng([seed, n])
    X = rows(rng, n, 4, 0.5)
    if kind == "steep":  # coefficients of norm 6 in units of half the label range per row norm
        return X / 6, np.clip(5 * X[:, 0] / 6 - 3 * X[:, 1] / 6, -1, 1), (-1.0, 1.0)
    if kind == "skewed":
        return X, np.clip(2 + X[:, 0] + rng.exponential(1.0, n), 0, 20), (0.0, 20.0)
    return X, np.clip(70 + 10 * X[:, 0] + 3 * rng.standard_normal(n), 0, 100), (0.0, 100.0)  # far off the middle


def classes(kind: str, seed: int, n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng([seed, n, 7])
    X = rows(rng, n, 4, 2.0 if kind == "thin" else 0.5)
    scores = {"strong": 12 * X[:, 0], "rare": 4 * X[:, 0] - 2.5, "thin": 40 * X[:, 2]}[kind]
    return X, (rng.random(n) < 1 / (1 + np.exp(-scores))).astype(float)


def risk(kind: str, epsilon: float, delta: float, n: int, seed: int) -> float:
    """Squared error over the labels' variance, or log-loss over their entropy, on 4,000 fresh rows."""
    if kind in ("steep", "skewed", "off"):
        X, y, bounds = numbers(kind, seed, n)
        held, truth, _ = numbers(kind, 1000 + seed, 4000)
        model: Any = eq.LinearRegression(epsilon, delta, label_bounds=bounds, random_state=seed).fit(X, y)
        return float(np.mean((np.clip(model.predict(held), *bounds) - truth) ** 2) / np.var(truth))
    X, y = classes(kind, seed, n)
    held, truth = classes(kind, 1000 + seed, 4000)
    model = eq.LogisticRegression(epsilon, delta, random_state=seed).fit(X, y)
    chance = np.clip(model.predict_proba(held)[np.arange(4000), truth.astype(int)], 1e-6, 1)
    share = truth.mean()
    return float(-np.mean(np.log(chance)) / -(share * np.log(share) + (1 - share) * np.log(1 - share)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("kind", ["steep", "skewed", "off", "strong", "rare", "thin"])
def test_neither_more_epsilon_nor_more_rows_make_it_worse(kind: str, delta: float) -> None:
    found = {
        (epsilon, n): np.array([risk(kind, epsilon, delta, n, seed) for seed in range(SEEDS)])
        for epsilon in EPSILONS
        for n in SIZES
    }
    pairs = [((a, n), (b, n)) for a, b in pairwise(EPSILONS) for n in SIZES]
    pairs += [((epsilon, SIZES[0]), (epsilon, SIZES[1])) for epsilon in EPSILONS]
    for less, more in pairs:
        error = np.hypot(found[less].std(ddof=1), found[more].std(ddof=1)) / np.sqrt(SEEDS)
        assert found[more].mean() <= found[less].mean() + 4 * error + 0.005, (less, more)
    assert found[20.0, 4000].mean() < 0.99  # and something is learnt


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_a_slope_of_three_is_found_without_being_told_how_steep_slopes_are(delta: float) -> None:
    X = np.random.default_rng(0).uniform(-1 / 3, 1 / 3, (50_000, 1))
    model = eq.LinearRegression(20.0, delta, label_bounds=(-1, 1), random_state=0).fit(X, 3 * X[:, 0])
    assert model.coef_[0] == pytest.approx(3.0, abs=0.02)
    assert model.score(X, 3 * X[:, 0]) > 0.999
