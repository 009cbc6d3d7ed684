"""One search for monotone conditions.  The answer it returns has been checked: the condition holds there.

Where the condition is that a curve keeps below a limit, straight lines through its logarithms need a quarter of the
looks that halves do.  They only say where to look next.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from equipoise._checks import positive

_LARGEST = 1e300
_SMALLEST = 1e-300
_PRECISION = 1e-12
_STEEP = 1e3
"""The logarithm of what has none, or one beyond doubles."""

Between = Callable[[float, float], float]
"""Where to look next between two ends."""


def _middle(low: float, high: float) -> float:
    return (low + high) / 2


def least(holds: Callable[[float], bool], start: float = 1.0, between: Between = _middle) -> float:
    """Smallest x > 0 where `holds`, if it fails below some point and holds above; inf when it never holds."""
    high = positive(start=start)  # zero would be doubled for ever
    while not holds(high):
        high *= 2
        if high > _LARGEST:
            return math.inf
    low = high / 2
    while low > _SMALLEST and holds(low):
        low, high = low / 2, low
    while high - low > _PRECISION * high and low < (place := between(low, high)) < high:  # or no double between
        low, high = (low, place) if holds(place) else (place, high)
    return high


def greatest(holds: Callable[[float], bool], start: float = 1.0, between: Between = _middle) -> float:
    """Largest x > 0 where `holds`, if it holds below some point and fails above; 0 when it never holds."""
    low = positive(start=start)
    while not holds(low):
        low /= 2
        if low < _SMALLEST:
            return 0.0
    high = low * 2
    while high < _LARGEST and holds(high):
        low, high = high, high * 2
    while high - low > _PRECISION * low and low < (place := between(low, high)) < high:
        low, high = (place, high) if holds(place) else (low, place)
    return low


def least_within(curve: Callable[[float], float], limit: float, start: float = 1.0) -> float:
    """Smallest x > 0 at which a falling curve is at most `limit` > 0; inf when it never is."""
    lines = _Lines(curve, limit)
    return least(lines.holds, start, lines.between)


def greatest_within(curve: Callable[[float], float], limit: float, start: float = 1.0) -> float:
    """Largest x > 0 at which a rising curve is at most `limit` > 0; 0 when it never is."""
    lines = _Lines(curve, limit)
    return greatest(lines.holds, start, lines.between)


class _Lines:
    """Where a curve crosses its limit, by the line through log x and log curve at both ends (the Illinois rule)."""

    def __init__(self, curve: Callable[[float], float], limit: float) -> None:
        self._curve, self._limit = curve, positive(limit=limit)
        self._off: dict[float, float] = {}
        self._ends, self._stayed = (0.0, 0.0), 0.0
        self._widths: list[float] = []

    def holds(self, x: float) -> bool:
        value = self._curve(x)
        within = value <= self._limit
        known = 0 < value < math.inf
        self._off[x] = math.log(value) - math.log(self._limit) if known else -_STEEP if within else _STEEP
        return within

    def between(self, low: float, high: float) -> float:
        """Halfway where three looks have not brought what three halves would, so that no curve takes for ever."""
        self._widths.append(high - low)
        slow = len(self._widths) > 3 and 8 * self._widths[-1] > self._widths[-4]
        stayed = low if low == self._ends[0] else high
        if stayed == self._stayed:  # twice: the next line is to end beyond the crossing
            self._off[stayed] = self._off.get(stayed, 0.0) / 2
        self._ends, self._stayed = (low, high), stayed
        below, above = self._off.get(low, 0.0), self._off.get(high, 0.0)  # an end may never have been tried
        if slow or not below * above < 0:
            return _middle(low, high)
        nearest, step = (low, 1) if abs(below) < abs(above) else (high, -1)
        place = low * math.exp(math.log(high / low) * (below / (below - above)))
        if abs(place - nearest) < _PRECISION / 2 * high:  # one step beyond it, so that the other end comes near as well
            place = nearest + step * _PRECISION / 2 * high
        return place if low < place < high else _middle(low, high)
