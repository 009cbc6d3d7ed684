"""Exact coins of a given rational chance: a random fraction is compared with it, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise.bits import Bits

Counts = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


class MeanCoin(Protocol):
    """A public rule that makes a coin of a private total."""

    def flip(self, totals: Counts, bits: Bits) -> Counts: ...

    def chance(self, total: int) -> Fraction: ...


def flip(limits: Words, exact: Callable[[int], Fraction], bits: Bits) -> npt.NDArray[np.bool_]:
    """One coin for each chance, exactly: whether an endless random fraction lies below it.

    `limits` are the chances' first 64 bits; where the fraction's agree with them, the rest of `exact` decides.
    """
    words = bits.words(limits.size)
    shown = words < limits
    for place in np.flatnonzero(words == limits):
        shown[place] = _goes_on(exact(int(place)) * 2**64 - int(words[place]), bits)
    return shown


def _goes_on(rest: Fraction, bits: Bits) -> bool:
    """The first 64 bits agree: whether the endless rest of the random fraction lies below `rest`."""
    while 0 < rest < 1:
        rest = rest * 2**64 - int(bits.words(1)[0])
    return rest > 0
