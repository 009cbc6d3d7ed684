"""Ranks of public edges among the values of one column."""

from __future__ import annotations

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private


def enter_values(values: Array, low: float, high: float) -> Private[Array]:
    """Clipped and wrapped; NaN is a missing value and stays one."""
    return Private(np.clip(np.array(values, dtype=np.float64), low, high))


def rank_scores(values: Private[Array], edges: Array, order: float) -> Private[Array]:
    """For each cell between two edges, how many ranks the quantile lies outside it, less than zero; 0 inside.

    Values that are missing are left out.
    """
    return values.map(lambda inner: _scores(inner, edges, order))


def _scores(values: Array, edges: Array, order: float) -> Array:
    there = np.sort(values[~np.isnan(values)])
    below = np.searchsorted(there, edges, side="right").astype(np.float64)
    beyond: Array = below - order * len(there)
    outside: Array = np.maximum(0.0, np.maximum(beyond[:-1], -beyond[1:]))
    return -outside
