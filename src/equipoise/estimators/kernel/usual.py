"""How many frequencies and which bandwidth, where nobody said: from public facts alone."""

from __future__ import annotations

import math

from equipoise.rows.lifts.fourier import LAPLACE

FEWEST, MOST = 16, 256
PER_ROOT, PURE = 1.0, 0.5
"""Frequencies for each unit of √(n·ε), and with δ = 0, where every released number adds to the noise of all."""

WIDE = 0.5
"""Bandwidth of the RBF kernel over the norm of the longest row."""


def usual_frequencies(n: int, epsilon: float, delta: float) -> int:
    """Grows as the square root of records times ε."""
    share = PER_ROOT if delta > 0 else PURE
    return int(min(MOST, max(FEWEST, math.ceil(share * math.sqrt(n * min(epsilon, 10.0))))))


def usual_bandwidth(kernel: str, d: int) -> float:
    """Rows at the corners of their ranges are as long as allowed, so distances do not grow with d; but in L1, by √d."""
    return WIDE * math.sqrt(d) if kernel == LAPLACE else WIDE
