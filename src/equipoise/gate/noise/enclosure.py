"""Bounds on exp(-x) and on normal tails for a rational x, in whole numbers: every rounding has a known direction."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

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


def normal_tail(x: Fraction, precision: int) -> tuple[int, int]:
    """Whole numbers (low, high) with low <= 2^precision · P(|Z| >= x) <= high, for x >= 0 and Z standard normal."""
    if x * x > 2 * precision:
        return 0, 1  # the tail is below exp(-x²/2)
    # 1 − 2φ(x)·Σ x^(2k+1)/(1·3···(2k+1)): the sum grows like exp(x²/2) < 2^(x²), so carry as many bits more.
    places = precision + math.ceil(x * x) + GUARD_BITS
    sum_low, sum_high = _odd_series(x, places)
    exp_low, exp_high = exp_minus(x * x / 2, places)
    root_low, root_high = _inverse_root_two_pi(places)
    drop = 3 * places - precision - 1
    inner_low, inner_high = (sum_low * exp_low * root_low) >> drop, _shift_up(sum_high * exp_high * root_high, drop)
    one = 1 << precision
    return max(one - inner_high, 0), min(one - inner_low, one)


def _odd_series(x: Fraction, places: int) -> tuple[int, int]:
    """Bounds on 2^places · Σ x^(2k+1)/(1·3···(2k+1)), x >= 0."""
    square, order = x * x, 1
    term_low = low = (x.numerator << places) // x.denominator
    term_high = high = -((-x.numerator << places) // x.denominator)
    while term_high > 1 or 2 * square > order:
        order += 2
        term_low = term_low * square.numerator // (square.denominator * order)
        term_high = -(-term_high * square.numerator // (square.denominator * order))
        low, high = low + term_low, high + term_high
    # From here on every term is less than half the one before, which is at most one unit.
    return low, high + 1


@lru_cache(maxsize=8)
def _inverse_root_two_pi(places: int) -> tuple[int, int]:
    """Bounds on 2^places / √(2π)."""
    low, high = _pi(places)
    return math.isqrt((1 << 3 * places) // (2 * high)), math.isqrt((1 << 3 * places) // (2 * low)) + 1


def _pi(places: int) -> tuple[int, int]:
    """Bounds on 2^places · π by Machin's formula, 16·arctan(1/5) − 4·arctan(1/239)."""
    carried = places + GUARD_BITS
    (fifth_low, fifth_high), (small_low, small_high) = _arctan_of_inverse(5, carried), _arctan_of_inverse(239, carried)
    low, high = 16 * fifth_low - 4 * small_high, 16 * fifth_high - 4 * small_low
    return low >> GUARD_BITS, _shift_up(high, GUARD_BITS)


def _arctan_of_inverse(n: int, places: int) -> tuple[int, int]:
    """Bounds on 2^places · arctan(1/n): the series alternates with shrinking terms."""
    power, order, low, high = (1 << places) // n, 1, 0, 0
    while power:
        # Each power, and each term, is rounded down by less than one unit in all.
        term, sign = power // order, 1 if order % 4 == 1 else -1
        low, high = low + (sign * term if sign > 0 else -term - 2), high + (term + 2 if sign > 0 else -term)
        power, order = power // (n * n), order + 2
    return low - 2, high + 2
