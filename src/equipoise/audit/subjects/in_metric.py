"""Noisy gradients in a metric: "auto" with as many rows as make a walk without one long."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.targets import Target, fits

ROWS, COLUMNS = 60_000, 20
OF_CLASSES, OF_NUMBERS, OF_SEVERAL = 1e-6, 1e-3, 1e-6
"""The δ with which "auto" measures steps in a metric there, as a test asserts."""

LABELS = (-1.0, 1.0)

CLASSES = (-1, 0, 1)
"""Of several: two of them are the others' labels as well."""


def in_metric(epsilon: float) -> list[Target]:
    """One target for each kind of label."""
    classes = partial(estimators.LogisticRegression, epsilon, OF_CLASSES, classes=(-1, 1))
    numbers = partial(estimators.LinearRegression, epsilon, OF_NUMBERS, label_bounds=LABELS)
    several = partial(estimators.LogisticRegression, epsilon, OF_SEVERAL, classes=CLASSES)
    return [
        _target("LogisticRegression", classes, epsilon, OF_CLASSES),
        _target("LinearRegression", numbers, epsilon, OF_NUMBERS),
        _target("LogisticRegression", several, epsilon, OF_SEVERAL, ", 3 classes"),
    ]


def _target(name: str, make: partial[Any], epsilon: float, delta: float, more: str = "") -> Target:
    return Target(
        name=f"{name}, auto: noisy-gradient in a metric{more}",
        epsilon=epsilon,
        delta=delta,
        release=fits(make),
        pairs=large_corners(),
        effort=0.002,
        speaks_of=("noisy-gradient", name),
    )


def large_corners() -> tuple[Pair, ...]:
    """Few: a table of zeros takes no memory until it is read."""
    axes = np.eye(COLUMNS)
    return (
        Pair("others zero; a row turns by a right angle", _table(axes[0], 1), _table(axes[1], 1)),
        Pair("others zero; a row becomes its opposite, label and all", _table(axes[0], 1), _table(-axes[0], -1)),
        Pair("others zero; a row turns by a right angle, label flips", _table(axes[0], 1), _table(axes[1], -1)),
        Pair("others zero; label flips", _table(axes[0], 1), _table(axes[0], -1)),
    )


def _table(row: np.ndarray[tuple[int], np.dtype[np.float64]], label: int) -> Data:
    rows, labels = np.zeros((ROWS, COLUMNS)), np.ones(ROWS)
    rows[0], labels[0] = row, label
    labels[1::2] = -1
    return rows, labels
