"""One cell at a time: the number, word, truth or day that it holds, or nothing.  No cell is an error.

What a cell becomes is decided by that cell and the schema alone (docs/proofs/entrance.md).
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.rows.cells import plain_label
from equipoise.schema.rules import Value, canonical
from equipoise.schema.tables.table import Cells

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
T = TypeVar("T")

YES = ("true", "yes", "y", "t", "1")
NO = ("false", "no", "n", "f", "0")

MOST_DIFFERENT = 2**16
"""Whole numbers this close together are looked up in a list."""

FEW = 32
"""Of so few it is not worth finding out which are there."""


def numbers(cells: Cells, missing: tuple[str, ...]) -> Array:
    """Doubles, NaN where a cell is missing or is no number.  Infinities stay: clipping settles them."""
    if cells.dtype.kind in "fiub":
        with np.errstate(all="ignore"):
            return cells.astype(np.float64)
    return np.array([number_in(cell, missing) for cell in cells.tolist()], dtype=np.float64)


def number_in(cell: object, missing: tuple[str, ...]) -> float:
    """NaN for what is no number."""
    plain = plain_cell(cell)
    if plain is None or plain in missing:
        return math.nan
    if isinstance(plain, str) and "_" in plain:  # Python reads 1_000 as a number, nobody else does
        return math.nan
    try:
        return float(plain)
    except ValueError:
        return math.nan
    except OverflowError:  # a whole number beyond doubles
        return math.inf if plain > 0 else -math.inf  # type: ignore[operator]


def places(cells: Cells, values: Iterable[Value], missing: tuple[str, ...]) -> Places:
    """For each cell its place among the values; −1 where it is none of them, −2 where it is missing.

    A value that is listed is never missing, even if it is one of the missing words.
    """
    listed = tuple(values)
    known = {canonical(value): place for place, value in reversed(list(enumerate(listed)))}
    numeric = any(not isinstance(value, str) for value in listed)
    gone = set(missing) - set(known)

    def place(cell: object) -> int:
        plain = plain_cell(cell)
        if plain is None or (isinstance(plain, float) and math.isnan(plain)):
            return -2
        word = canonical(plain)
        if word in known:
            return known[word]
        if word in gone:
            return -2
        return known.get(_as_number(word), -1) if numeric else -1

    return np.asarray(_numbers_for(cells, place, np.intp), dtype=np.intp)


def truths(cells: Cells, yes: tuple[Value, ...], no: tuple[Value, ...], missing: tuple[str, ...]) -> Array:
    """1, 0, or NaN where a cell says neither."""
    folded = not yes
    known = {canonical(word): 1.0 for word in yes or YES} | {canonical(word): 0.0 for word in no or NO}

    def truth(cell: object) -> float:
        plain = plain_cell(cell)
        if plain is None or plain in missing:
            return math.nan
        word = canonical(plain)
        return known.get(word.lower() if folded else word, math.nan)

    return np.asarray(_numbers_for(cells, truth, np.float64), dtype=np.float64)


def days(cells: Cells, missing: tuple[str, ...]) -> Array:
    """Days since 1 January of year 1, NaN where a cell is no date.  A time of day does not count."""
    return np.array(_each(cells, lambda cell: _day(cell, missing)), dtype=np.float64)


def texts(cells: Cells, missing: tuple[str, ...]) -> list[str]:
    """Words as they are, "" where missing."""

    def words(cell: object) -> str:
        plain = plain_cell(cell)
        return "" if plain is None or plain in missing else canonical(plain)

    return _each(cells, words)


def ids(cells: Cells, missing: tuple[str, ...]) -> list[Any]:
    """Whom each cell names, compared as other values are: 3, 3.0 and "3" are one, blanks around a word do not count.

    None where it is missing; what is neither a word nor a number stays as it is.
    """
    gone = set(missing)

    def name(cell: object) -> Any:
        plain = plain_cell(cell)
        if plain is None or (isinstance(plain, float) and math.isnan(plain)):
            return cell
        word = canonical(plain)
        return None if word in gone else word

    return _each(cells, name)


def plain_cell(cell: object) -> str | int | float | bool | None:
    """Python's own text, without spaces around it, or number; None for anything else."""
    plain = plain_label(cell)
    return plain.strip() if isinstance(plain, str) else plain


def _day(cell: object, missing: tuple[str, ...]) -> float:
    if type(cell) is datetime.date or isinstance(cell, datetime.datetime):
        return _ordinal(cell)
    if isinstance(cell, np.datetime64):
        return day_number(str(cell)[:10])
    return math.nan if not isinstance(cell, str) or cell.strip() in missing else day_number(cell.strip()[:10])


def day_number(text: str) -> float:
    """Of an ISO date; NaN for what is none."""
    try:
        return float(datetime.date.fromisoformat(text).toordinal())
    except ValueError:
        return math.nan


def _ordinal(day: Any) -> float:
    try:
        return float(datetime.date(day.year, day.month, day.day).toordinal())
    except Exception:  # noqa: BLE001 - pandas' NaT is a datetime that is no date
        return math.nan


def _as_number(word: str) -> str:
    """ "3.0" as "3": how a table that had gaps writes whole numbers."""
    try:
        return canonical(float(word))
    except ValueError:
        return word


def _numbers_for(cells: Cells, rule: Callable[[object], float], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """A number for every cell; the rule is asked once for each different number in a column of numbers."""
    if cells.dtype.kind not in "iub" or not len(cells):
        return np.array(_each(cells, rule), dtype=dtype)
    low, high = int(cells.min()), int(cells.max())
    if high - low >= MOST_DIFFERENT:
        return np.array(_each(cells, rule), dtype=dtype)
    whole = cells.astype(np.int64) if cells.dtype != np.uint64 else cells
    shifted = (whole - low if low else whole).astype(np.intp, copy=False)
    there = np.arange(high - low + 1) if high - low < FEW else np.flatnonzero(np.bincount(shifted))
    found = np.zeros(high - low + 1, dtype=dtype)
    found[there] = [rule(cells.dtype.type(place + low).item()) for place in there.tolist()]
    return found.take(shifted)  # quicker than by brackets


def _each(cells: Cells, rule: Callable[[object], T]) -> list[T]:
    """The rule for every cell, asked once for each different word or number."""
    seen: dict[Any, T] = {}
    found = []
    for cell in cells.tolist():
        key = (type(cell), cell) if type(cell) in (str, int, float, bool, type(None)) else None
        if key is None:
            found.append(rule(cell))
            continue
        if key not in seen:
            seen[key] = rule(cell)
        found.append(seen[key])
    return found
