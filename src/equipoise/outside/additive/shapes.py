"""What an additive model has learnt of each column, as released: values on a public grid, and the noise in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.theory.additive import Basis, Categories, Column, Numbers, Pair

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """How a model's coefficients are to be read: the basis, and the noise in each of them.

    `noise` is a standard deviation for each slot that the privacy noise does not exceed, sampling error and smoothing
    apart (docs/proofs/additive.md); None where the mechanism cannot say.
    """

    basis: Basis
    noise: Array | None = None

    def __post_init__(self) -> None:
        if self.noise is None:
            return
        noise = np.array(self.noise, dtype=np.float64)
        if noise.shape != (self.basis.features,) or not np.isfinite(noise).all() or (noise < 0).any():
            raise InvalidInput("noise: needs one number >= 0 for each slot")
        noise.flags.writeable = False
        object.__setattr__(self, "noise", noise)


@dataclass(frozen=True, slots=True)
class Axis:
    """Of a column along whose scale values do not lie evenly, as logarithms do not."""

    at: tuple[float, ...]
    """Where the knots lie on it, from −1 to 1."""
    marks: tuple[tuple[float, float], ...]
    """(place, value): round numbers in the column's unit, and its bounds."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The part of a score that one column, or one pair of columns, decides.

    `values` and `noise` have a last axis for each column in `grid`; with more than two classes a first one for the
    classes.  What a missing value, or one that is not listed, adds to the score stands apart.
    """

    name: str
    places: tuple[int, ...]
    grid: tuple[tuple[object, ...], ...]
    """Knots or categories, for one column or for each of two."""
    values: Array
    noise: Array | None
    missing: Array | float | None
    """None for a pair."""
    other: Array | float | None
    """Of a value that is not among the categories; None elsewhere."""
    axis: Axis | None = None
    """Of one column of numbers that is drawn along a scale of its own; None for a straight one, and for a pair."""

    @property
    def importance(self) -> float:
        """The spread of the values over the public grid: how much the shape can move a score."""
        return float(np.sqrt(np.mean(np.var(np.atleast_2d(self.values).reshape(-1, self._size), axis=1))))

    @property
    def _size(self) -> int:
        return int(np.prod([len(side) for side in self.grid]))


def shapes_of(shapes: Shapes, coef: Array, names: tuple[str, ...] | None) -> list[Shape]:
    """One for each column, in their order, then one for each pair."""
    labels = names or tuple(f"column {place}" for place in range(len(shapes.basis.columns)))
    pairs = zip(shapes.basis.terms, shapes.basis.spans, strict=True)
    return [_shape(term, coef[:, span], _part(shapes.noise, span), labels) for term, span in pairs]


def _part(noise: Array | None, span: slice) -> Array | None:
    return None if noise is None else noise[span]


def _shape(term: object, coef: Array, noise: Array | None, labels: tuple[str, ...]) -> Shape:
    if isinstance(term, Pair):
        return _pair(term, coef, noise, labels)
    column, place = term.column, term.place  # type: ignore[attr-defined]
    shown = column.shown
    return Shape(
        name=labels[place],
        places=(place,),
        grid=(grid_of(column),),
        values=_flat(coef[:, :shown]),
        noise=None if noise is None else noise[:shown],
        missing=_flat(coef[:, -1]),
        other=_flat(coef[:, shown]) if isinstance(column, Categories) else None,
    )


def _pair(pair: Pair, coef: Array, noise: Array | None, labels: tuple[str, ...]) -> Shape:
    left, right = pair.columns
    sides = left.slots, right.slots
    shown = (slice(left.shown), slice(right.shown))
    return Shape(
        name=" and ".join(labels[place] for place in pair.places),
        places=pair.places,
        grid=(grid_of(left), grid_of(right)),
        values=_flat(coef.reshape(-1, *sides)[:, *shown]),
        noise=None if noise is None else noise.reshape(sides)[shown],
        missing=None,
        other=None,
    )


def grid_of(column: Column) -> tuple[object, ...]:
    """Where a shape has values of its own: its knots, or its categories."""
    return column.knots if isinstance(column, Numbers) else column.values


def _flat(values: Array) -> Array:
    """Without the axis of the classes where there is one score."""
    return np.array(values[0] if len(values) == 1 else values)
