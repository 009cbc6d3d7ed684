"""One column of a table as weights on its slots: what is public about it, and the map that it fixes.

The weights of a cell are non-negative and sum to one, whatever the cell holds: that is all that the proof asks
(docs/proofs/additive.md).  A cell is looked at by itself, and none is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from equipoise._checks import LARGEST, SMALLEST, number
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]
Value = str | int | float | bool

MOST_SLOTS = 4096
"""Of one column; far beyond what a shape can be read at."""


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

    def weights(self, cells: Array) -> Array:
        """(rows, slots)."""
        knots = np.array(self.knots)
        missing = np.isnan(cells)
        held = np.clip(np.where(missing, knots[0], cells), knots[0], knots[-1])
        left = np.clip(np.searchsorted(knots, held, side="right") - 1, 0, len(knots) - 2)
        part = np.clip((held - knots[left]) / (knots[left + 1] - knots[left]), 0.0, 1.0)
        result, rows = np.zeros((len(cells), self.slots)), np.arange(len(cells))
        result[rows, left] = 1.0 - part
        result[rows, left + 1] = part
        result[missing] = 0.0
        result[missing, -1] = 1.0
        return result


@dataclass(frozen=True, slots=True)
class Categories:
    """A column of listed values: a step for each, one for whatever is not listed, and the last for missing values."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not all(isinstance(value, str | int | float) and value == value for value in self.values):
            raise InvalidInput("categories: values must be strings, numbers or booleans")
        if not 1 <= len(self.values) <= MOST_SLOTS - 2 or len(set(self.values)) < len(self.values):
            raise InvalidInput(f"categories: list between 1 and {MOST_SLOTS - 2} different values for each column")

    @property
    def slots(self) -> int:
        return len(self.values) + 2

    @property
    def shown(self) -> int:
        return len(self.values)

    @property
    def codes(self) -> tuple[float, ...]:
        """What stands for each value in a table of numbers: itself, or its place where some value is a word."""
        words = any(isinstance(value, str) for value in self.values)
        return tuple(float(place if words else value) for place, value in enumerate(self.values))

    def code(self, cells: list[object]) -> Array:
        """Cells of any kind as numbers: the code of a listed value, NaN where missing, infinity where not listed."""
        known = dict(zip(self.values, self.codes, strict=True))
        return np.array([_coded(cell, known) for cell in cells], dtype=np.float64)

    def weights(self, cells: Array) -> Array:
        """(rows, slots)."""
        place = np.full(len(cells), len(self.values))
        for number_of, code in enumerate(self.codes):
            place[cells == code] = number_of
        place[np.isnan(cells)] = len(self.values) + 1
        result = np.zeros((len(cells), self.slots))
        result[np.arange(len(cells)), place] = 1.0
        return result


Column = Numbers | Categories


def _coded(cell: object, known: dict[Value, float]) -> float:
    """By Python's own text and numbers alone: other objects have comparisons of their own, and count as missing."""
    if isinstance(cell, str):
        return known.get(str.__str__(cell), np.inf)
    if isinstance(cell, np.generic):
        cell = cell.item()
    if not isinstance(cell, bool | int | float) or type(cell) not in (bool, int, float) or cell != cell:
        return np.nan
    return known.get(cell, np.inf)
