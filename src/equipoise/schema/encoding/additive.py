"""One number for each column, for models that learn a shape of each: places along scales, and codes of listed values.

As in the linear encoding nothing is fitted, and a row becomes the same numbers in a fit, in a prediction and alone.
NaN is a missing value with a slot of its own, infinity one that is not listed.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from equipoise._checks import quoted
from equipoise.errors import InvalidInput
from equipoise.rows.unseen import unseen
from equipoise.schema import cells
from equipoise.schema.columns import INDICATOR, Boolean, Category, Column, Date, Number, Ordinal
from equipoise.schema.days import day_in
from equipoise.schema.encoding.block import OTHER, Array, told_apart
from equipoise.schema.encoding.dates_and_text import MONTHS, WEEKDAYS, part_of
from equipoise.schema.encoding.encoding import Encoding
from equipoise.schema.encoding.numbers import Along, joints
from equipoise.schema.rules import canonical
from equipoise.schema.schema import Schema
from equipoise.schema.tables import Table
from equipoise.schema.tables.table import Cells

UNLISTED = math.inf
DAYS_A_YEAR = 365.2425


@dataclass(frozen=True, slots=True)
class Part:
    """A column of an additive model: where its cells lie, and what places mean in the column's own words."""

    column: str
    name: str
    encode: Callable[[Cells], Array]
    value: Callable[[float], float] = float
    """Of a place, in the column's own unit."""
    labels: tuple[str, ...] = ()
    """Names of codes, or of knots, where they are words."""
    coded: bool = False
    """Whether its numbers are codes of listed values; else places between −1 and 1."""
    knots: tuple[float, ...] | None = None
    """Places that are public; None leaves their number to the model."""
    unit: str = ""
    bent: bool = False
    """Whether values do not lie evenly along its scale."""


@dataclass(frozen=True)
class AdditiveEncoding:
    """A schema, and pairs of columns that have a shape together."""

    schema: Schema
    interactions: tuple[tuple[str, str], ...] = ()
    norm: float = 1.0
    """Of a row in the units of the fit, which no schema changes."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "interactions", Encoding(self.schema, 1.0, self.interactions).interactions)
        for pair in self.interactions:
            self._places(pair)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """One for each column to learn from; a date has one for each of its parts."""
        words, columns = self.schema.missing_words, self.schema.columns
        return tuple(part for name in self.schema.features for part in _parts(name, columns[name], words))

    @property
    def names(self) -> tuple[str, ...]:
        return told_apart(part.name for part in self.parts)

    def rows(self, table: Table) -> Array:
        """(rows, parts)."""
        table.require(self.schema.features)
        with unseen():
            return np.column_stack([part.encode(table[part.column]) for part in self.parts])

    def check_types(self, types: dict[str, str]) -> None:
        """Names and types of a table that can be encoded; what cannot is refused before a cell is read."""
        Encoding(self.schema).check_types(types)

    def stated(self, knots: int) -> dict[str, Any]:
        """What an additive estimator is to be told of the columns, by place; `knots` where the schema has none."""
        numbered = {place: part for place, part in enumerate(self.parts) if not part.coded}
        return {
            "column_bounds": dict.fromkeys(numbered, (-1.0, 1.0)),
            "categories": {place: list(range(len(part.labels))) for place, part in enumerate(self.parts) if part.coded},
            "knots": {place: list(part.knots) if part.knots else knots for place, part in numbered.items()},
            "pairs": [self._places(pair) for pair in self.interactions],
        }

    def place_of(self, column: str) -> int:
        """Of a schema's column that has one shape."""
        found = [place for place, part in enumerate(self.parts) if part.column == column]
        if len(found) != 1:
            raise InvalidInput(f"column {quoted(column)}: has no shape of its own, name one that is no date")
        return found[0]

    def _places(self, pair: tuple[str, str]) -> tuple[int, int]:
        return self.place_of(pair[0]), self.place_of(pair[1])


def _parts(name: str, column: Column, words: tuple[str, ...]) -> tuple[Part, ...]:
    match column:
        case Number():
            return (_number(name, column, words),)
        case Category():
            return (_category(name, column, words),)
        case Ordinal():
            return (_ordinal(name, column, words),)
        case Boolean():
            return (_boolean(name, column, words),)
        case Date():
            return tuple(_date(name, column, part, words) for part in column.parts)
        case _:
            raise InvalidInput(f"column {quoted(name)}: text has no shape, ignore it or use a linear model")


