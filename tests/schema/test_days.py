"""Dates in text are read by a public pattern, on every Python alike."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.schema import Date
from equipoise.schema.days import day_in
from equipoise.schema.encoding import AdditiveEncoding, Encoding
from equipoise.schema.tables import read_table

FORMS = ("", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d%m%Y", "%d. %m. %Y")
LATER = ("", " 14:05", "T00:00:00", " 00:00:00.000", "Z")


def written(day: datetime.date, form: str) -> str:
    """Not by strftime, which leaves zeros out of early years."""
    return (
        (form or "%Y-%m-%d").replace("%Y", f"{day:%Y}".zfill(4)).replace("%m", f"{day:%m}").replace("%d", f"{day:%d}")
    )


@given(st.dates(), st.sampled_from(FORMS), st.sampled_from(LATER))
def test_a_day_is_read_as_it_was_written(day: datetime.date, form: str, later: str) -> None:
    assert day_in(written(day, form) + later, form) == day.toordinal()


@pytest.mark.parametrize(
    "text",
    ["", "x", "20200101XX", "2020-01-01XX", "2020", "2020-1-1", "2020-13-01", "2020-02-30", "2020-W01-1",
     "2020W011", "202001011", "2020-01-011", "01.02.2020", "2020-0101", "٢٠٢٠-٠١-٠١", "12020-01-01"],
)  # fmt: skip
def test_what_is_no_iso_date_is_none(text: str) -> None:
    assert math.isnan(day_in(text))


def test_days_and_months_of_one_digit_need_marks_between() -> None:
    assert day_in("1.2.2020", "%d.%m.%Y") == datetime.date(2020, 2, 1).toordinal()
    assert math.isnan(day_in("122020", "%d%m%Y"))
    assert math.isnan(day_in("31.12.20", "%d.%m.%Y"))
    assert math.isnan(day_in("2020-12-31", "%d.%m.%Y"))


@pytest.mark.parametrize("form", ["%d.%m", "%d.%m.%y", "%d %b %Y", "%Y-%Y-%d", "dd.mm.yyyy", "%d%d%m%Y", 3, "%dx%mx%Y"])
def test_a_format_that_is_none_is_refused_when_the_schema_is_loaded(form: object) -> None:
    fields = {"columns": {"x": {"kind": "date", "bounds": ["2020-01-01", "2021-01-01"], "format": form}}}
    with pytest.raises(InvalidInput, match="format"):
        eq.Schema.from_dict(fields)


def test_text_in_its_format_is_the_date_that_a_typed_table_has() -> None:
    day = datetime.date(2020, 3, 4)
    parts = ("time", "month", "day")
    stated, plain = (
        eq.Schema({"x": Date(("2020-01-01", "2021-01-01"), parts, format=form)}) for form in ("%d.%m.%Y", "")
    )
    for kind in (Encoding, AdditiveEncoding):
        right = kind(plain).rows(read_table({"x": [day, None]}))
        np.testing.assert_array_equal(kind(stated).rows(read_table({"x": ["04.03.2020", ""]})), right)
        np.testing.assert_array_equal(kind(stated).rows(read_table({"x": [day, None]})), right)
    assert eq.Schema.from_dict(stated.to_dict()) == stated
