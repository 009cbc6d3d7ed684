"""Noisy gradients of several classes, whose constant column is a shorter one: "auto" with few rows."""

from __future__ import annotations

from functools import partial

from equipoise import estimators
from equipoise.audit.subjects.targets import Target, corners, fits

THREE = (-1, 0, 1)
ROWS, COLUMNS, DELTA = 50, 2, 1e-3
"""A test asserts that "auto" shortens the constant column there."""


def several_classes(epsilon: float) -> list[Target]:
    """One target."""
    return [
        Target(
            name="LogisticRegression, auto: noisy-gradient of three classes, shorter constant column",
            epsilon=epsilon,
            delta=DELTA,
            release=fits(partial(estimators.LogisticRegression, epsilon, DELTA, classes=THREE)),
            pairs=corners(ROWS, COLUMNS),
            labels=(-1, 1),
            effort=0.05,
            speaks_of=("noisy-gradient", "LogisticRegression"),
        )
    ]
