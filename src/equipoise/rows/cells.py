"""One cell or label as Python's own text or number; nobody else's code is asked what it is."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from equipoise.rows.column_cells import unwrapped
from equipoise.rows.owned import NUMBERS

LARGEST_EXPONENT = 308
"""Of ten, in a double.  The digits of a decimal with a larger one would fill the memory."""


def plain_label(label: object) -> str | int | float | None:
    """Python's own text or number; None for anything else, whose comparisons are somebody else's code.

    A number of a subclass (an `IntEnum`, say), of NumPy, of Arrow or in an array of no dimension is the number that it
    holds, and so is a decimal, as databases write amounts.
    """
    if isinstance(label, str):
        return str.__str__(label)
    if not isinstance(label, int | float | np.generic) and hasattr(type(label), "__array__"):
        label = _held_in(label)
    if isinstance(label, np.generic):
        return _of_numpy(label)
    if isinstance(label, bool):
        return label
    if isinstance(label, Decimal):
        return _of_decimal(label)
    if isinstance(label, int):
        return int.__int__(label)
    if isinstance(label, float):
        return float.__float__(label)
    held = unwrapped(label)
    return None if held is label else plain_label(held)


def _of_numpy(scalar: Any) -> int | float | None:
    """Whole numbers exactly, others as doubles: a long double may become infinite."""
    kind = scalar.dtype.kind
    if kind not in NUMBERS:
        return None
    with np.errstate(all="ignore"):
        plain: int | float = float(scalar) if kind == "f" else scalar.item()
        return plain


def _of_decimal(label: Decimal) -> int | float:
    """Whole ones exactly, others as doubles."""
    if not Decimal.is_finite(label) or Decimal.adjusted(label) > LARGEST_EXPONENT:
        return float("nan") if Decimal.is_nan(label) else float("-inf" if Decimal.is_signed(label) else "inf")
    whole = Decimal.__int__(label)
    return whole if Decimal.__eq__(label, whole) is True else Decimal.__float__(label)


def _held_in(label: object) -> object:
    """The number in an array of no dimension; None where there is none, or it is masked."""
    if isinstance(label, np.ma.MaskedArray):
        return label.data[()] if label.ndim == 0 and not np.ma.getmaskarray(label)[()] else None
    try:
        found = np.asarray(label)
    except (Exception, SystemExit):  # noqa: BLE001 - somebody else's code
        return None
    return found[()] if found.ndim == 0 else None


def number_of(label: object) -> float:
    """NaN for what is no number; a whole number beyond doubles is infinite."""
    plain = plain_label(label)
    if plain is None or isinstance(plain, str):
        return float("nan")
    try:
        return float(plain)
    except OverflowError:
        return float("inf") if plain > 0 else float("-inf")
