"""One cell or label as Python's own text or number; nobody else's code is asked what it is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from equipoise._asking import asked, defines, is_a
from equipoise.rows.column_cells import held_by, unwrapped
from equipoise.rows.owned import NUMBERS

LARGEST_EXPONENT = 308
"""Of ten, in a double.  The digits of a decimal with a larger one would fill the memory."""


def plain_label(label: object) -> str | int | float | None:
    """Python's own text or number; None for anything else, whose comparisons are somebody else's code.

    A number of a subclass (an `IntEnum`, say), of NumPy, of Arrow or in an array of no dimension is the number that it
    holds, and so is a decimal, as databases write amounts.
    """
    held: Any = label
    if _is_plain(held):
        return held  # type: ignore[no-any-return]
    if type(held) is np.float64:
        return float.__float__(held)
    if is_a(held, str):
        return str.__str__(held)
    if not is_a(held, int, float, np.generic) and defines(type(held), "__array__"):
        held = asked(lambda: _held_in(label), None)
    if is_a(held, np.generic):
        return asked(lambda: _of_numpy(held), None)
    if is_a(held, bool, int, float, Decimal):
        return _of_python(held)
    inner = unwrapped(held)
    return None if inner is held else plain_label(inner)


def _is_plain(held: object) -> bool:
    """Whether it is Python's own already, of no subclass."""
    kind = type(held)
    return kind is float or kind is str or kind is int or kind is bool


def _of_python(number: Any) -> int | float:
    """The number that it holds, whatever a subclass says of it."""
    if is_a(number, bool):
        return number  # type: ignore[no-any-return]  # bool has no subclasses
    if is_a(number, Decimal):
        return _of_decimal(number)
    return int.__int__(number) if is_a(number, int) else float.__float__(number)


def _of_numpy(scalar: Any) -> int | float | None:
    """Whole numbers exactly, others as doubles: a long double may become infinite."""
    kind, held = held_by(scalar)
    if kind not in NUMBERS:
        return None
    with np.errstate(all="ignore"):
        plain: int | float = float(held) if kind == "f" else held
        return plain if _is_plain(plain) else None


def _of_decimal(label: Decimal) -> int | float:
    """Whole ones exactly, others as doubles."""
    if not Decimal.is_finite(label) or Decimal.adjusted(label) > LARGEST_EXPONENT:
        return float("nan") if Decimal.is_nan(label) else float("-inf" if Decimal.is_signed(label) else "inf")
    whole = Decimal.__int__(label)
    return whole if Decimal.__eq__(label, whole) is True else Decimal.__float__(label)


def _held_in(label: object) -> object:
    """The number in an array of no dimension; None where there is none, or it is masked."""
    if is_a(label, np.ma.MaskedArray):
        masked: Any = label
        return masked.data[()] if masked.ndim == 0 and not np.ma.getmaskarray(masked)[()] else None
    found = np.asarray(label)
    return found[()] if found.ndim == 0 else None


def number_of(label: object) -> float:
    """NaN for what is no number; a whole number beyond doubles is infinite."""
    plain = plain_label(label)
    if plain is None or isinstance(plain, str):  # Python's own by now
        return float("nan")
    try:
        return float(plain)
    except OverflowError:
        return float("inf") if plain > 0 else float("-inf")
