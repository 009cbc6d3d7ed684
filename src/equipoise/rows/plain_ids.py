"""One id as a value that can be compared: numbers as Python's own, and what holds others by what it holds.

A row whose id cannot be compared counts as a person of its own, whom no cap holds.  So a list, an array or a mapping,
which Python does not compare, is made into something that it does: two of them that hold the same are one id.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set, Sized
from functools import lru_cache
from typing import Any

import numpy as np

from equipoise.rows.column_cells import cells_in, is_column, loaded, unwrapped

NUMBERS = "biufc"
"""Kinds of NumPy's scalars that are numbers, complex ones among them."""


def plain_id(each: Any) -> Any:
    """None where there is no id, or where somebody else's code fails to say what it holds."""
    try:
        return _or_nothing(each)
    except (Exception, SystemExit):  # noqa: BLE001 - an id may be an object with ideas of its own
        return None


def _or_nothing(each: Any) -> Any:
    """None for what does not equal itself, as NaN does not.  Within an id of several parts all gaps are equal, or such
    an id would equal none."""
    plain = each if _compared_as_it_is(type(each)) else _plain(each)  # type: ignore[arg-type]  # types are hashable
    return None if plain is None or not _equals_itself(plain) else plain


def _equals_itself(plain: Any) -> bool:
    try:
        return bool(plain == plain)
    except (Exception, SystemExit):  # noqa: BLE001 - pandas' NA has no truth
        return False


@lru_cache(maxsize=256)  # asked for every row
def _compared_as_it_is(kind: type) -> bool:
    """Words, Python's numbers, days, and whatever else says that it can be compared and holds no cells."""
    arrow = loaded()[2]
    holders = (np.generic, tuple, Set, memoryview, *(() if arrow is None else (arrow.Scalar,)))
    return issubclass(kind, Hashable) and not issubclass(kind, holders) and not hasattr(kind, "__array__")


def _plain(each: Any) -> Any:
    """NumPy's numbers as Python's own.  Some of theirs cannot be compared with a decimal of the same value: whether an
    id can be told would then depend on somebody else's.  Arrow's cells as what they hold: its gaps equal each other."""
    inner = unwrapped(each)
    if inner is not each:
        return _or_nothing(inner)
    if isinstance(each, np.generic):
        kind = each.dtype.kind
        return each.item() if kind in NUMBERS else _or_nothing(each.item()) if kind == "V" else each
    if isinstance(each, bytearray | memoryview):
        return bytes(each)
    if isinstance(each, Mapping):
        return frozenset((_or_nothing(name), _or_nothing(held)) for name, held in each.items()) or None
    if isinstance(each, Set):
        return frozenset(map(_or_nothing, each)) or None
    held = _held(each)
    return each if held is None else _together(held)


def _together(held: list[Any]) -> Any:
    """What a list of one holds, as for a label; nothing for an empty one."""
    parts = tuple(map(_or_nothing, held))
    return parts if len(parts) > 1 else parts[0] if parts else None


def _held(each: Any) -> list[Any] | None:
    """The cells of a list, an array or a column; None for what is none of them."""
    if isinstance(each, tuple | list):
        return [*each]
    if isinstance(each, np.ma.MaskedArray):
        return [each.tolist()]
    if is_column(each):
        return cells_in(each)
    if hasattr(type(each), "__array__"):
        found = np.asarray(each)
        return [found[()]] if found.ndim == 0 else list(found)
    return [*each] if isinstance(each, Sized) and isinstance(each, Iterable) else None
