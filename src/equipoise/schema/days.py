"""Dates in text: year, month and day by a public pattern, whatever Python or its locale would make of them."""

from __future__ import annotations

import datetime
import math
import re
from functools import lru_cache

END = r"(?=[T Z+]|\Z)"
"""A time of day may follow, or a zone."""

ISO = re.compile(rf"(?P<Y>\d{{4}})(?P<mark>-?)(?P<m>\d{{2}})(?P=mark)(?P<d>\d{{2}}){END}", re.ASCII)
"""2024-12-31 or 20241231."""

MARKS = "[ ./,:-]*"
"""What may stand between year, month and day."""

FORM = re.compile(f"%([Ymd])({MARKS})%([Ymd])({MARKS})%([Ymd])")


@lru_cache(maxsize=64)
def pattern(form: str) -> re.Pattern[str] | None:
    """Of a form such as %d.%m.%Y: year, month and day once each, marks between; "" is ISO, None where it is no form.

    Without marks a month or a day has two digits: how much of 1112020 is the day?
    """
    if not form:
        return ISO
    parts = FORM.fullmatch(form)
    if parts is None or {parts[1], parts[3], parts[5]} != {"Y", "m", "d"}:
        return None
    short = r"\d{1,2}" if parts[2] and parts[4] else r"\d{2}"
    digits = {"Y": r"\d{4}", "m": short, "d": short}
    first, second, third = (f"(?P<{each}>{digits[each]})" for each in (parts[1], parts[3], parts[5]))
    return re.compile(rf"{first}{re.escape(parts[2])}{second}{re.escape(parts[4])}{third}{END}", re.ASCII)


def day_in(text: str, form: str = "") -> float:
    """Days since 1 January of year 1; NaN for what is no date."""
    found = (pattern(form) or ISO).match(text)
    if found is None:
        return math.nan
    try:
        return float(datetime.date(int(found["Y"]), int(found["m"]), int(found["d"])).toordinal())
    except ValueError:  # 31 February
        return math.nan
