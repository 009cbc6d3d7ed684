"""Neighbouring tables that are hard to solve: an ordinary-looking one with a kink at every corner, and equal rows."""

from __future__ import annotations

import numpy as np

from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair

SHORT = 0.003
"""The length of the short rows: their kinks are far from those of the long ones."""


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
