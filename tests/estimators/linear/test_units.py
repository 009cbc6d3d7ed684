"""With next to no privacy a regression is ordinary least squares in the caller's units, whatever the public bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equipoise as eq

LOW_NOISE = 1e5


@pytest.mark.parametrize("mechanism", ["output", "sufficient-statistics"])
@pytest.mark.parametrize("intercept", [True, False], ids=["intercept", "no intercept"])
@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (0.0, 40.0), (-7.0, 2.0), (-0.01, 0.03)])
def test_labels_within_their_bounds_are_fitted_as_they_are(
    bounds: tuple[float, float], intercept: bool, mechanism: str
) -> None:
    """Labels that reach both bounds, so that any clipping would show."""
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, size=(3000, 2)) / 2
    shape = X @ np.array([0.6, 0.4]) / 0.5  # within [−1, 1]
    low, high = bounds
    y = (low + high) / 2 + shape * (high - low) / 2 if intercept else np.where(shape > 0, shape * high, -shape * low)
    options: dict[str, Any] = {"alpha": 1e-4, "coef_norm": 50 * (high - low), "random_state": 1}
    model = eq.LinearRegression(
        LOW_NOISE, label_bounds=bounds, mechanism=mechanism, fit_intercept=intercept, **options
    ).fit(X, y)
    given = np.column_stack([X, np.ones(len(X))]) if intercept else X
    best, *_ = np.linalg.lstsq(given, y, rcond=None)
    np.testing.assert_allclose(model.predict(X), given @ best, atol=0.01 * (high - low))
