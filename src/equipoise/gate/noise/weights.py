"""Exact draws from whole-number weights, and whole-number weights from logarithms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise.bits import Bits
from equipoise.theory.simplex.draws import MIXED, WEIGHT_BITS

Array = npt.NDArray[np.float64]
Weights = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

UNUSED = np.uint64(64 - WEIGHT_BITS - 1)
"""Bits of a random word that no weight can need."""


def whole_weights(logs: Array) -> Weights:
    """Proportional to exp(log), a little mixed with the uniform law, in whole numbers of at least one.

    How far they are from that law is bounded by `weights_error`.
    """
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    shares *= 1 - MIXED
    shares += MIXED / len(shares)
    shares *= 2.0**WEIGHT_BITS
    weights: Weights = shares.astype(np.uint64) + np.uint64(1)
    return weights


def draw_by_weights(weights: Weights, count: int, bits: Bits) -> Places:
    """`count` independent places, each with probability exactly weight over total; in order of place.

    The total of whole weights is close to 2⁶¹ and below 2⁶²: about every second point falls below it.
    """
    ends = np.cumsum(weights)
    points = np.empty(count, dtype=np.uint64)
    waiting = np.arange(count)
    while waiting.size:
        points[waiting] = bits.words(waiting.size) >> UNUSED
        waiting = waiting[points[waiting] >= ends[-1]]  # beyond the total: drawn again
    return np.sort(np.searchsorted(ends, points, side="right"))
