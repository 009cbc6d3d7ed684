"""Checks of what a schema says.  Each takes the field's name and gives the value in plain types, or one clear line."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Any

from equipoise._checks import LARGEST, SMALLEST, shown
from equipoise.errors import BoundsRequired, InvalidInput

Value = str | int | float | bool
"""One of the values that a category lists."""

MOST_VALUES = 10_000
"""Of one category: each is a column of the encoded table."""

WIDEST = 1024
"""Bits of a whole number that is compared by its digits: Python refuses to write down very long ones."""

TO_FILL = "fill in"
"""What a template writes where a person has to say something."""


def unfilled(value: Any) -> bool:
    """Whether a template's blank is still there."""
    if isinstance(value, list | tuple):
        return any(unfilled(each) for each in value)
    return isinstance(value, str) and value.strip().lower().startswith(TO_FILL)


def bounds_pair(value: Any, field: str = "bounds") -> tuple[float, float]:
    """(low, high), finite, the first below the second."""
    if value is None or unfilled(value):
        raise BoundsRequired(f"{field}: give [low, high] from public knowledge, a bound found in the data is a leak")
    try:
        low, high = (finite(edge, field) for edge in value)
    except (TypeError, ValueError) as problem:
        if isinstance(problem, InvalidInput):
            raise
        raise InvalidInput(f"{field}: must be a pair [low, high]") from None
    if not low < high:
        raise InvalidInput(f"{field}=[{low:g}, {high:g}]: the first must be below the second")
    if max(abs(low), abs(high)) > LARGEST or high - low < SMALLEST:
        raise InvalidInput(f"{field}=[{low:g}, {high:g}]: must be within {LARGEST:g}, choose other units")
    return low, high


def finite(value: Any, field: str) -> float:
    """A finite number; the schema is public, so its own values may be quoted."""
    if unfilled(value):
        raise BoundsRequired(f"{field}: give a number from public knowledge, one found in the data is a leak")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{field}={shown(value)}: must be a number")
    if abs(value) > LARGEST or not math.isfinite(value):
        raise InvalidInput(f"{field}={shown(value)}: must be finite, within {LARGEST:g}")
    return float(value)


def values_list(value: Any, field: str = "values", fewest: int = 1) -> tuple[Value, ...]:
    """Different values, in the given order; told apart as they are read (3, 3.0 and "3" are one)."""
    if value is None or unfilled(value):
        raise BoundsRequired(f"{field}: list them from public knowledge, a list found in the data is a leak")
    try:
        listed = () if isinstance(value, str) else tuple(value)
    except TypeError:
        listed = ()
    if not listed and not isinstance(value, list | tuple):
        raise InvalidInput(f"{field}: must be a list")
    if any(not isinstance(each, str | int | float | bool) for each in listed):
        raise InvalidInput(f"{field}: must be words, numbers, true or false; put quotes around anything else")
    if any(isinstance(each, float) and not math.isfinite(each) for each in listed):
        raise InvalidInput(f"{field}: a number must be finite; put quotes around a word such as nan")
    if any(isinstance(each, int) and each.bit_length() > WIDEST for each in listed):
        raise InvalidInput(f"{field}: a whole number must have at most {WIDEST} bits; put quotes around a longer one")
    if not fewest <= len(listed) <= MOST_VALUES:
        raise InvalidInput(f"{field}: list {fewest} to {MOST_VALUES} values")
    if len({canonical(each) for each in listed}) < len(listed):
        raise InvalidInput(f"{field}: a value is listed twice")
    return listed


def canonical(value: Value) -> str:
    """How a value is compared with a cell: 3, 3.0 and "3" are the same, and blanks around a word do not count."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, int) and value.bit_length() > WIDEST:
        return hex(value)
    return value.strip() if isinstance(value, str) else repr(value)


def day(value: Any, field: str) -> str:
    """An ISO date, as text."""
    if isinstance(value, datetime.datetime):
        value = value.date()
    if isinstance(value, datetime.date):
        return value.isoformat()
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        raise InvalidInput(f"{field}={shown(value)}: must be a date like 2024-12-31") from None


def text(value: Any, field: str) -> str:
    """Free text."""
    if not isinstance(value, str):
        raise InvalidInput(f"{field}: must be text")
    return value


def check_writable(told: Any, where: str = "schema") -> None:
    """No text anywhere in plain data may hold half a character, as "\\ud800" in YAML makes one: it is published with a
    model, in files that could not hold it."""
    if isinstance(told, str):
        try:
            told.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidInput(f"{where}: holds half a character (a surrogate), write it with whole ones") from None
    elif isinstance(told, Mapping):
        for name, what in told.items():
            check_writable(name, f"{where}: {name!r}")
            check_writable(what, f"{where}: {name}")
    elif isinstance(told, list | tuple):
        for each in told:
            check_writable(each, where)


def column_name(value: Any) -> str:
    """The name of a column, filled in."""
    if unfilled(value) or not text(value, "column").strip():
        raise InvalidInput("column: say which one")
    return str(value)


def whole_number(value: Any, field: str, low: int, high: int) -> int:
    """An integer within these limits."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(f"{field}={shown(value)}: must be a whole number from {low} to {high}")
    return value
