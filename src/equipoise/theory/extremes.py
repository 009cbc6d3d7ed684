"""How small and how large an ε, and how small a δ, numbers are worked out for.

Less than the smallest is refused: doubles that near zero have lost their digits.  More than the largest is worked with
as the largest, and charged as asked: whatever is private at an ε is private at every larger one, so nothing need be
proved anew (docs/proofs/noise.md, section 9).
"""

from __future__ import annotations

SMALLEST_EPSILON = 2.0**-1000
"""Shares of it, as small as one in four million, are still doubles of full precision."""

LARGEST_EPSILON = 2.0**60
"""No sum of records in doubles could tell the noise of more from none, and products of it stay finite."""

SMALLEST_DELTA = 1e-300
"""Of what Gaussian noise is calibrated for: underflow would meet less."""

SMALLEST_PARTED_DELTA = 1e-290
"""Of what is parted first: every part is well above the smallest then."""


def of_use(epsilon: float) -> float:
    """ε, or the largest that anything is made for."""
    return min(epsilon, LARGEST_EPSILON)
