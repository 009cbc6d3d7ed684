"""The discrete Laplace law, exactly: one random word, or half of one, for almost every draw.

|k| is the largest m with U < exp(−m/scale), U an endless binary fraction, uniform on [0, 1).  The first 63 bits of U
and a double almost always settle it; when they are too close to a boundary, that one draw is settled in exact
arithmetic with as many further bits of U as it takes.  The 64th bit is the sign.  Proof: docs/proofs/prediction.md, 5.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown, whole
from equipoise.errors import InvalidInput
from equipoise.gate.noise.batches import Integers, collect
from equipoise.gate.noise.bits import Bits
from equipoise.gate.noise.enclosure import exp_minus
from equipoise.gate.noise.halves import Array, Places, begins_with_half, near_boundary, signed_draws

LARGEST_SCALE = 2**40
"""Up to here a double tells neighbouring values of scale·log(U) apart for almost every U."""

MARGIN = 2.0**-46
"""Error allowed to -log(U) in doubles, in units of one plus itself; it stays below 2^-49 if log errs by 4 ulp."""

_BITS = 63
_ONE = np.uint64(1)


def laplace_by_inversion(scale: int, size: int, bits: Bits, margin: float = MARGIN) -> Integers:
    """`size` independent integers k with P(k) ∝ exp(-|k| / scale)."""
    if whole(scale=scale) > LARGEST_SCALE:
        raise InvalidInput(f"scale={shown(scale)}: must be at most 2**40, use a coarser grid")
    scale = int(scale)
    propose = _by_halves if begins_with_half(scale) else _by_words
    # Almost every proposal is kept: only a negative zero is drawn again.
    return collect(size, 0.999, lambda count: propose(count, scale, bits, margin))


def _by_halves(count: int, scale: int, bits: Bits, margin: float) -> Integers:
    """Accepted ones of `count` proposals, most of them with half a word."""
    drawn = signed_draws(
        count, bits, lambda middles: _first_look(middles, scale), lambda heads: _magnitudes(heads, scale, bits, margin)
    )
    if not drawn.all():
        drawn = drawn[(drawn != 0) | ~np.signbit(drawn)]
    return drawn.astype(np.int64)


def _first_look(middles: Array, scale: int) -> tuple[Array, Places]:
    """The largest m with U < exp(-m/scale), and where U may lie on either side of a boundary."""
    value = np.log(middles)
    value *= -scale
    whole_part = np.floor(value)
    value -= whole_part
    return whole_part, near_boundary(value, middles, scale)


def _by_words(count: int, scale: int, bits: Bits, margin: float) -> Integers:
    return _signed(bits.words(count), scale, bits, margin)


def _signed(words: npt.NDArray[np.uint64], scale: int, bits: Bits, margin: float) -> Integers:
    """Magnitudes with the sign of the last bit, negative zeros dropped so that zero is not counted twice."""
    magnitudes = _magnitudes(words >> _ONE, scale, bits, margin)
    signs: Integers = 1 - 2 * (words & _ONE).view(np.int64)
    if magnitudes.all():  # no zero among them, as nearly always
        magnitudes *= signs
        return magnitudes
    kept = (magnitudes != 0) | (signs > 0)
    magnitudes *= signs
    return magnitudes if np.all(kept) else magnitudes[kept]


def _magnitudes(heads: npt.NDArray[np.uint64], scale: int, bits: Bits, margin: float) -> Integers:
    """The largest m with U < exp(-m/scale), for each U that begins with these 63 bits."""
    middle = heads.astype(np.float64)
    middle += 0.5
    depth = middle * 2.0**-_BITS
    np.log(depth, out=depth)
    np.negative(depth, out=depth)
    value = depth * scale
    whole_part = np.floor(value)
    depth += 1.0
    depth *= margin
    depth += np.divide(1.0, middle, out=middle)
    depth *= scale  # now the distance from a boundary within which doubles cannot tell
    value -= whole_part
    result: Integers = whole_part.astype(np.int64)
    close = value <= depth
    close |= value >= np.subtract(1.0, depth, out=depth)
    for index in np.flatnonzero(close):
        result[index] = _settle(int(heads[index]), scale, bits)
    return result


def _settle(head: int, scale: int, bits: Bits) -> int:
    """The same for one U, with as many further bits as it takes."""
    fraction, precision = head, _BITS
    while True:
        near = round(scale * (precision * math.log(2) - math.log(2 * fraction + 1) + math.log(2)))
        for m in range(max(0, near - 2), near + 2):
            if _below(fraction, precision, m, scale) is True and _below(fraction, precision, m + 1, scale) is False:
                return m
        fraction = (fraction << 64) | int(bits.words(1)[0])
        precision += 64


def _below(fraction: int, precision: int, m: int, scale: int) -> bool | None:
    """Whether every U that begins with these bits lies below exp(-m/scale), or none; None if some do."""
    if m == 0:
        return True
    low, high = exp_minus(Fraction(m, scale), precision)
    if fraction + 1 <= low:
        return True
    return False if fraction >= high else None
