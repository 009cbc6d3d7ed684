"""Draws by inversion that begin with half a random word: a sign, and 31 bits of an endless fraction U.

The system's random bytes are a large part of what a draw costs, and 31 bits nearly always do.  A first look says a
magnitude only where it is that of every U which begins with these bits; all other draws ask for the second half of
their word.  Proof that the law is the same: docs/proofs/prediction.md, 5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equipoise.gate.noise.batches import Integers
from equipoise.gate.noise.bits import Bits

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Halves = npt.NDArray[np.int32]

First = Callable[[Array], tuple[Array, Places]]
"""From the middle of the cell of each U, a magnitude for each, and where that of some U in the cell is another."""

Second = Callable[[npt.NDArray[np.uint64]], Integers]
"""From the first 63 bits of each U, its magnitude."""

SMALLEST, LARGEST = 64, 2**26
"""Scales that begin with half a word.  Below, the smallest heads would be taken for settled; above, few would be."""

REACH = 0.52
"""ln U is within this part of one head of that of the middle: a half, and room for doubles."""

_BITS = 31
_HEAD = np.int32(2**31 - 1)
_HALF = np.uint64(32)


def begins_with_half(scale: float) -> bool:
    """Whether draws of this public scale do."""
    return SMALLEST <= scale <= LARGEST


def signed_draws(size: int, bits: Bits, first: First, second: Second) -> Array:
    """Whole numbers as doubles, a negative zero with its sign."""
    halves = _half_words(size, bits)
    heads = halves & _HEAD
    middles = heads.astype(np.float64)
    middles += 0.5
    middles *= 2.0**-_BITS
    magnitudes, unsure = first(middles)
    if unsure.size:
        rest = _half_words(unsure.size, bits).view(np.uint32)
        magnitudes[unsure] = second(heads[unsure].astype(np.uint64) << _HALF | rest)
    return np.copysign(magnitudes, halves, out=magnitudes)


def near_boundary(fractions: Array, middles: Array, moves: float) -> Places:
    """Where a fraction is too close to 0 or 1 to tell, given that the value moves by `moves` when ln U does by one.

    Both arrays are used up.
    """
    unsure = np.divide(REACH * 2.0**-_BITS * moves, middles, out=middles)
    close = fractions <= unsure
    fractions += unsure
    close |= fractions >= 1.0
    return np.flatnonzero(close)


def _half_words(count: int, bits: Bits) -> Halves:
    return bits.words(-(-count // 2)).view(np.int32)[:count]
