"""Sums of squares and products over the records: all that least squares needs to know of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from equipoise.inside.design import Design, sums_in_groups
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.evening import Evening, weights

SHORTEST_BLOCK = 256
"""Rows are summed in blocks of about √n, at least this many, so that rounding grows like √n and not like n."""

TALLER_BLOCK = 1024
"""Of many rows, which are summed faster so; as many additions as `sums_rounding` allows any sum."""


def second_moments(records: Private[Records], square: Array, product: float, label_square: float) -> Private[Array]:
    """One flat vector: the upper triangle of Σxxᵀ row by row, times `square` entry by entry; then Σxy times
    `product`; then Σy² times `label_square`.  Each record by its weight."""
    return records.map(lambda inner: _weighted(inner, square, product, label_square))


def row_moments(records: Private[Records], square: Array, evened: Evening | None) -> Private[Array]:
    """The upper triangle of Σxxᵀ, row by row, times `square` entry by entry.  Where records count the more the shorter
    their rows are, `evened` is the longest one's length."""
    return records.map(lambda inner: square * inner.summed(Triangle(evened)))


def without_labels(moments: Private[Array]) -> Private[Array]:
    """All but the last number, Σy²."""
    return moments.map(lambda inner: inner[:-1])


def _weighted(records: Records, square: Array, product: float, label_square: float) -> Array:
    sums, columns = records.summed(_sums), records.design.columns
    by = np.concatenate([square, np.full(columns, product), [label_square]])
    return records.weight * (by * sums)


def _sums(records: Records) -> Array:
    """The upper triangle of Σxxᵀ, Σxy, Σy²."""
    columns = records.design.columns
    gram, cross, squares = np.zeros((columns, columns)), np.zeros(columns), 0.0
    for block, labels in _blocks(records):
        gram += block.weighted_gram(np.ones(len(labels)))
        cross += block.rmatvec(labels)
        squares += float(labels @ labels)
    return np.concatenate([gram[np.triu_indices(columns)], cross, [squares]])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Triangle:
    """The upper triangle of Σxxᵀ, of records as they are or evened."""

    evened: Evening | None

    def __call__(self, part: Records) -> Array:
        columns = part.design.columns
        gram = np.zeros((columns, columns))
        for block, labels in _blocks(part, TALLER_BLOCK):
            evened = self.evened
            counts = np.ones(len(labels)) if evened is None else weights(block.row_norms(), evened, columns)
            gram += block.weighted_gram(counts)
        return gram[np.triu_indices(columns)]


def _blocks(records: Records, shortest: int = SHORTEST_BLOCK) -> Iterator[tuple[Design, Array]]:
    """One is enough where the design sums in groups by itself."""
    rows = records.design.rows
    if sums_in_groups(records.design):
        yield records.design, records.labels
        return
    height = max(shortest, math.isqrt(rows))
    for start in range(0, rows, height):
        part = slice(start, min(start + height, rows))  # a view, where rows lie one after the other
        yield records.design.take(part), records.labels[part]
