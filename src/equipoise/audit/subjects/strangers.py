"""Somebody else's estimator with a stated stability that it attains."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from equipoise import estimators
from equipoise.audit.subjects.targets import Target, corners, fits
from equipoise.stability import StabilityBound, regularised_erm

NUMBERS = (-1.0, 1.0)


class MeanProduct(RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """The minimiser of the mean of −y·x·w, with (1/2)‖w‖²: the mean of y·x, as far apart as Lemma A allows."""

    def __init__(self, fit_intercept: bool = False) -> None:
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any) -> Self:
        self.coef_: Any = np.mean(np.asarray(X) * np.asarray(y)[:, None], axis=0)
        self.intercept_: Any = 0.0
        return self


def strangers(epsilon: float, delta: float, rows: int) -> list[Target]:
    """Pure and Gaussian noise; one column, rows and labels within one, so that Lemma A gives 2/n."""
    return [
        Target(
            name="OutputPerturbed, stated stability",
            epsilon=epsilon,
            delta=each,
            release=fits(partial(_made, epsilon, each)),
            pairs=corners(rows, labels=NUMBERS),
            labels=NUMBERS,
            effort=0.2,
            speaks_of=("OutputPerturbed",),
        )
        for each in (0.0, delta)
    ]


def _made(epsilon: float, delta: float) -> Any:
    return estimators.OutputPerturbed(MeanProduct(), _stated, epsilon, delta, label_bounds=NUMBERS)


def _stated(n: int) -> StabilityBound:
    return regularised_erm(1.0, 1.0, n)
