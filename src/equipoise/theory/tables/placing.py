"""Where knots are worth having: near the records, by counts of them in public cells.

The counts are released with noise; what is made of them here is post-processing (docs/proofs/additive.md, section 4).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.theory.adjacency import Adjacency
from equipoise.theory.rounding import FORMULA, up

Array = npt.NDArray[np.float64]

CELLS = 32
"""Of each column, all alike."""

SHARE = 0.08
"""Of the squared μ of the whole fit."""

EVEN = 0.15
"""At least so much of the knots is spread evenly over the bounds."""

BLURRED = 0.25
"""Where a column's middle would be known no better than this, as a part of the records, nothing is counted."""


def counts_moved(columns: int, adjacency: Adjacency, rows: int = 1) -> float:
    """Δ₂ of the counts of all columns: a record is in one cell of each, and a replaced one may leave it for another.

    `rows` of them change between neighbours that are persons.
    """
    cells = columns * (2 if adjacency is Adjacency.REPLACE_ONE else 1)
    return up(rows * math.sqrt(cells), FORMULA)


def blur(noise: float, records: int) -> float:
    """Standard deviation of the share of records below a column's middle, for counts with this noise."""
    return noise * math.sqrt(CELLS) / 2 / records


def worth_counting(noise: float, records: int) -> bool:
    """Whether counts with this noise tell where records are; from public numbers alone."""
    return blur(noise, records) <= BLURRED


def placed(counts: Array, noise: float, low: float, high: float, knots: int) -> tuple[float, ...]:
    """So many knots from `low` to `high`, close where there are many records and evenly as far as that is noise."""
    even = np.linspace(low, high, knots)
    total = float(counts.sum())
    if not total > 0:
        return tuple(even.tolist())
    part = min(1.0, EVEN + 4 * noise * math.sqrt(CELLS) / 2 / total)
    heights = (1 - part) * _nearest_shares(counts / total) + part / len(counts)
    below = np.concatenate([[0.0], np.cumsum(heights)])
    found = np.interp(np.linspace(0.0, below[-1], knots), below, np.linspace(low, high, len(below)))
    found[0], found[-1] = low, high
    narrow = float(np.diff(found).min()) <= 1e-6 * (high - low) / knots
    return tuple((even if narrow else found).tolist())


def _nearest_shares(shares: Array) -> Array:
    """The nearest numbers that are not negative and sum to one."""
    falling = np.sort(shares)[::-1]
    beyond = (np.cumsum(falling) - 1) / np.arange(1, len(shares) + 1)
    kept = int(np.nonzero(falling > beyond)[0][-1])
    return np.asarray(np.maximum(shares - beyond[kept], 0.0))
