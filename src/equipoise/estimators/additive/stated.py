"""What the caller stated about the columns, by place or by name, as a basis; every refusal is about what was stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise._checks import LARGEST, SMALLEST, at_most, number, shown
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.estimators._columns import NAMELESS, by_place, listed, place_of, ranges
from equipoise.theory.additive import Basis, Categories, Column, Numbers, Pair

KNOTS = 16
"""Of a column of numbers, where nobody said otherwise."""

PAIR_KNOTS = 6
"""Of each column of a pair: a surface has their product."""


MOST_KNOTS = 2**16
"""Of one column."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The parameters that speak of columns, as given, for a table of `width` columns with these names, if any."""

    width: int
    names: tuple[str, ...] | None
    column_bounds: Any
    categories: Any
    knots: Any
    pairs: Any
    monotone: Any

    def basis(self) -> Basis:
        """One column after the other, then the pairs."""
        columns = tuple(self._column(place) for place in range(self.width))
        pairs = tuple(self._pair(each) for each in listed(self.pairs, "pairs"))
        return Basis(columns, pairs)

    def directions(self) -> tuple[tuple[int, int], ...]:
        """(place, ±1) of each monotone column."""
        found, paired = [], {place for each in listed(self.pairs, "pairs") for place in self._places_of(each)}
        words = self._by_place(self.categories, "categories")
        for place, direction in sorted(self._by_place(self.monotone, "monotone").items()):
            if isinstance(direction, bool) or direction not in (1, -1):
                raise InvalidInput(f"monotone: {shown(direction)} must be 1 for rising or -1 for falling")
            if place in words or place in paired:
                raise InvalidInput("monotone: is for columns of numbers that are in no pair")
            found.append((place, int(direction)))
        return tuple(found)

    def _column(self, place: int, most: int | None = None) -> Column:
        known = self._by_place(self.categories, "categories")
        if place in known:
            return Categories(_plain(known[place]))
        asked = KNOTS if self.knots is None else self.knots
        if not isinstance(asked, int | np.integer):
            asked = self._by_place(asked, "knots").get(place, KNOTS)
        if isinstance(asked, int | np.integer):
            low, high = self._range(place)
            return Numbers(tuple(np.linspace(low, high, min(at_most(MOST_KNOTS, knots=asked), most or asked)).tolist()))
        given = tuple(number(knots=knot) for knot in listed(asked, "knots"))
        return Numbers(given if most is None or len(given) <= most else thinned(given, most))

    def _range(self, place: int) -> tuple[float, float]:
        pair = ranges(self.column_bounds, self.width, self._known_names).get(place)
        if pair is None:
            raise BoundsRequired(
                f"column_bounds: column {self._called(place)} has neither bounds nor categories, state its public range"
            )
        try:
            low, high = (number(column_bounds=edge) for edge in pair)
        except (TypeError, ValueError):
            low = high = 0.0
        if not low < high:
            raise InvalidInput("column_bounds: must be (low, high) with low below high, for each column of numbers")
        if max(abs(low), abs(high)) > LARGEST or high - low < SMALLEST:
            raise InvalidInput(f"column_bounds=({low}, {high}): must be within {LARGEST:g}, choose other units")
        return low, high

    def _pair(self, each: Any) -> Pair:
        left, right = self._places_of(each)
        return Pair((left, right), (self._column(left, PAIR_KNOTS), self._column(right, PAIR_KNOTS)))

    def _places_of(self, each: Any) -> tuple[int, int]:
        both = listed(each, "pairs")
        if len(both) != 2:
            raise InvalidInput("pairs: must be a list of pairs of columns")
        return self._place(both[0], "pairs"), self._place(both[1], "pairs")

    def _by_place(self, given: Any, parameter: str) -> dict[int, Any]:
        return by_place(given, parameter, self.width, self._known_names)

    def _place(self, key: Any, parameter: str) -> int:
        return place_of(key, parameter, self.width, self._known_names)

    def _known_names(self) -> tuple[str, ...]:
        """Of the table; before there is one, as the parameters mention them: a plan does not mind the order."""
        if self.names is not None:
            return self.names
        told = self.mentioned()
        if len(told) != self.width:
            raise InvalidInput(NAMELESS)
        return told

    def mentioned(self) -> tuple[str, ...]:
        """Names of columns among the parameters."""
        mappings = [
            each
            for each in (self.column_bounds, self.categories, self.knots, self.monotone)
            if isinstance(each, Mapping)
        ]
        pairs = self.pairs if isinstance(self.pairs, Sequence) and not isinstance(self.pairs, str) else ()
        keys = [
            *(key for each in mappings for key in each),
            *(key for each in pairs if isinstance(each, Sequence) for key in each),
        ]
        return tuple(dict.fromkeys(key for key in keys if isinstance(key, str)))

    def _called(self, place: int) -> str:
        return str(place) if self.names is None else repr(self.names[place])


def _plain(values: Any) -> tuple[Any, ...]:
    return tuple(value.item() if isinstance(value, np.generic) else value for value in listed(values, "categories"))


def thinned(knots: tuple[float, ...], most: int) -> tuple[float, ...]:
    """So many of them, the outer ones included."""
    chosen = np.unique(np.linspace(0, len(knots) - 1, most).round().astype(int))
    return tuple(knots[place] for place in chosen)
