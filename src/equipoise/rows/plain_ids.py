"""One id as a value that can be compared: numbers as Python's own, and what holds others by what it holds.

A row whose id cannot be compared counts as a person of its own, whom no cap holds.  So a list, an array or a mapping,
which Python does not compare, is made into something that it does: two of them that hold the same are one id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from functools import lru_cache
from typing import Any

import numpy as np

from equipoise._asking import asked, defines, is_a, is_kind
from equipoise.rows.column_cells import cells_in, held_by, is_column, loaded, unwrapped

NUMBERS = "biufc"
"""Kinds of NumPy's scalars that are numbers, complex ones among them."""


def plain_id(each: Any) -> Any:
    """None where there is no id, or where somebody else's code fails to say what it holds."""
    kind = type(each)
    if kind is str or kind is int:  # most ids are, and nothing is to be asked
        return each
    return asked(lambda: _or_nothing(each), None)


def _or_nothing(each: Any) -> Any:
    """None for what does not equal itself, as NaN does not.  Within an id of several parts all gaps are equal, or such
    an id would equal none."""
    kind = type(each)
    plainly = type(kind) is type  # others might be hashed by their metaclass
    as_it_is: Callable[[Any], bool] = _remembered if plainly else _compared_as_it_is
    plain = each if as_it_is(kind) else _plain(each)
    return None if plain is None or not _equals_itself(plain) else plain


def _equals_itself(plain: Any) -> bool:
    return asked(lambda: bool(plain == plain), otherwise=False)  # pandas' NA has no truth


def _compared_as_it_is(kind: type) -> bool:
    """Words, Python's numbers, days, and whatever else says that it can be compared and holds no cells."""
    arrow = loaded()[2]
    holders = (np.generic, tuple, memoryview, *(() if arrow is None else (arrow.Scalar,)))
    holds = issubclass(kind, holders) or is_kind(kind, Set) or defines(kind, "__array__")
    return defines(kind, "__hash__") and not holds


_remembered = lru_cache(maxsize=256)(_compared_as_it_is)  # asked for every row


def _plain(each: Any) -> Any:
    """NumPy's numbers as Python's own.  Some of theirs cannot be compared with a decimal of the same value: whether an
    id can be told would then depend on somebody else's.  Arrow's cells as what they hold: its gaps equal each other."""
    inner = unwrapped(each)
    if inner is not each:
        return _or_nothing(inner)
    if is_a(each, np.generic):
        kind, held = held_by(each)
        return held if kind in NUMBERS else _or_nothing(held) if kind == "V" else each
    if is_a(each, bytearray, memoryview):
        return bytes(each)
    if is_kind(type(each), Mapping):
        return frozenset((_or_nothing(name), _or_nothing(held)) for name, held in each.items()) or None
    if is_kind(type(each), Set):
        return frozenset(map(_or_nothing, each)) or None
    held = _held(each)
    return each if held is None else _together(held)


def _together(held: list[Any]) -> Any:
    """What a list of one holds, as for a label; nothing for an empty one."""
    parts = tuple(map(_or_nothing, held))
    return parts if len(parts) > 1 else parts[0] if parts else None


def _held(each: Any) -> list[Any] | None:
    """The cells of a list, an array or a column; None for what is none of them."""
    if is_a(each, tuple, list):
        return [*each]
    if is_a(each, np.ma.MaskedArray):
        return [each.tolist()]
    if is_column(each):
        return cells_in(each)
    kind = type(each)
    if defines(kind, "__array__"):
        found = np.asarray(each)
        return [found[()]] if found.ndim == 0 else list(found)
    return [*each] if defines(kind, "__len__") and defines(kind, "__iter__") else None
