"""Shapes of an additive model in the columns' own units and words: post-processing, free."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from equipoise.outside.additive.shapes import Axis, Shape
from equipoise.schema.encoding import AdditiveEncoding
from equipoise.schema.encoding.additive import Part

MARKS, APART = 6, 0.2
"""Of an axis, at most about so many; and how far from each other, of its length of two."""

FINE = 4001
"""Places at which an axis is looked up backwards."""


def in_own_words(shape: Shape, encoding: AdditiveEncoding) -> Shape:
    """The same values over a grid of numbers in their unit, or of words."""
    sides = zip(shape.places, shape.grid, strict=True)
    grid = tuple(_own(encoding.parts[place], grid) for place, grid in sides)
    return replace(shape, grid=grid, axis=_axis(shape, encoding.parts[shape.places[0]]))


def _axis(shape: Shape, part: Part) -> Axis | None:
    if not part.bent or len(shape.places) > 1:
        return None
    return Axis(tuple(_number(place) for place in shape.grid[0]), marks_along(part.value))


def marks_along(value: Callable[[float], float]) -> tuple[tuple[float, float], ...]:
    """(place, value) of round numbers between the bounds, none too near another; `value` rises with the place."""
    places = np.linspace(-1.0, 1.0, FINE)
    values = np.array([value(place) for place in places.tolist()])
    low, high = (float(f"{end:.12g}") for end in (values[0], values[-1]))  # logarithms and back leave a little over
    wanted = [_rounded(value(place)) for place in np.linspace(-1.0, 1.0, MARKS + 1)[1:-1].tolist()]
    marks = [(-1.0, low)]
    for number in wanted:
        place = float(np.interp(number, values, places))
        if low < number < high and place - marks[-1][0] >= APART and 1.0 - place >= APART:
            marks.append((place, number))
    return (*marks, (1.0, high))


def _rounded(number: float) -> float:
    """The nearest one, two or five, and noughts."""
    if number == 0 or not math.isfinite(number):
        return number
    power = math.floor(math.log10(abs(number)))
    rounds = [float(f"{digit}e{power}") for digit in (1, 2, 5, 10)]
    return math.copysign(min(rounds, key=lambda each: abs(math.log(each / abs(number)))), number)


def _own(part: Part, grid: tuple[object, ...]) -> tuple[object, ...]:
    """Codes and places by their labels, other places by their values."""
    if not part.labels:
        return tuple(part.value(_number(place)) for place in grid)
    if part.coded:
        return tuple(part.labels[int(_number(code))] for code in grid)
    known = dict(zip(part.knots or (), part.labels, strict=True))
    return tuple(known.get(_number(place), "between") for place in grid)


def _number(place: object) -> float:
    assert isinstance(place, int | float)
    return float(place)
