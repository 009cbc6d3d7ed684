"""Additive models: one shape per column, beside plain splines of the same columns and a plain linear model of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

import equipoise as eq
from benchmarks.speed.problem import Problem, Size, Table, Work

EPSILON, DELTA = 1.0, 1e-6
BOUNDS = (-3.0, 3.0)
KNOTS = 16
"""As many as ours has by default; straight pieces, as ours."""

SIZES = (Size(100_000, 10), Size(100_000, 30))
QUICK = Size(2000, 4)


def waves(size: Size) -> tuple[Any, Any]:
    """Columns, and a sum of shapes that are no straight lines."""
    rng = np.random.default_rng(size.n + size.d)
    X = np.clip(rng.normal(size=(size.n, size.d)), *BOUNDS)
    return X, 2.0 * np.sin(2.0 * X).sum(axis=1) / size.d**0.5


def of_classes(size: Size) -> Table:
    X, scores = waves(size)
    return Table(X, (scores + np.random.default_rng(1).logistic(size=size.n) > 0).astype(np.intp))


def of_numbers(size: Size) -> Table:
    X, scores = waves(size)
    return Table(X, np.clip(scores + np.random.default_rng(1).normal(size=size.n), -8.0, 8.0))


def splines() -> SplineTransformer:
    return SplineTransformer(n_knots=KNOTS, degree=1)


def classifiers(found: Table) -> dict[str, Callable[[], Work]]:
    def private(delta: float) -> Callable[[], Work]:
        return lambda: (
            lambda: eq.AdditiveClassifier(EPSILON, delta, column_bounds=BOUNDS, random_state=1).fit(found.X, found.y)
        )

    return {
        "splines, LogisticRegression": lambda: (
            lambda: make_pipeline(splines(), LogisticRegression(max_iter=2000)).fit(found.X, found.y)
        ),
        "auto": private(DELTA),
        "auto, delta=0": private(0.0),
    }


def regressors(found: Table) -> dict[str, Callable[[], Work]]:
    def private(delta: float) -> Callable[[], Work]:
        return lambda: (
            lambda: eq.AdditiveRegressor(
                EPSILON, delta, column_bounds=BOUNDS, label_bounds=(-8.0, 8.0), random_state=1
            ).fit(found.X, found.y)
        )

    return {
        "splines, Ridge": lambda: lambda: make_pipeline(splines(), Ridge()).fit(found.X, found.y),
        "auto": private(DELTA),
        "auto, delta=0": private(0.0),
    }


PROBLEMS = (
    Problem("additive classes", "splines, LogisticRegression", of_classes, classifiers, SIZES, QUICK),
    Problem("additive numbers", "splines, Ridge", of_numbers, regressors, SIZES, QUICK),
)
