"""Models of lifted rows under audit: a kernel machine of one frequency, and two tasks that share a part."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data
from equipoise.audit.subjects.targets import Target, corners, fits

ENDS = (-1.0, 1.0)
SIGNS = (-1, 1)

FOR_CLASSES = ("output", "objective", "sgd", "noisy-gradient")
FOR_NUMBERS = (*FOR_CLASSES, "sufficient-statistics", "momentum")
PURE_FOR_NUMBERS = ("functional", "projected-histogram", "output-as-printed")
WITH_DELTA = ("noisy-gradient",)


def lifted(epsilon: float, delta: float, rows: int) -> list[Target]:
    """Both estimators with every mechanism that serves them."""
    kernel = partial(estimators.KernelClassifier, classes=SIGNS, frequencies=1)
    tasks = partial(estimators.MultiTaskRegressor, tasks=(0, 1), label_bounds=ENDS, coef_norm=1.0)
    ways = [(kernel, how, SIGNS) for how in FOR_CLASSES] + [(tasks, how, ENDS) for how in FOR_NUMBERS]
    found = [
        _target(make, how, epsilon, slip, rows, labels)
        for make, how, labels in ways
        for slip in (0.0, delta)
        if slip > 0 or how not in WITH_DELTA
    ]
    return found + [_target(tasks, how, epsilon, 0.0, rows, ENDS) for how in PURE_FOR_NUMBERS]


def _target(
    make: Callable[..., Any], mechanism: str, epsilon: float, delta: float, rows: int, labels: tuple[Any, Any]
) -> Target:
    walks = mechanism == "noisy-gradient"
    build = partial(make, epsilon, delta, mechanism=mechanism, alpha=0.1 if walks else 1.0, fit_intercept=False)
    name = type(build()).__name__
    release = fits(build)
    return Target(
        name=f"{name}, {mechanism}",
        epsilon=epsilon,
        delta=delta,
        release=_by_turns(release) if name == "MultiTaskRegressor" else release,
        pairs=corners(rows, labels=labels),
        labels=labels,
        effort=0.05 if walks else 0.5 if mechanism == "sgd" else 1.0,
        speaks_of=(mechanism, name),
    )


def _by_turns(release: Callable[[Data], Any]) -> Callable[[Data], Any]:
    """Rows belong to the two tasks by turns."""

    def with_tasks(table: Data) -> Any:
        X, y = table
        return release((np.column_stack([np.arange(len(X)) % 2, X]), y))

    return with_tasks
