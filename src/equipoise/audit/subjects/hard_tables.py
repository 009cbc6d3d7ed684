"""Releases on neighbouring tables that are hard to solve: rows along the axes, some of them short, and equal rows."""

from __future__ import annotations

from functools import partial

import numpy as np

from equipoise import estimators, tuning
from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair
from equipoise.audit.subjects.targets import Target, fits

SHORT = 0.003
"""The length of the short rows: their kinks are far from those of the long ones."""


def degenerate() -> list[Target]:
    """Where a solver may give up: an error on one of two neighbours would be an output like any other."""
    kinks = fits(partial(estimators.LinearSVC, 1.0, classes=(0, 1)))
    smooth = estimators.LinearRegression(1.0, coef_norm=2.0, label_bounds=(-1.0, 1.0))
    search = fits(partial(tuning.StabilitySearch, smooth, {"alpha": [0.001, 0.01, 1.0]}))
    rounded = partial(estimators.HuberRegressor, mechanism="objective", alpha=0.001, label_bounds=(-1.0, 1.0))
    huber = fits(partial(rounded, 0.1, coef_norm=2.0))
    return [
        Target("LinearSVC, axes and short rows", 1.0, 0.0, kinks, hard_for_kinks(), effort=0.03),
        Target("StabilitySearch, equal rows", 1.0, 0.0, search, equal_rows(1000), effort=0.03),
        Target("HuberRegressor, objective (equal rows)", 0.1, 0.0, huber, equal_rows(100), effort=0.1),
    ]


def hard_for_kinks(rows: int = 2000, columns: int = 10) -> tuple[Pair, ...]:
    """Rows along the axes, long and short, nearly all of one class; one is replaced by a row across all axes.

    A hinge on this table has many minimisers of its data part, and a multiplier method stalls far from the radius.
    """
    place = np.arange(rows)
    X: Array = np.eye(columns)[(7 * place) % columns] * np.where(place % 3 == 0, SHORT, 1.0)[:, None]
    y = np.where(place % 33 == 0, 0, 1)
    across = np.where(np.arange(columns) % 2, -1.0, 1.0)
    return (_replaced("rows along the axes, some short; one becomes a row across", (X, y), across, 1),)


def equal_rows(rows: int) -> tuple[Pair, ...]:
    """All rows alike; one changes its sign, or its label."""
    X, y = np.full((rows, 3), 0.5), np.ones(rows)
    return (
        _replaced("all rows equal; one changes sign", (X, y), -X[0], 1),
        _replaced("all rows equal; one label changes", (X, y), X[0], -1),
    )


def _replaced(case: str, table: Data, row: Array, label: float) -> Pair:
    """The table, and the same with another first record."""
    X, y = table[0].copy(), table[1].copy()
    X[0], y[0] = row, label
    return Pair(case, table, (X, y))
