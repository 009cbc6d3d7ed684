"""Shapes of an additive model in the columns' own units and words: post-processing, free."""

from __future__ import annotations

from dataclasses import replace

from equipoise.outside.additive.shapes import Shape
from equipoise.schema.encoding import AdditiveEncoding
from equipoise.schema.encoding.additive import Part


def in_own_words(shape: Shape, encoding: AdditiveEncoding) -> Shape:
    """The same values over a grid of numbers in their unit, or of words."""
    sides = zip(shape.places, shape.grid, strict=True)
    return replace(shape, grid=tuple(_own(encoding.parts[place], grid) for place, grid in sides))


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