def _number(name: str, column: Number, words: tuple[str, ...]) -> Part:
    along = Along(column)
    fixed = None if isinstance(column.missing, str) else float(along.place(np.array([column.missing]))[0])
    fill = math.nan if column.missing == INDICATOR else fixed or 0.0

    def encode(held: Cells) -> Array:
        return _filled(along.place(cells.numbers(held, words)), fill)

    known = tuple(joints(column).tolist()) if column.knots or column.shape != "line" else None
    return Part(name, name, encode, along.value, knots=known, unit=column.unit, bent=column.scale != "linear")


def _category(name: str, column: Category, words: tuple[str, ...]) -> Part:
    labels = tuple(canonical(value) for value in column.values)
    if column.missing in (OTHER, INDICATOR):
        gone = UNLISTED if column.missing == OTHER else math.nan
    else:
        gone = float(labels.index(canonical(column.missing)))

    def encode(held: Cells) -> Array:
        place = cells.places(held, column.values, words)
        return np.where(place >= 0, place.astype(np.float64), np.where(place == -1, UNLISTED, gone))

    return Part(name, name, encode, labels=labels, coded=True)


def _ordinal(name: str, column: Ordinal, words: tuple[str, ...]) -> Part:
    labels, last = tuple(canonical(value) for value in column.values), len(column.values) - 1
    if column.missing in ("middle", INDICATOR):
        fill = 0.0 if column.missing == "middle" else math.nan
    else:
        fill = 2.0 * labels.index(canonical(column.missing)) / last - 1.0

    def encode(held: Cells) -> Array:
        place = cells.places(held, column.values, words)
        return np.where(place < 0, fill, 2.0 * place / last - 1.0)

    return Part(name, name, encode, labels=labels, knots=tuple(np.linspace(-1.0, 1.0, last + 1).tolist()))


def _boolean(name: str, column: Boolean, words: tuple[str, ...]) -> Part:
    fill = 2.0 * column.missing - 1.0 if isinstance(column.missing, bool) else 0.0
    gone = math.nan if column.missing == INDICATOR else fill

    def encode(held: Cells) -> Array:
        return _filled(2.0 * cells.truths(held, column.yes, column.no, words) - 1.0, gone)

    return Part(name, name, encode, labels=("false", "true"), knots=(-1.0, 1.0))


def _date(name: str, column: Date, part: str, words: tuple[str, ...]) -> Part:
    low, high = (day_in(day) for day in column.bounds)
    fixed = column.missing not in ("middle", INDICATOR)
    day_if_missing = day_in(column.missing) if fixed else math.nan
    labels = {"month": MONTHS, "weekday": WEEKDAYS}.get(part, ())
    gone = math.nan if column.missing == INDICATOR else UNLISTED if labels else 0.0

    def encode(held: Cells) -> Array:
        days = np.clip(_filled(cells.days(held, words, column.format), day_if_missing), low, high)
        found = part_of(part, days, low, high)
        coded = found.argmax(axis=1).astype(np.float64) if labels else found[:, 0]
        return np.where(np.isnan(days), gone, coded)

    if labels:
        return Part(name, f"{name}: {part}", encode, labels=labels, coded=True)
    return Part(name, f"{name}: {part}", encode, _dated(part, low, high), unit="day" if part == "day" else "year")


def _dated(part: str, low: float, high: float) -> Callable[[float], float]:
    """What a place means: a year, or a day of the month."""
    first, last = (datetime.date.fromordinal(int(edge)).year for edge in (low, high))
    ends = {
        "time": (1 + low / DAYS_A_YEAR, 1 + high / DAYS_A_YEAR),
        "year": (float(first), float(max(last, first + 1))),
        "day": (1.0, 31.0),
    }[part]
    return lambda place: ends[0] + (place + 1.0) / 2.0 * (ends[1] - ends[0])


def _filled(values: Array, fill: float) -> Array:
    return np.where(np.isnan(values), fill, values)
