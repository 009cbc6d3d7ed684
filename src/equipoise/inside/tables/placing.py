"""Counts of records in the cells of public columns."""

from __future__ import annotations

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private


def cell_counts(table: Array, ranges: tuple[tuple[int, float, float], ...], cells: int) -> Private[Array]:
    """For each (column, low, high) in turn how many rows lie in each of its cells; beyond the ends in the outer ones.

    A missing value is in none.
    """
    return Private(np.concatenate([_counted(table[:, place], low, high, cells) for place, low, high in ranges]))


def _counted(column: Array, low: float, high: float, cells: int) -> Array:
    there = np.clip(column[~np.isnan(column)], low, high)
    at = np.clip(np.floor((there - low) / (high - low) * cells), 0, cells - 1).astype(np.intp)
    return np.bincount(at, minlength=cells).astype(np.float64)
