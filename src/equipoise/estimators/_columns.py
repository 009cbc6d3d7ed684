"""What a caller states of columns: of all alike, one after the other, or by place or name.  Linear and additive models
read it by the same rules; every refusal is about what was stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from equipoise._checks import quoted
from equipoise.errors import BoundsRequired, InvalidInput

Names = Callable[[], tuple[str, ...]]
"""Of the columns, asked for only where one is named; it refuses where they have none."""

NAMELESS = "X: has no column names, give a data frame or name columns by their places"
RANGES = "column_bounds: must be pairs (low, high), one for all columns, a list of one each, or {column: (low, high)}"


def names_of(estimator: Any) -> tuple[str, ...] | None:
    """Of the columns that it has seen, where they had some."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else tuple(str(name) for name in names)


def listed(given: Any, parameter: str) -> list[Any]:
    """A sequence of the caller's; nothing where there is none."""
    if given is None:
        return []
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence | np.ndarray):
        raise InvalidInput(f"{parameter}: must be a list")
    if isinstance(given, np.ndarray) and given.ndim == 0:
        raise InvalidInput(f"{parameter}: must be a list")
    return list(given)


def by_place(given: Any, parameter: str, width: int, names: Names) -> dict[int, Any]:
    """What is said of each column that is spoken of."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{parameter}: must say for which column, {{column: ...}}")
    found = {place_of(key, parameter, width, names): value for key, value in given.items()}
    if len(found) < len(given):
        raise InvalidInput(f"{parameter}: speaks of one column twice")
    return found


def place_of(key: Any, parameter: str, width: int, names: Names) -> int:
    """Of a column, by its name or its place."""
    if isinstance(key, str):
        known = names()
        if key not in known:
            raise InvalidInput(f"{parameter}: no column is called {quoted(key)}")
        return known.index(key)
    if isinstance(key, bool) or not isinstance(key, int | np.integer) or not 0 <= key < width:
        raise InvalidInput(f"{parameter}: {quoted(key)} is no column, give its name or its place, 0 to {width - 1}")
    return int(key)


def ranges(column_bounds: Any, width: int, names: Names) -> dict[int, Any]:
    """The caller's (low, high) pairs by place: of all columns alike, or of those that are spoken of."""
    if column_bounds is None or isinstance(column_bounds, Mapping):
        return by_place(column_bounds, "column_bounds", width, names)
    pairs = listed(column_bounds, "column_bounds")
    if len(pairs) == 2 and all(isinstance(edge, Real) for edge in pairs):
        return dict.fromkeys(range(width), pairs)
    if len(pairs) != width:
        raise InvalidInput(f"column_bounds: give one (low, high) pair for each of the {width} columns")
    return dict(enumerate(pairs))


def every_range(
    column_bounds: Any, width: int, names: tuple[str, ...] | None
) -> tuple[tuple[float, float], ...] | None:
    """The same where all columns are numbers, so that each must have one; None where nothing is stated.

    Before there is a table a plan does not mind the order of columns that are named.
    """
    if column_bounds is None:
        return None

    def known() -> tuple[str, ...]:
        told = names or tuple(key for key in column_bounds if isinstance(key, str))
        if len(told) != width:
            raise InvalidInput(f"column_bounds: names {len(told)} of {width} columns, state the range of each")
        return told

    try:
        given = column_bounds if isinstance(column_bounds, Mapping) else list(column_bounds)
    except TypeError:
        raise InvalidInput(RANGES) from None
    found = ranges(given, width, known)
    for place in range(width):
        if place not in found:
            called = place if names is None else quoted(names[place])
            raise BoundsRequired(f"column_bounds: column {called} has none, state its public range")
    try:
        return tuple((low, high) for low, high in (found[place] for place in range(width)))
    except (TypeError, ValueError):
        raise InvalidInput(RANGES) from None


def refuse_nameless(column_bounds: Any, names: tuple[str, ...] | None) -> None:
    """Ranges by name for a table without names: whose they are would be a guess."""
    if names is None and isinstance(column_bounds, Mapping) and any(isinstance(key, str) for key in column_bounds):
        raise InvalidInput(NAMELESS)
