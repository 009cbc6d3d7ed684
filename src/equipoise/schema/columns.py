"""The kinds of columns.  Each states its public facts and the rule for a missing cell, and checks what it is told.

`missing` is the rule for a cell that is empty or cannot be read: a word of the kind's own, or "indicator" for a column
of the encoded table that says so.  `source` is free text: where the fact comes from, if not from the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from equipoise._checks import is_word, shown
from equipoise.errors import InvalidInput
from equipoise.schema import rules
from equipoise.schema.days import pattern

INDICATOR = "indicator"
SCALES = ("linear", "log", "log1p", "knots")
SHAPES = ("line", "bins", "spline")
PARTS = ("time", "year", "month", "weekday", "day")
MOST_KNOTS = 200
LEAST_APART = 1e-15
"""Of two ends along a bent scale, as a part of the larger: closer ones differ by rounding."""

MOST_BUCKETS = 1_000_000


@dataclass(frozen=True, slots=True)
class Number:
    """A number within public bounds, clipped to them.

    `scale`: "linear"; "log" (ln x, bounds above 0); "log1p" (ln(1 + x), bounds from 0 up); "knots" (equal steps from
    knot to knot, straight in between).  `shape` is how it enters a model: one "line", or several columns for curves,
    "bins" or a "spline", with `pieces` of equal length on the scale, between the knots where there are some.
    `missing`: "middle" of the scale, "indicator" (and the middle), or the number that a missing cell counts as.
    """

    kind: ClassVar[str] = "number"
    bounds: tuple[float, float]
    unit: str = ""
    scale: str = "linear"
    knots: tuple[float, ...] = ()
    shape: str = "line"
    pieces: int = 8
    missing: str | float = "middle"
    source: str = ""

    def __post_init__(self) -> None:
        low, high = rules.bounds_pair(self.bounds)
        _set(self, bounds=(low, high), knots=_knots(self.knots, low, high))
        _check_word(self.scale, SCALES, "scale")
        _check_word(self.shape, SHAPES, "shape")
        rules.whole_number(self.pieces, "pieces", 1, MOST_KNOTS)
        if self.scale == "log" and low <= 0:
            raise InvalidInput(f"scale=log: needs bounds above 0, not {low:g}; use log1p from 0 up")
        if self.scale == "log1p" and low < 0:
            raise InvalidInput(f"scale=log1p: needs bounds from 0 up, not {low:g}")
        _check_apart(self.scale, low, high)
        if self.scale == "knots" and not self.knots:
            raise InvalidInput("scale=knots: give knots, a rising list of numbers from public knowledge")
        _set(self, missing=_missing_number(self.missing, low, high))
        _check_texts(self.unit, self.source)


@dataclass(frozen=True, slots=True)
class Category:
    """One of a list of values; whatever else is met is "other".

    `missing`: "other", "indicator" (a slot of its own), or one of the values.
    """

    kind: ClassVar[str] = "category"
    values: tuple[rules.Value, ...]
    missing: rules.Value = "other"
    source: str = ""

    def __post_init__(self) -> None:
        _set(self, values=rules.values_list(self.values))
        _check_missing_value(self.missing, self.values, ("other", INDICATOR))
        _check_texts("", self.source)


@dataclass(frozen=True, slots=True)
class Ordinal:
    """One of a list of values in a meaningful order, encoded as its place.

    `missing`: "middle", "indicator" (and the middle), or one of the values.  Values not listed are missing.
    """

    kind: ClassVar[str] = "ordinal"
    values: tuple[rules.Value, ...]
    missing: rules.Value = "middle"
    source: str = ""

    def __post_init__(self) -> None:
        _set(self, values=rules.values_list(self.values, fewest=2))
        _check_missing_value(self.missing, self.values, ("middle", INDICATOR))
        _check_texts("", self.source)


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false.  `yes` and `no` list the words for them; without, the usual ones (true, yes, y, t, 1, …).

    `missing`: "middle", "indicator" (and the middle), true or false.  Words not listed are missing.
    """

    kind: ClassVar[str] = "boolean"
    yes: tuple[rules.Value, ...] = ()
    no: tuple[rules.Value, ...] = ()
    missing: str | bool = "middle"
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("yes", "no"):
            _set(self, **{name: rules.values_list(getattr(self, name), name, fewest=0)})
        if bool(self.yes) != bool(self.no):
            raise InvalidInput("yes, no: list the words for both, or for neither")
        if {rules.canonical(word) for word in self.yes} & {rules.canonical(word) for word in self.no}:
            raise InvalidInput("yes, no: a word is in both lists")
        if not isinstance(self.missing, bool):
            _check_word(self.missing, ("middle", INDICATOR), "missing", "true, false")
        _check_texts("", self.source)


