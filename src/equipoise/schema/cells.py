"""One cell at a time: the number, word, truth or day that it holds, or nothing.  No cell is an error.

What a cell becomes is decided by that cell and the schema alone (docs/proofs/entrance.md).
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise._asking import asked, is_a
from equipoise.rows.cells import plain_label
from equipoise.rows.column_cells import unwrapped
from equipoise.rows.plain_ids import plain_id
from equipoise.schema.days import day_in
from equipoise.schema.listed import TRUTHS, Listed, number_in
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
    gone = missing_numbers(missing)
    if cells.dtype.kind in "fiub":
        with np.errstate(all="ignore"):
            found = cells.astype(np.float64)
        if gone:
            found[np.isin(found, gone)] = np.nan
        return found
    return np.array([_number_in(cell, missing, gone) for cell in cells.tolist()], dtype=np.float64)


@lru_cache(maxsize=64)  # asked for every block of a table in files
def missing_numbers(missing: tuple[str, ...]) -> tuple[float, ...]:
    """Those of the missing words that are numbers, such as -999: a table that has types holds no words there."""
    found = (_read(word) for word in missing)
    return tuple(number for number in found if math.isfinite(number))


def _number_in(cell: object, missing: tuple[str, ...], gone: Collection[float]) -> float:
    """NaN for what is no number."""
    plain = plain_cell(cell)
    if plain is None or plain in missing:
        return math.nan
    number = _read(plain)
    return math.nan if number in gone else number


def _read(plain: str | float) -> float:
    """The number that this is or says; NaN where it is none."""
    if isinstance(plain, str):
        return number_in(plain)
    try:
        return float(plain)
    except OverflowError:  # a whole number beyond doubles
        return math.inf if plain > 0 else -math.inf


def places(cells: Cells, values: Iterable[Value], missing: tuple[str, ...]) -> Places:
    """For each cell its place among the values; −1 where it is none of them, −2 where it is missing.

    A value that is listed is never missing, even if it is one of the missing words.
    """
    return np.asarray(_numbers_for(cells, _place_among(values, missing), np.intp), dtype=np.intp)


def labels(cells: Cells, classes: Iterable[Value], missing: tuple[str, ...]) -> Array:
    """The same as doubles, the first where a cell is none of the classes."""
    place = _place_among(classes, missing)
    return np.asarray(_numbers_for(cells, lambda cell: max(place(cell), 0), np.float64), dtype=np.float64)


def _place_among(values: Iterable[Value], missing: tuple[str, ...]) -> Callable[[object], int]:
    listed = tuple(values)
    known = Listed({canonical(value): place for place, value in reversed(list(enumerate(listed)))})
    gone = {word for word in missing if word not in known}
    none = {canonical(number) for number in missing_numbers(missing)}

    def place(cell: object) -> int:
        word = _word(cell)
        if word is None or word in gone:
            return -2
        return known.find(word, lambda: -2 if none and _as_number(word) in none else -1)

    return place


def truths(cells: Cells, yes: tuple[Value, ...], no: tuple[Value, ...], missing: tuple[str, ...]) -> Array:
    """1, 0, or NaN where a cell says neither.

    A word that is listed is never missing, as in `places`, and "1.0" is 1 there as well.  A cell that is a truth, by
    its type or spelt out, needs no word for it.
    """
    known = Listed({canonical(word): 1.0 for word in yes or YES} | {canonical(word): 0.0 for word in no or NO})
    gone = {word for word in missing if not yes or word not in known}

    def truth(cell: object) -> float:
        word = _word(cell)
        if word is None or word in gone:
            return math.nan
        said = word if yes else word.lower()
        return known.find(said, lambda: float(said.lower() == TRUTHS[0]) if said.lower() in TRUTHS else math.nan)

    return np.asarray(_numbers_for(cells, truth, np.float64), dtype=np.float64)


def days(cells: Cells, missing: tuple[str, ...], form: str = "") -> Array:
    """Days since 1 January of year 1, NaN where a cell is no date; text in this form, ISO without one.  A time of day
    does not count."""
    return np.array(_each(cells, lambda cell: _day(cell, missing, form)), dtype=np.float64)


def texts(cells: Cells, missing: tuple[str, ...]) -> list[str]:
    """Words as they are, "" where missing."""

    def words(cell: object) -> str:
        word = _word(cell)
        return "" if word is None or word in missing else word

    return _each(cells, words)


WITH_A_GAP = re.compile(r"(-?(?:0|[1-9]\d*))\.0+", re.ASCII)
"""A whole number, as text of a column that has a gap."""


def ids(cells: Cells, missing: tuple[str, ...]) -> list[Any]:
    """Whom each cell names, compared as other values are: 3, 3.0, "3" and "3.0" are one, blanks around a word do not
    count.  "03" is somebody else: ids are words, and zeros before them are often part of one.

    None where it is missing; what is neither a word nor a number stays as it is, and so does a decimal that no double
    equals: rounded it might be somebody else's.
    """
    gone = set(missing)

    def name(given: object) -> Any:
        cell = plain_id(given)
        plain = plain_cell(cell)
        if plain is None or (isinstance(plain, float) and math.isnan(plain)):
            return cell
        if is_a(cell, Decimal) and Decimal.__eq__(cell, plain) is not True:
            return cell
        word = canonical(plain)
        whole = WITH_A_GAP.fullmatch(word)
        plainly = whole[1] if whole else word
        plainly = "0" if plainly == "-0" else plainly
        return None if gone & {word, plainly} else plainly

    return _each(cells, name)


def plain_cell(cell: object) -> str | int | float | bool | None:
    """Python's own text, without spaces around it, or number; None for anything else."""
    plain = plain_label(cell)
    return plain.strip() if isinstance(plain, str) else plain


def _word(cell: object) -> str | None:
    """A word or number as it is compared; None where there is none."""
    plain = plain_cell(cell)
    return None if plain is None or (isinstance(plain, float) and math.isnan(plain)) else canonical(plain)


def _day(given: object, missing: tuple[str, ...], form: str) -> float:
    cell = unwrapped(given)
    if is_a(cell, datetime.date):
        return asked(lambda: _ordinal(cell), math.nan)  # pandas' NaT is a datetime that is no date
    if is_a(cell, np.datetime64):
        return day_in(asked(lambda: str.__str__(str(cell)), ""))
    plain = plain_cell(cell)
    return math.nan if not isinstance(plain, str) or plain in missing else day_in(plain, form)


def _ordinal(day: Any) -> float:
    return float(datetime.date(day.year, day.month, day.day).toordinal())


def _as_number(word: str) -> str:
    """ "3.0" as "3": how a table that had gaps writes whole numbers."""
    number = _read(word)
    return canonical(number) if math.isfinite(number) else word


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
        kind = type(cell)
        if not (kind is str or kind is float or kind is int or kind is bool or cell is None):
            found.append(rule(cell))
            continue
        key = kind, cell
        if key not in seen:
            seen[key] = rule(cell)
        found.append(seen[key])
    return found
