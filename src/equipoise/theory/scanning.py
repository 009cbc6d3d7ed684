"""The best of a list whose figures fall and then rise: every few places first, then ever closer neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def best_of(count: int, made: Callable[[int], T], figure: Callable[[T], float], stride: int) -> T:
    """Of the `count` things that `made` makes, the one of least figure, or one near it where there are several dips."""
    known: dict[int, T] = {}

    def look(places: list[int]) -> int:
        for place in places:
            if 0 <= place < count and place not in known:
                known[place] = made(place)
        return min(known, key=lambda place: (figures(place), place))

    shown: dict[int, float] = {}

    def figures(place: int) -> float:
        if place not in shown:
            shown[place] = figure(known[place])
        return shown[place]

    best = look([*range(0, count, stride), count - 1])
    while stride > 1:
        stride //= 2
        best = look([best - stride, best + stride])
    return known[best]
