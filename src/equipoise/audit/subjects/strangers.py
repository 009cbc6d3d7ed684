"""Releases that rest on another's fit: a stranger's with a stated stability that it attains, a choice of features."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data
from equipoise.audit.subjects.targets import Target, corners, fits
from equipoise.stability import StabilityBound, regularised_erm

NUMBERS = (-1.0, 1.0)
SIGNS = (-1, 1)


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


def chosen_features(epsilon: float, rows: int) -> list[Target]:
    """What a selector shows: its choice, and the coefficients that it chose by."""
    return [
        Target(
            name="FeatureSelector, by the coefficients of an elastic net",
            epsilon=epsilon,
            delta=0.0,
            release=partial(_chosen, epsilon),
            pairs=corners(rows, labels=SIGNS),
            labels=SIGNS,
            effort=0.5,
            speaks_of=("FeatureSelector",),
        ),
        Target(
            name="PeelingSelector, one of two columns",
            epsilon=epsilon,
            delta=0.0,
            release=partial(_peeled, epsilon),
            pairs=corners(rows, 2, labels=SIGNS),
            labels=SIGNS,
            speaks_of=("PeelingSelector",),
        ),
    ]


def _chosen(epsilon: float, table: Data) -> Any:
    net = estimators.ElasticNetClassifier(epsilon, mechanism="output", alpha=1.0, classes=SIGNS, fit_intercept=False)
    selector = estimators.FeatureSelector(net).fit(*table)
    return [selector.get_support().astype(float), selector.coef_]


def _peeled(epsilon: float, table: Data) -> Any:
    selector = estimators.PeelingSelector(1, epsilon, classes=SIGNS).fit(*table)
    return [selector.get_support().astype(float)]


def _made(epsilon: float, delta: float) -> Any:
    return estimators.OutputPerturbed(MeanProduct(), _stated, epsilon, delta, label_bounds=NUMBERS)


def _stated(n: int) -> StabilityBound:
    return regularised_erm(1.0, 1.0, n)
