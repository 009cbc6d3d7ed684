"""How each column goes with the label: sums over the records, in units of the public ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.sparse import issparse

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.owned import own_csr

BLOCK = 512
"""Rows that are summed at once, at least: few additions stand behind every sum (docs/proofs/peeling.md)."""


def covariance_sizes(rows: Any, labels: Array) -> Private[Array]:
    """|Σ(x − x̄)(y − ȳ)| of each column, for entries and labels within one."""
    return Private((rows, labels)).map(lambda held: _sizes(*held))


def those(sizes: Private[Array], places: list[int]) -> Private[Array]:
    """The sizes at these places alone."""
    kept = np.array(places)
    return sizes.map(lambda every: every[kept])


def _sizes(rows: Any, labels: Array) -> Array:
    centred = labels - math.fsum(labels.tolist()) / max(1, len(labels))
    block = max(BLOCK, math.isqrt(len(labels)) + 1)
    total = np.zeros(rows.shape[1])
    for start in range(0, len(labels), block):
        part = rows[start : start + block]
        total += np.asarray(part.T @ centred[start : start + block])
    return np.abs(total)


def within_one(rows: Any, columns: tuple[tuple[float, float], ...] | None) -> Any:
    """A copy with every entry clipped to its column's range and scaled to [−1, 1]; to [−1, 1] itself without ranges."""
    if issparse(rows):
        held = own_csr(rows)
        np.clip(held.data, -1.0, 1.0, out=held.data)
        return held
    if columns is None:
        return np.clip(rows, -1.0, 1.0)
    low, high = np.array(columns).T
    return np.clip((np.clip(rows, low, high) - (low / 2 + high / 2)) / (high / 2 - low / 2), -1.0, 1.0)