@dataclass(frozen=True, slots=True)
class Date:
    """A date within public bounds.  `parts` become columns: "time" (a number within the bounds), "year", "month",
    "weekday" (one column for each), "day" (of the month).  `format` is how text writes it, such as "%d.%m.%Y"; without
    one 2024-12-31.

    `missing`: "middle", "indicator" (and the middle), or the date that a missing cell counts as.
    """

    kind: ClassVar[str] = "date"
    bounds: tuple[str, str]
    parts: tuple[str, ...] = ("time",)
    missing: str = "middle"
    source: str = ""
    format: str = ""

    def __post_init__(self) -> None:
        _set(self, bounds=_days(self.bounds), parts=tuple(_as_list(self.parts, "parts")))
        for part in self.parts:
            _check_word(part, PARTS, "parts")
        if not self.parts or len(set(self.parts)) < len(self.parts):
            raise InvalidInput("parts: list at least one, each once")
        if not is_word(self.missing, "middle", INDICATOR):
            _set(self, missing=_within_days(rules.day(self.missing, "missing"), self.bounds))
        if pattern(rules.text(self.format, "format")) is None:
            raise InvalidInput("format: must be %d, %m and %Y once each, as in %d.%m.%Y, with . / - or blanks between")
        _check_texts("", self.source)


@dataclass(frozen=True, slots=True)
class Text:
    """Free text: its words, hashed into `buckets` columns by a public hash.  A missing cell has no words."""

    kind: ClassVar[str] = "text"
    buckets: int = 256
    source: str = ""

    def __post_init__(self) -> None:
        rules.whole_number(self.buckets, "buckets", 1, MOST_BUCKETS)
        _check_texts("", self.source)


@dataclass(frozen=True, slots=True)
class Ignored:
    """Not looked at."""

    kind: ClassVar[str] = "ignored"
    source: str = ""

    def __post_init__(self) -> None:
        _check_texts("", self.source)


Column = Number | Category | Ordinal | Boolean | Date | Text | Ignored

KINDS: dict[str, type[Column]] = {each.kind: each for each in (Number, Category, Ordinal, Boolean, Date, Text, Ignored)}


def _knots(value: Any, low: float, high: float) -> tuple[float, ...]:
    knots = tuple(rules.finite(each, "knots") for each in _as_list(value, "knots"))
    if not knots:
        return ()
    if any(not left < right for left, right in pairwise(knots)) or len(knots) > MOST_KNOTS:
        raise InvalidInput(f"knots: must rise, at most {MOST_KNOTS} of them")
    if (knots[0], knots[-1]) != (low, high):
        raise InvalidInput("knots: the first and the last must be the bounds")
    return knots


def _missing_number(value: Any, low: float, high: float) -> str | float:
    if isinstance(value, str):
        _check_word(value, ("middle", INDICATOR), "missing", "a number within the bounds")
        return value
    number = rules.finite(value, "missing")
    if not low <= number <= high:
        raise InvalidInput(f"missing={number:g}: must be within the bounds")
    return number


def _check_missing_value(value: Any, values: tuple[rules.Value, ...], words: tuple[str, ...]) -> None:
    if not isinstance(value, str | int | float) or (
        value not in words and rules.canonical(value) not in {rules.canonical(each) for each in values}
    ):
        raise InvalidInput(f"missing={shown(value)}: must be {' or '.join(words)}, or one of the values")


def _check_word(value: Any, words: tuple[str, ...], field: str, more: str = "") -> None:
    if not is_word(value, *words):
        raise InvalidInput(f"{field}={shown(value)}: must be one of {', '.join(words)}{', ' + more if more else ''}")


def _check_texts(unit: Any, source: Any) -> None:
    rules.text(unit, "unit")
    rules.text(source, "source")


def _as_list(value: Any, field: str) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise InvalidInput(f"{field}: must be a list")
    return list(value)


def _check_apart(scale: str, low: float, high: float) -> None:
    """Bounds that a bent scale makes one number of leave no room for any value between them."""
    bend = {"log": math.log, "log1p": math.log1p}.get(scale)
    if bend is not None and bend(high) - bend(low) <= LEAST_APART * max(abs(bend(low)), abs(bend(high))):
        raise InvalidInput(f"bounds: too close to each other for scale={scale}, use scale=linear")


def _days(value: Any) -> tuple[str, str]:
    if value is None or rules.unfilled(value):
        rules.bounds_pair(None)
    pair = _as_list(value, "bounds")
    if len(pair) != 2:
        raise InvalidInput("bounds: must be a pair [first day, last day]")
    first, last = (rules.day(each, "bounds") for each in pair)
    if not first < last:
        raise InvalidInput(f"bounds=[{first}, {last}]: the first must be before the last")
    return first, last


def _within_days(chosen: str, bounds: tuple[str, str]) -> str:
    if not bounds[0] <= chosen <= bounds[1]:
        raise InvalidInput(f"missing={chosen}: must be within the bounds")
    return chosen


def _set(column: Column, **fields: object) -> None:
    """Keep checked values, plain ones, in a frozen column under construction."""
    for name, value in fields.items():
        object.__setattr__(column, name, value)
