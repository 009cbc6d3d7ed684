"""One column of a table as weights on its slots: what is public about it, and the map that it fixes.

The weights of a cell are non-negative and sum to one, whatever the cell holds: that is all that the proof asks
(docs/proofs/additive.md).  A cell is looked at by itself, and none is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._asking import asked, is_a, only_of
from equipoise._checks import LARGEST, SMALLEST, number
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Value = str | int | float | bool

Index = npt.NDArray[np.intp]

MOST_SLOTS = 4096
"""Of one column; far beyond what a shape can be read at."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """For each row the few slots that it touches, rising, and how much it weighs on each; both (rows, touched)."""

    places: Index
    parts: Array

    def average(self, of: Array) -> Array:
        """The weighted mean of the slots' rows, (rows, width).  Row by row: no product of the whole table, whose
        rounding would depend on how many rows there are."""
        result = self.parts[:, :1] * of[self.places[:, 0]]
        for touched in range(1, self.parts.shape[1]):
            result += self.parts[:, touched, None] * of[self.places[:, touched]]
        return result


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers: a value between two knots weighs on both, linearly; beyond the outer ones it is clipped.

    The last slot is for missing values.
    """

    knots: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.knots) < MOST_SLOTS:
            raise InvalidInput(f"knots: a column needs 2 to {MOST_SLOTS - 1} of them, in rising order")
        rising = [number(knots=knot) for knot in self.knots]
        if any(high - low < SMALLEST for low, high in pairwise(rising)) or max(map(abs, rising)) > LARGEST:
            raise InvalidInput(f"knots: must rise from each to the next and stay within {LARGEST:g}")

    @property
    def slots(self) -> int:
        return len(self.knots) + 1

    @property
    def shown(self) -> int:
        """Slots that make the curve; what follows is set apart."""
        return len(self.knots)

    @property
    def touched(self) -> int:
        """Slots that a cell weighs on."""
        return 2

    def weights(self, cells: Array) -> Weights:
        """On two slots."""
        knots = np.array(self.knots)
        missing = np.isnan(cells)
        held = np.clip(np.where(missing, knots[0], cells), knots[0], knots[-1])
        left = np.clip(np.searchsorted(knots, held, side="right") - 1, 0, len(knots) - 2)
        part = np.clip((held - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)
        places, parts = np.column_stack([left, left + 1]), np.column_stack([1.0 - part, part])
        places[missing], parts[missing] = (self.slots - 2, self.slots - 1), (0.0, 1.0)
        return Weights(places, parts)


@dataclass(frozen=True, slots=True)
class Categories:
    """A column of listed values: a step for each, one for whatever is not listed, and the last for missing values."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not all(isinstance(value, str | int | float) and value == value for value in self.values):
            raise InvalidInput("categories: values must be strings, numbers or booleans")
        if not 1 <= len(self.values) <= MOST_SLOTS - 2 or len(set(self.values)) < len(self.values):
            raise InvalidInput(f"categories: list between 1 and {MOST_SLOTS - 2} different values for each column")
        if not self._told_apart():
            raise InvalidInput("categories: numbers must differ as doubles, give longer ones as words")

    def _told_apart(self) -> bool:
        """Whether every value has a code of its own: a table of numbers holds doubles."""
        try:
            return len(set(self.codes)) == len(self.values)
        except OverflowError:
            return False

    @property
    def slots(self) -> int:
        return len(self.values) + 2

    @property
    def shown(self) -> int:
        return len(self.values)

    @property
    def touched(self) -> int:
        return 1

    @property
    def codes(self) -> tuple[float, ...]:
        """What stands for each value in a table of numbers: itself, or its place where some value is a word."""
        words = any(isinstance(value, str) for value in self.values)
        return tuple(float(place if words else value) for place, value in enumerate(self.values))

    def code(self, cells: list[object]) -> Array:
        """Cells of any kind as numbers: the code of a listed value, NaN where missing, infinity where not listed."""
        known = dict(zip(self.values, self.codes, strict=True))
        return np.array([_coded(cell, known) for cell in cells], dtype=np.float64)

    def weights(self, cells: Array) -> Weights:
        """On one slot."""
        places = np.full((len(cells), 1), len(self.values), dtype=np.intp)
        for place, code in enumerate(self.codes):
            places[cells == code] = place
        places[np.isnan(cells)] = len(self.values) + 1
        return Weights(places, np.ones_like(places, dtype=np.float64))


Column = Numbers | Categories


def _coded(cell: object, known: dict[Value, float]) -> float:
    """By Python's own text and numbers alone: other objects have comparisons of their own, and count as missing."""
    held: Any = cell
    if is_a(held, str):
        return known.get(str.__str__(held), np.inf)
    if is_a(held, np.generic):
        scalar = held
        held = asked(lambda: np.generic.item(scalar), None)
    if not only_of((held,), bool, int, float) or held != held:
        return np.nan
    return known.get(held, np.inf)
