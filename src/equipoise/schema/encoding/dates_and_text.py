"""Dates by their parts, and free text by the words in it."""

from __future__ import annotations

import datetime
import math
import re
import zlib

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise.schema import cells
from equipoise.schema.columns import INDICATOR, Date, Text
from equipoise.schema.days import day_in
from equipoise.schema.encoding.block import MISSING, Array, Block, Rows
from equipoise.schema.tables.table import Cells

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WORD = re.compile(r"\w+")


def date_block(name: str, column: Date, missing_words: tuple[str, ...]) -> Block:
    """The parts side by side; the length of a row is that of one part times the root of their number."""
    low, high = (day_in(day) for day in column.bounds)
    marked = column.missing == INDICATOR
    fill = day_in(column.missing) if column.missing not in ("middle", INDICATOR) else math.nan
    size = 1.0 / math.sqrt(len(column.parts))

    def encode(held: Cells) -> Array:
        days = np.clip(cells.days(held, missing_words, column.format), low, high)
        days = np.where(np.isnan(days), fill, days)
        found = size * np.column_stack([part_of(part, days, low, high) for part in column.parts])
        return np.column_stack([found, np.isnan(days)]) if marked else found

    names = tuple(f"{name}{slot}" for part in column.parts for slot in _slots(part))
    return Block(name, (*names, f"{name}: {MISSING}") if marked else names, encode)


def _slots(part: str) -> tuple[str, ...]:
    if part == "month":
        return tuple(f"={month}" for month in MONTHS)
    return tuple(f"={day}" for day in WEEKDAYS) if part == "weekday" else (f": {part}",)


def part_of(part: str, days: Array, low: float, high: float) -> Array:
    """(rows, slots) of length at most 1; zeros where there is no date."""
    if part == "time":
        return np.nan_to_num((days - low) / (high - low) * 2.0 - 1.0)[:, None]
    found = np.zeros((len(days), len(_slots(part))))
    first, last = (datetime.date.fromordinal(int(edge)).year for edge in (low, high))
    for row, number in enumerate(days.tolist()):
        if math.isnan(number):
            continue
        day = datetime.date.fromordinal(int(number))
        if part == "month":
            found[row, day.month - 1] = 1.0
        elif part == "weekday":
            found[row, day.weekday()] = 1.0
        elif part == "day":
            found[row, 0] = (day.day - 16) / 15
        else:
            found[row, 0] = (day.year - first) / max(1, last - first) * 2.0 - 1.0
    return found


def text_block(name: str, column: Text, missing_words: tuple[str, ...]) -> Block:
    """Different words, hashed into public buckets, scaled so that a row has length 1."""

    def encode(held: Cells) -> Rows:
        found = [_buckets(text, column.buckets) for text in cells.texts(held, missing_words)]
        ends = np.cumsum([0, *(len(places) for places, _ in found)])
        places = np.concatenate([np.zeros(0, dtype=np.intp), *(places for places, _ in found)])
        sizes = np.concatenate([np.zeros(0), *(sizes for _, sizes in found)])
        return csr_array((sizes, places, ends), shape=(len(found), column.buckets))

    return Block(name, tuple(f"{name}#{bucket}" for bucket in range(column.buckets)), encode)


def _buckets(text: str, buckets: int) -> tuple[npt.NDArray[np.intp], Array]:
    """The buckets that the words of one text fall into, and how much each counts."""
    hashes = [zlib.crc32(word.encode("utf-8", "replace")) % buckets for word in set(WORD.findall(text.lower()))]
    places, counts = np.unique(np.array(hashes, dtype=np.intp), return_counts=True)
    return places, counts / max(1.0, math.sqrt(float(np.square(counts).sum())))
