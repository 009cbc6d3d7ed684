"""All columns together: from a table of numbers to weights, term by term, and from coefficients to scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.theory.additive.columns import Column, Weights

Array = npt.NDArray[np.float64]

MOST_FEATURES = 2**16
"""Slots of all terms: rows are stored in full."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns at once: the weights of both, multiplied."""

    places: tuple[int, int]
    columns: tuple[Column, Column]

    @property
    def slots(self) -> int:
        return self.columns[0].slots * self.columns[1].slots

    @property
    def touched(self) -> int:
        return self.columns[0].touched * self.columns[1].touched

    def weights(self, table: Array) -> Weights:
        """The second column's slots run fastest."""
        left, right = (column.weights(table[:, place]) for column, place in zip(self.columns, self.places, strict=True))
        places = left.places[:, :, None] * self.columns[1].slots + right.places[:, None, :]
        parts = left.parts[:, :, None] * right.parts[:, None, :]
        touched = parts.shape[1] * parts.shape[2]
        return Weights(places.reshape(len(table), touched), parts.reshape(len(table), touched))


@dataclass(frozen=True, slots=True)
class Single:
    """One column by itself."""

    place: int
    column: Column

    @property
    def slots(self) -> int:
        return self.column.slots

    @property
    def touched(self) -> int:
        return self.column.touched

    def weights(self, table: Array) -> Weights:
        return self.column.weights(table[:, self.place])


Term = Single | Pair


@dataclass(frozen=True)
class Basis:
    """One term for each column, in their order, then the pairs."""

    columns: tuple[Column, ...]
    pairs: tuple[Pair, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            raise InvalidInput("columns: an additive model needs at least one")
        width = len(self.columns)
        if any(not 0 <= place < width for pair in self.pairs for place in pair.places):
            raise InvalidInput(f"pairs: columns must be places from 0 to {width - 1}")
        chosen = {frozenset(pair.places) for pair in self.pairs}
        if len(chosen) < len(self.pairs) or any(len(places) < 2 for places in chosen):
            raise InvalidInput("pairs: name two different columns each, and no two of them twice")
        if self.features > MOST_FEATURES:
            raise InvalidInput(f"knots: {self.features} numbers to learn, at most {MOST_FEATURES}: use fewer knots")

    @cached_property  # asked for by every term in turn
    def terms(self) -> tuple[Term, ...]:
        return (*(Single(place, column) for place, column in enumerate(self.columns)), *self.pairs)

    @property
    def features(self) -> int:
        """How many numbers a score is made of."""
        return sum(term.slots for term in self.terms)

    @cached_property
    def spans(self) -> tuple[slice, ...]:
        """Where each term's numbers are."""
        ends = np.cumsum([term.slots for term in self.terms]).tolist()
        return tuple(slice(end - term.slots, end) for end, term in zip(ends, self.terms, strict=True))

    def scores(self, table: Array, coef: Array) -> Array:
        """(rows, outputs): the shapes' values, added up, a term at a time."""
        result = np.zeros((len(table), len(coef)))
        for term, span in zip(self.terms, self.spans, strict=True):
            result += term.weights(table).average(coef[:, span].T)
        return result
