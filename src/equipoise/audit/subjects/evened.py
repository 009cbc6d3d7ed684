"""Minimisers of evened records: "auto" with so few rows that noise is what is lost, and exchanges of short ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Pair
from equipoise.audit.subjects.targets import Target, corners, fits

NUMBERS, SIGNS = (-1.0, 1.0), (-1, 1)
ROWS = 8
"""A test asserts that "auto" evens so few, of numbers and of classes."""

SHORT = (0.7, 4 / 9, 0.2)
"""Lengths of rows that count more than once: the middle one just as much as any can."""


def evened(epsilon: float) -> list[Target]:
    """One target for each kind of label."""
    numbers = partial(estimators.LinearRegression, epsilon, label_bounds=NUMBERS, fit_intercept=False)
    classes = partial(estimators.LogisticRegression, epsilon, classes=SIGNS, slope_cap=0.5, fit_intercept=False)
    made: list[tuple[str, Any, tuple[Any, Any]]] = [
        ("LinearRegression", numbers, NUMBERS),
        ("LogisticRegression", classes, SIGNS),
    ]
    return [
        Target(
            name=f"{name}, auto: objective of evened records",
            epsilon=epsilon,
            delta=0.0,
            release=fits(make),
            pairs=(*short_rows(ROWS, labels), *corners(ROWS, labels=labels)),
            labels=labels,
            plan=make().plan(ROWS, 1),
            speaks_of=("objective", name),
        )
        for name, make, labels in made
    ]


def short_rows(n: int, labels: tuple[Any, Any]) -> Iterator[Pair]:
    """Beside rows of zeros a short one becomes its opposite, or says the opposite, or becomes a long one that does."""
    along, rest = np.ones(1), np.zeros((n - 1, 1))
    one, other = labels
    for length in SHORT:
        changes = {
            "label flips": (length * along, other),
            "changes sign": (-length * along, one),
            "becomes long, label flipped": (along, other),
        }
        for how, (row, label) in changes.items():
            left = np.vstack([length * along, rest]), np.array([one] * n)
            right = np.vstack([row, rest]), np.array([label] + [one] * (n - 1))
            yield Pair(f"others zero; a row of length {length:.3g} {how}", left, right)
