"""Centre and spread of columns from soft counts: what one record can move, and what is made of the noisy sums.

A place t between 0 and 1 gives a record the weights (1 − t)², 2t(1 − t) and t² in three slots: they are not negative
and add up to 1, so that count, sum and sum of squares together move no more than one count does.  A missing value has
no weight.  Proofs: docs/proofs/private_scaling.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.theory.rounding import FORMULA, up

Array = npt.NDArray[np.float64]

SLOTS = 3
"""Weights of one place, below."""

MOST_RECORDS = 2**40
"""So that rounding of the sums stays far below what a record moves."""


def soft_weights(places: Array) -> Array:
    """(records, columns, 3) for places between −1 and 1; zeros where a place is NaN."""
    t = (1.0 + np.clip(places, -1.0, 1.0)) / 2.0
    return np.nan_to_num(np.stack([(1.0 - t) ** 2, 2.0 * t * (1.0 - t), t**2], axis=-1), nan=0.0)


def soft_counts_moved(columns: int, records: int, together: int = 1) -> float:
    """L2 distance that so many replaced records move the sums: √2 for each column and record, and rounding of a sum."""
    exact = whole(together=together) * math.sqrt(2.0 * whole(columns=columns))
    return up(exact + math.sqrt(SLOTS * columns) * whole(records=records) * 2.0**-52, FORMULA)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a column's values lie, along its scale from −1 to 1."""

    centre: float
    spread: float


def standing(sums: Array, noise: float) -> Standing:
    """From three noisy sums; `noise` is the root mean square of what was added to each.

    The spread is never stated smaller than what the noise can hide, and neither leaves the scale.
    """
    first, second, third = sums.tolist()
    there = max(first + second + third, 1.0)
    mean = min(1.0, max(0.0, (second / 2 + third) / there))
    square = min(1.0, max(0.0, third / there))
    hidden = min(1.0, 2.0 * noise / there)
    deviation = math.sqrt(min(0.25, max(square - mean**2, hidden)))
    return Standing(2.0 * mean - 1.0, 2.0 * deviation)
