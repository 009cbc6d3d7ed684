"""The projected walk along one feature: a step up for every 1, down for every 0, never beyond ±reach.

The records are sorted by value, then by label: an order of the records themselves, so that replacing one leaves the
others in theirs.  After preparation a query is one binary search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.owned import own_dense, settle

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """Sorted values, and where the walk stands before the first and after each of them."""

    values: Array
    stands: Counts


def walk_along(
    values: Array, codes: Array, reach: int, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Private[Walk]:
    """Clip, sort and walk; `codes` are 0 or 1.  A missing value stands in the middle of the bounds, or at 0."""
    low, high = bounds
    own = own_dense(values)
    settle(own, low / 2 + high / 2 if np.isfinite(high - low) else 0.0)
    np.clip(own, low, high, out=own)
    order = np.lexsort((codes, own))
    return Private(Walk(own[order], _stands(codes[order], reach)))


def stand_at(walk: Private[Walk], queries: Array) -> Private[Counts]:
    """Where the walk stands once every record up to the query has been passed."""
    return walk.map(lambda made: made.stands[np.searchsorted(made.values, queries, side="right")])


def beside_zero(stands: Private[Counts]) -> Private[Counts]:
    """A score of 0 for one class and of the walk's height for the other."""
    return stands.map(lambda heights: np.column_stack([np.zeros_like(heights), heights]))


def _stands(codes: Array, reach: int) -> Counts:
    """v ← clip(v ± 1, −reach, reach), from 0."""
    stands = np.zeros(len(codes) + 1, dtype=np.int64)
    height = 0
    for place, code in enumerate(codes.tolist(), start=1):
        height = min(height + 1, reach) if code else max(height - 1, -reach)
        stands[place] = height
    return stands
