"""Bounds on exp(-x) for a rational x, in whole-number arithmetic: every rounding has a known direction."""

from __future__ import annotations

from fractions import Fraction

GUARD_BITS = 32


def exp_minus(x: Fraction, precision: int) -> tuple[int, int]:
    """Whole numbers (low, high) with low <= 2^precision · exp(-x) <= high, for x >= 0."""
    if x > precision:
        return 0, 1  # exp(-x) < 2^-precision
    # Each squaring below doubles the error, so carry one more bit for each.
    halvings = max(0, (x.numerator // x.denominator).bit_length())
    places = precision + halvings + GUARD_BITS
    low, high = _series(x / 2**halvings, places)
    for _ in range(halvings):
        low, high = (low * low) >> places, _shift_up(high * high, places)
    drop = places - precision
    return low >> drop, _shift_up(high, drop)


def _series(z: Fraction, places: int) -> tuple[int, int]:
    """Bounds on 2^places · exp(-z) for 0 <= z <= 1, where the series alternates with shrinking terms."""
    z_low = (z.numerator << places) // z.denominator
    z_high = -((-z.numerator << places) // z.denominator)
    term_low = term_high = low = high = 1 << places
    order = 0
    while term_high > 1:
        order += 1
        term_low = (term_low * z_low >> places) // order
        term_high = -(-_shift_up(term_high * z_high, places) // order)
        if order % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    # What is left out is smaller than the last term, which is at most one unit.
    return max(low - 1, 0), high + 1


def _shift_up(value: int, places: int) -> int:
    return -(-value >> places)
