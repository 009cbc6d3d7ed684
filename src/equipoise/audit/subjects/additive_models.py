"""Additive models under audit: a shape of two knots, of which three numbers are released, or one of a straight one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from equipoise import estimators
from equipoise.audit.subjects.targets import Target, corners, fits

ENDS = (-1.0, 1.0)
SIGNS = (-1, 1)
MANY, LOOSE = 400, 1e-2
"""Rows, and δ, of the model whose bends open; a test asserts that they do."""


def additive(epsilon: float, delta: float, rows: int) -> list[Target]:
    """Both estimators with every mechanism that serves them."""
    ways = [("output", 0.0), ("output", delta), ("objective", 0.0), ("objective", delta), ("noisy-gradient", delta)]
    ways += [("sgd", 0.0), ("sgd", delta)]
    found = [_target(how, epsilon, slip, rows, numbers) for numbers in (False, True) for how, slip in ways]
    return [*found, _target("output", epsilon, 0.0, rows, numbers=False, straight=True), *opening(epsilon)]


def opening(epsilon: float) -> list[Target]:
    """One target: as many rows as let bends open on the way."""
    name = "AdditiveClassifier"
    return [
        Target(
            name=f"{name}, auto: noisy-gradient with bends that open",
            epsilon=epsilon,
            delta=LOOSE,
            release=fits(partial(opening_model, epsilon)),
            pairs=corners(MANY, labels=SIGNS),
            labels=SIGNS,
            effort=0.02,
            speaks_of=("noisy-gradient", name),
        )
    ]


def opening_model(epsilon: float) -> estimators.AdditiveClassifier:
    """With a line and two bends for its one column."""
    return estimators.AdditiveClassifier(epsilon, LOOSE, classes=SIGNS, column_bounds=ENDS, knots=4)


def _target(
    mechanism: str, epsilon: float, delta: float, rows: int, numbers: bool, *, straight: bool = False
) -> Target:
    walks = mechanism == "noisy-gradient"
    build = partial(
        _kind(numbers),
        epsilon,
        delta,
        mechanism=mechanism,
        alpha=0.1 if walks else 1.0,
        fit_intercept=False,
        column_bounds=ENDS,
        knots=2,
        smoothness="auto" if straight else 0.4,
    )
    labels = ENDS if numbers else SIGNS
    name = type(build()).__name__
    return Target(
        name=f"{name}, {mechanism}{', straight' if straight else ''}",
        epsilon=epsilon,
        delta=delta,
        release=fits(build),
        pairs=corners(rows, labels=labels),
        labels=labels,
        effort=0.05 if walks else 0.5 if mechanism == "sgd" else 1.0,
        speaks_of=(mechanism, name),
    )


def _kind(numbers: bool) -> Callable[..., Any]:
    if numbers:
        return partial(estimators.AdditiveRegressor, label_bounds=ENDS)
    return partial(estimators.AdditiveClassifier, classes=SIGNS)
