"""Noisy gradients of rows that are seen from a middle: "auto" with as many rows and columns as make that pay."""

from __future__ import annotations

from functools import partial

from equipoise import estimators
from equipoise.audit.subjects.targets import Target, corners, fits

ROWS, COLUMNS, DELTA = 600, 16, 1e-2
"""A test asserts that "auto" sees rows from their middle there."""


def seen_rows(epsilon: float) -> list[Target]:
    """One target."""
    return [
        Target(
            name="LogisticRegression, auto: noisy-gradient from a middle",
            epsilon=epsilon,
            delta=DELTA,
            release=fits(partial(estimators.LogisticRegression, epsilon, DELTA, middle="auto")),
            pairs=corners(ROWS, COLUMNS),
            effort=0.02,
            speaks_of=("noisy-gradient", "LogisticRegression"),
        )
    ]
