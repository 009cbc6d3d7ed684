"""One search for monotone conditions.  The answer it returns has been checked: the condition holds there."""

from __future__ import annotations

import math
from collections.abc import Callable

from equipoise._checks import positive

_LARGEST = 1e300
_SMALLEST = 1e-300
_PRECISION = 1e-12


def least(holds: Callable[[float], bool], start: float = 1.0) -> float:
    """Smallest x > 0 where `holds`, if it fails below some point and holds above; inf when it never holds."""
    high = positive(start=start)  # zero would be doubled for ever
    while not holds(high):
        high *= 2
        if high > _LARGEST:
            return math.inf
    low = high / 2
    while low > _SMALLEST and holds(low):
        low, high = low / 2, low
    while high - low > _PRECISION * high and low < (middle := (low + high) / 2) < high:  # or no double between
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def greatest(holds: Callable[[float], bool], start: float = 1.0) -> float:
    """Largest x > 0 where `holds`, if it holds below some point and fails above; 0 when it never holds."""
    low = positive(start=start)
    while not holds(low):
        low /= 2
        if low < _SMALLEST:
            return 0.0
    high = low * 2
    while high < _LARGEST and holds(high):
        low, high = high, high * 2
    while high - low > _PRECISION * low and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
