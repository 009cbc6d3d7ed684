"""More ε or more rows never hurt, and in the end the mean is learnt: simulated tables with labels hard for clipped
residuals, and with rows that lie off centre and hardly vary."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq

Array = npt.NDArray[np.float64]
ROWS, COLUMNS, SPLIT = 24_000, 4, 16_000
EPSILONS = (0.1, 1.0, 10.0)


def piled(middle: Array, rng: np.random.Generator) -> Array:
    """Most labels on the lower bound, the others in a tail."""
    return np.where(
        rng.random(len(middle)) < 0.6, 0.0, np.minimum(10.0, (1 + middle) * rng.exponential(2.0, len(middle)))
    )


def tailed(middle: Array, rng: np.random.Generator) -> Array:
    return np.asarray(np.clip(3 + middle * 2 + rng.standard_t(3, len(middle)), 0, 10))


def uneven(middle: Array, rng: np.random.Generator) -> Array:
    """Spread that grows with the mean."""
    return np.asarray(np.clip(3 + 2 * middle + (1.5 + middle) * rng.standard_normal(len(middle)), 0, 10))


def score(y: Array, told: Array) -> float:
    return float(1 - np.mean((y - told) ** 2) / np.var(y))


@pytest.mark.parametrize("labels", [piled, tailed, uneven], ids=lambda made: made.__name__)
def test_more_epsilon_never_hurts_regression(labels: Callable[[Array, np.random.Generator], Array]) -> None:
    """R² falls by no more than 0.02 from one ε to ten times as much, ends within 0.02 of least squares, and a model is
    never below the mean by more than 0.03 from ε = 1 on.  Seeded: no false alarm by chance."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (ROWS, COLUMNS)) / 2
    y = labels(2 * X @ np.array([0.5, -0.3, 0.2, 0.0]), rng)
    held, held_y, X, y = X[SPLIT:], y[SPLIT:], X[:SPLIT], y[:SPLIT]
    found = []
    for epsilon in EPSILONS:
        model = eq.LinearRegression(epsilon, 1e-6, label_bounds=(0, 10), random_state=1).fit(X, y)
        found.append(score(held_y, model.predict(held)))
    full = np.column_stack([X, np.ones(SPLIT)])
    best = score(held_y, np.column_stack([held, np.ones(len(held))]) @ np.linalg.lstsq(full, y, rcond=None)[0])
    assert all(later >= earlier - 0.02 for earlier, later in pairwise(found))
    assert found[-1] >= best - 0.02
    assert min(found[1:]) >= -0.03


def off_centre(rows: int, mean: float, spread: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rows around a point away from zero, beside which they vary little; what they tell is as strong in all tables."""
    told = rng.standard_normal((rows, 5)) / 3
    labels = told @ np.array([1.0, -1.0, 0.5, 0.0, 0.0]) + rng.standard_normal(rows) / 10
    return mean + spread * told, np.clip(labels, -2, 2)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(("mean", "spread"), [(0.4, 0.05), (0.5, 0.1), (0.3, 0.2), (0.0, 0.3)])
def test_nothing_more_hurts_where_rows_lie_off_centre(mean: float, spread: float, delta: float) -> None:
    """R², the mean of four seeds, falls by no more than 0.1 from one budget or number of rows to the next: noise is
    large on the way, and losing a mechanism that suits such rows costs .3 to .5.  Seeded: no false alarm by chance."""

    def learnt(rows: int, epsilon: float) -> float:
        found = []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            (X, y), (held, held_y) = (off_centre(count, mean, spread, rng) for count in (rows, 4000))
            model = eq.LinearRegression(epsilon, delta, label_bounds=(-2, 2), random_state=seed).fit(X, y)
            found.append(score(held_y, model.predict(held)))
        return float(np.mean(found))

    by_epsilon = [learnt(5000, epsilon) for epsilon in (1.0, 3.0, 5.0, 10.0)]
    by_rows = [learnt(rows, 1.0) for rows in (2000, 5000, 20_000, 60_000)]
    for found in (by_epsilon, by_rows):
        assert all(later >= earlier - 0.1 for earlier, later in pairwise(found)), found


@pytest.mark.parametrize("middle", [0.0, 0.2])
def test_bounds_that_are_several_times_too_wide_leave_most_to_be_learnt(middle: float) -> None:
    """Rows of .12 of their bound, or .23 off centre: R² is within .06 of the best line's, the mean of three seeds.
    Planned for rows that use their bounds it was .13 below.  Seeded: no false alarm by chance."""
    lost = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        told = rng.standard_normal((9000, 20)) * np.arange(1, 21) ** -0.5
        y = np.clip(told @ rng.standard_normal(20) / 8 + 0.15 * rng.standard_normal(9000), -1, 1)
        X = told / 16 + middle / 20**0.5
        model = eq.LinearRegression(3.0, 1e-6, label_bounds=(-1, 1), random_state=seed).fit(X[:5000], y[:5000])
        line = np.linalg.lstsq(told[:5000], y[:5000], rcond=None)[0]
        lost.append(score(y[5000:], told[5000:] @ line) - score(y[5000:], model.predict(X[5000:])))
    assert np.mean(lost) <= 0.06


@pytest.mark.parametrize("strength", [0.0, 6.0])
def test_more_epsilon_never_hurts_classification(strength: float) -> None:
    """Accuracy falls by no more than 0.02 from one ε to ten times as much.  Seeded as above."""
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, (ROWS, COLUMNS)) / 2
    odds = strength * X @ np.array([0.5, -0.3, 0.2, 0.0])
    y = (rng.random(ROWS) < 1 / (1 + np.exp(-odds))).astype(int)
    found = [
        eq.LogisticRegression(epsilon, 1e-6, random_state=1).fit(X[:SPLIT], y[:SPLIT]).score(X[SPLIT:], y[SPLIT:])
        for epsilon in EPSILONS
    ]
    assert all(later >= earlier - 0.02 for earlier, later in pairwise(found))
