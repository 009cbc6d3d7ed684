"""Noisy gradients whose intercept is released last: "auto" with as many rows as make that pay."""

from __future__ import annotations

from functools import partial

from equipoise import estimators
from equipoise.audit.subjects.targets import Target, corners, fits

NUMBERS = (-1.0, 1.0)
ROWS, COLUMNS, DELTA = 1600, 4, 1e-2
"""A test asserts that "auto" anchors the intercept there."""


def anchored(epsilon: float) -> list[Target]:
    """One target."""
    return [
        Target(
            name="LinearRegression, auto: noisy-gradient with an anchor",
            epsilon=epsilon,
            delta=DELTA,
            release=fits(partial(estimators.LinearRegression, epsilon, DELTA, label_bounds=NUMBERS)),
            pairs=corners(ROWS, COLUMNS, labels=NUMBERS),
            labels=NUMBERS,
            effort=0.02,
            speaks_of=("noisy-gradient", "LinearRegression"),
        )
    ]
