"""The Gaussian law rounded to whole numbers, exactly: one random word, or half of one, for almost every draw.

|k| is the nearest whole number to σ·x, where P(|Z| ≥ x) = U for a standard normal Z and an endless binary fraction U,
uniform on [0, 1).  The first 63 bits of U and a double almost always settle it; when they are too close to a boundary,
that one draw is settled in exact arithmetic with as many further bits of U as it takes.  The 64th bit is the sign.
Added to a value on the grid this is a continuous Gaussian release, rounded: post-processing, without any slack.
Proof: docs/proofs/prediction.md, 5.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from equipoise._checks import positive, shown
from equipoise.errors import InvalidInput
from equipoise.gate.noise.batches import BLOCK, Integers
from equipoise.gate.noise.bits import Bits
from equipoise.gate.noise.enclosure import normal_tail
from equipoise.gate.noise.halves import Array, Places, begins_with_half, near_boundary, signed_draws
from equipoise.gate.noise.normal_curve import normal_tails

LARGEST_SCALE = 2.0**40
"""Up to here a double tells neighbouring values of σ·x apart for almost every U."""

MARGIN = 2.0**-46
"""Error allowed to x in doubles, in units of one plus itself; it stays below 2^-48 if ndtri errs by 12 ulp."""

STEEPEST = 1.26
"""x moves by at most this, √(π/2), when ln U moves by one."""

_BITS = 63
_ONE = np.uint64(1)


def rounded_gaussian(sigma: float, size: int, bits: Bits, margin: float = MARGIN) -> Integers:
    """`size` independent integers round(σZ), Z standard normal."""
    if not 1 <= positive(sigma=sigma) < LARGEST_SCALE:
        raise InvalidInput(f"sigma={shown(sigma)}: must be from 1 to below 2**40, use another grid")
    result, draw = np.empty(size, dtype=np.int64), _by_halves if begins_with_half(sigma) else _by_words
    for start in range(0, size, BLOCK):
        part = result[start : start + BLOCK]
        part[:] = draw(len(part), float(sigma), bits, margin)
    return result


def _by_halves(count: int, sigma: float, bits: Bits, margin: float) -> Array:
    """Most of them with half a word."""
    return signed_draws(
        count, bits, lambda middles: _first_look(middles, sigma), lambda heads: _magnitudes(heads, sigma, bits, margin)
    )


def _first_look(middles: Array, sigma: float) -> tuple[Array, Places]:
    """The nearest whole number to σ·x, and where U may lie on either side of a boundary."""
    value = normal_tails(middles)
    value *= sigma
    value += 0.5
    whole_part = np.floor(value)
    value -= whole_part
    return whole_part, near_boundary(value, middles, STEEPEST * sigma)


def _by_words(count: int, sigma: float, bits: Bits, margin: float) -> Integers:
    words = bits.words(count)
    drawn = _magnitudes(words >> _ONE, sigma, bits, margin)
    drawn *= 1 - 2 * (words & _ONE).view(np.int64)
    return drawn


def _magnitudes(heads: npt.NDArray[np.uint64], sigma: float, bits: Bits, margin: float) -> Integers:
    """The nearest whole number to σ·x, for each U that begins with these 63 bits."""
    middle = heads.astype(np.float64)
    middle += 0.5
    unsure = middle * 2.0 ** -(_BITS + 1)
    ndtri(unsure, out=unsure)  # P(Z ≤ −x) = U/2
    np.negative(unsure, out=unsure)
    value = unsure * sigma
    value += 0.5
    whole_part = np.floor(value)
    unsure += 1.0
    unsure *= margin
    unsure += np.divide(STEEPEST, middle, out=middle)
    unsure *= sigma  # now the distance from a boundary within which doubles cannot tell
    value -= whole_part
    result: Integers = whole_part.astype(np.int64)
    close = value <= unsure
    close |= value >= np.subtract(1.0, unsure, out=unsure)
    for index in np.flatnonzero(close):
        result[index] = _settle(int(heads[index]), Fraction(sigma), bits)
    return result


def _settle(head: int, sigma: Fraction, bits: Bits) -> int:
    """The same for one U, with as many further bits as it takes."""
    fraction, precision = head, _BITS
    while True:
        half = max(math.ldexp(fraction + 0.5, -precision - 1), 5e-324)
        near = math.floor(float(sigma) * -float(ndtri(half)) + 0.5)
        for m in range(max(0, near - 2), near + 3):
            if _within(fraction, precision, m, sigma) is True and _within(fraction, precision, m + 1, sigma) is False:
                return m
        fraction = (fraction << 64) | int(bits.words(1)[0])
        precision += 64


def _within(fraction: int, precision: int, m: int, sigma: Fraction) -> bool | None:
    """Whether for every U that begins with these bits σ·x is at least m − ½, or for none; None if for some."""
    if m == 0:
        return True
    low, high = normal_tail((m - Fraction(1, 2)) / sigma, precision)
    if fraction + 1 <= low:
        return True
    return False if fraction >= high else None
