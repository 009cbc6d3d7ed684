"""Exact coin flips with probability exp(-x), a whole array at a time.

A flip compares an endless binary fraction U, uniform on [0, 1), with exp(-x).  The first 64 bits of U and a double
almost always settle it; when they are too close to tell, that one flip is settled in exact arithmetic with as many
further bits of U as it takes.  The proof is in docs/proofs/noise.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise.bits import Bits
from equipoise.gate.noise.enclosure import exp_minus

MARGIN = 2.0**-40
"""How close U and the double may come before exact arithmetic decides; doubles here err by less than 2^-46."""


def bernoulli_exp(
    x: npt.NDArray[np.float64], exact: Callable[[int], Fraction], bits: Bits, margin: float = MARGIN
) -> npt.NDArray[np.bool_]:
    """One flip for each x: True with probability exp(-exact(index)), to which x is the nearby double."""
    words = bits.words(x.size)
    gap = np.exp(-x)
    gap -= words * 2.0**-64
    result = gap > 0
    for index in np.flatnonzero(np.abs(gap) <= margin):
        result[index] = _decide(int(words[index]), exact(int(index)), bits)
    return result


def _decide(word: int, x: Fraction, bits: Bits) -> bool:
    """Whether the endless fraction that begins with `word` lies below exp(-x)."""
    fraction, precision = word, 64
    while True:
        low, high = exp_minus(x, precision)
        if fraction + 1 <= low:
            return True
        if fraction >= high:
            return False
        fraction = (fraction << 64) | int(bits.words(1)[0])
        precision += 64
