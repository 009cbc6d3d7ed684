"""Sums of numbers in [0, 1] that are exact whoever adds them and in which order.

A number is cut into three whole numbers of 18 bits, the last rounded down, by itself and so the same whatever stands
beside it.  Sums of those are whole numbers below 2⁵³ for up to 2³⁴ of them, which doubles add without rounding.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from equipoise.inside.design.contract import Array

BITS, LIMBS = 18, 3


def in_limbs(terms: Array) -> Array:
    """Three sums, of the highest bits first."""
    found, rest = np.zeros(LIMBS), terms
    for limb in range(LIMBS):
        scaled = rest * 2.0**BITS
        whole = np.floor(scaled)
        found[limb], rest = whole.sum(), scaled - whole
    return found


def exactly(limbs: Array) -> Fraction:
    """What they are together."""
    parts = [Fraction(int(limb), 2 ** (BITS * place)) for place, limb in enumerate(limbs, start=1)]
    return sum(parts, Fraction(0))
