"""Sums of squares and products over the records: all that least squares needs to know of them."""

from __future__ import annotations

import math

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records

SHORTEST_BLOCK = 256
"""Rows are summed in blocks of about √n, at least this many, so that rounding grows like √n and not like n."""


def second_moments(records: Private[Records], square: Array, product: float, label_square: float) -> Private[Array]:
    """One flat vector: the upper triangle of Σxxᵀ row by row, times `square` entry by entry; then Σxy times
    `product`; then Σy² times `label_square`.  Each record by its weight."""
    return records.map(lambda inner: _weighted(inner, square, product, label_square))


def without_labels(moments: Private[Array]) -> Private[Array]:
    """All but the last number, Σy²."""
    return moments.map(lambda inner: inner[:-1])


def _weighted(records: Records, square: Array, product: float, label_square: float) -> Array:
    gram, cross, squares = _sums(records)
    upper = gram[np.triu_indices(len(gram))]
    return records.weight * np.concatenate([square * upper, product * cross, [label_square * squares]])


def _sums(records: Records) -> tuple[Array, Array, float]:
    """Σxxᵀ, Σxy, Σy²."""
    columns = records.design.columns
    gram, cross, squares = np.zeros((columns, columns)), np.zeros(columns), 0.0
    rows, height = records.design.rows, max(SHORTEST_BLOCK, math.isqrt(records.design.rows))
    for start in range(0, rows, height):
        part = np.arange(start, min(start + height, rows))
        block, labels = records.design.take(part), records.labels[part]
        gram += block.weighted_gram(np.ones(len(part)))
        cross += block.rmatvec(labels)
        squares += float(labels @ labels)
    return gram, cross, squares
