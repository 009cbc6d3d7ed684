"""Numbers: one coordinate in [−1, 1] along the column's scale, or several columns for a curve along it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from equipoise.rows.compiled.steps import placed
from equipoise.schema import cells
from equipoise.schema.columns import INDICATOR, Number
from equipoise.schema.encoding.block import MISSING, Array, Block, with_indicator
from equipoise.schema.tables.table import Cells

NO_GAPS = np.zeros(0, dtype=np.bool_)

Spread = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Along:
    """Where values lie along a scale, −1 at the low bound and 1 at the high one."""

    column: Number

    def place(self, values: Array, out: Array | None = None) -> Array:
        """Of values in the column's unit, clipped to its bounds; NaN stays NaN."""
        low, high = self.column.bounds
        if self.column.scale == "knots":
            knots = np.array(self.column.knots)
            held = np.clip(values, low, high, dtype=np.float64)
            return np.asarray(np.interp(held, knots, np.linspace(-1.0, 1.0, len(knots))))
        straight = values if self.column.scale == "linear" else self._bend(np.clip(values, low, high, dtype=np.float64))
        place = np.empty(np.shape(values)) if out is None else out
        with np.errstate(all="ignore"):
            return _between(straight, *self.line, place)

    @property
    def line(self) -> tuple[float, float]:
        """The middle of the bounds along the scale, and how far from it the place 1 is, inverted."""
        bottom, top = self.ends
        return bottom / 2.0 + top / 2.0, 2.0 / (top - bottom)

    def value(self, place: float) -> float:
        """The other way round, for one place."""
        low, high = self.column.bounds
        if self.column.scale == "knots":
            knots = np.array(self.column.knots)
            return float(np.interp(place, np.linspace(-1.0, 1.0, len(knots)), knots))
        bottom, top = self.ends
        straight = bottom + (place + 1.0) / 2.0 * (top - bottom)
        back = {"linear": float, "log": math.exp, "log1p": math.expm1}[self.column.scale]
        return min(high, max(low, back(straight)))

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds, along the scale; knots are counted."""
        if self.column.scale == "knots":
            return 0.0, len(self.column.knots) - 1.0
        low, high = self._bend(np.array(self.column.bounds)).tolist()
        return low, high

    def _bend(self, values: Array) -> Array:
        with np.errstate(all="ignore"):
            if self.column.scale == "log":
                return np.asarray(np.log(values))
            return np.asarray(np.log1p(values)) if self.column.scale == "log1p" else values


def _between(straight: Array, middle: float, slope: float, place: Array) -> Array:
    """−1 to 1 around the middle, written into `place`."""
    place[...] = straight  # widened by itself: quicker than within the subtraction
    if middle != 0:  # or it would change nothing
        place -= middle
    place *= slope
    return place.clip(-1.0, 1.0, out=place)


def joints(column: Number) -> Array:
    """Where the pieces of a curve meet, from −1 to 1: the knots if there are some, else equal pieces of the scale."""
    if column.knots:
        return Along(column).place(np.array(column.knots))
    return np.linspace(-1.0, 1.0, column.pieces + 1)


def number_block(name: str, column: Number, missing_words: tuple[str, ...]) -> Block:
    """A line, bins or a spline; with a column for missing cells where the schema asks for one."""
    marked, along, marks = column.missing == INDICATOR, Along(column), joints(column)
    fill = 0.0 if isinstance(column.missing, str) else float(along.place(np.array([column.missing]))[0])
    coded = bool(cells.missing_numbers(missing_words))

    def numbers(held: Cells) -> Array:
        """Floats as they are, uncopied, where none of them stands for a missing one."""
        return held if held.dtype.kind == "f" and not coded else cells.numbers(held, missing_words)

    spread = {"line": _line, "bins": _bins(marks), "spline": _tents(marks)}[column.shape]

    def encode(held: Cells) -> Array:
        place = along.place(numbers(held))
        some = math.isnan(float(place @ place))  # places are within ±1: only a gap does that
        gone = np.isnan(place) if some or marked else NO_GAPS
        if some:
            place[gone] = fill
        found = spread(place)
        if not marked:
            return found
        if column.shape != "line":
            found[gone] = 0.0  # the indicator says all there is to say
        return with_indicator(found, gone)

    line = along.line if column.scale == "linear" else None

    def into(held: Cells, out: Array, weight: float) -> None:
        values = numbers(held)
        if line is None:
            along.place(values, out)
        elif placed(values, line, fill, weight, out):  # a pass over files comes here for every column of every block
            return
        else:
            _between(values, *line, out)
        if math.isnan(float(out @ out)):
            out[np.isnan(out)] = fill
        out *= weight

    names = _names(name, column, along, marks) + ((f"{name}: {MISSING}",) if marked else ())
    if column.shape != "line":
        return Block(name, names, encode)
    low, high = along.ends
    direct = into if not marked and column.scale != "knots" else None
    return Block(name, names, encode, 2.0 / (high - low), low / 2 + high / 2, _unit(column), direct)


def _unit(column: Number) -> str:
    words = {"linear": column.unit, "log": "ln", "log1p": "ln(1 + x)", "knots": "knot"}
    return words[column.scale]


def _names(name: str, column: Number, along: Along, marks: Array) -> tuple[str, ...]:
    if column.shape == "line":
        return (name if column.scale == "linear" else f"{name} ({column.scale})",)
    edges = [f"{along.value(float(mark)):.4g}" for mark in marks]
    if column.shape == "bins":
        return tuple(f"{name}: {low} to {high}" for low, high in pairwise(edges))
    return tuple(f"{name}: near {edge}" for edge in edges)


def _line(place: Array) -> Array:
    return place[:, None]


def _bins(marks: Array) -> Spread:
    def spread(place: Array) -> Array:
        found = np.zeros((len(place), len(marks) - 1))
        found[np.arange(len(place)), np.searchsorted(marks[1:-1], place, side="right")] = 1.0
        return found

    return spread


def _tents(marks: Array) -> Spread:
    """Piecewise linear: the two nearest joints share 1 between them, so a row's length is at most 1."""

    def spread(place: Array) -> Array:
        left = np.clip(np.searchsorted(marks, place, side="right") - 1, 0, len(marks) - 2)
        share = np.clip((place - marks[left]) / (marks[left + 1] - marks[left]), 0.0, 1.0)
        found, rows = np.zeros((len(place), len(marks))), np.arange(len(place))
        found[rows, left] = 1.0 - share
        found[rows, left + 1] = share
        return found

    return spread
