"""Whom a cell names under a schema: one person for every spelling of one number, whatever the cell's type."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.rows.persons import people_in
from equipoise.schema.cells import ids


def column(*cells: Any) -> Any:
    return np.fromiter(cells, dtype=object, count=len(cells))


def people(*cells: Any) -> int:
    return people_in(ids(column(*cells), ("", "NA")), len(cells), 1).count


@pytest.mark.parametrize("zero", ["0", "-0", "0.0", "-0.0", "-0.000", " -0 ", 0, 0.0, -0.0, False, Decimal("-0.0")])
def test_nought_is_one_person_with_and_without_a_sign(zero: Any) -> None:
    if zero is not False:  # a truth is a word of its own under a schema
        assert ids(column(zero), ()) == ["0"]
        assert people(zero, "0", "-0.0", 0) == 1


@given(number=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70))
def test_a_number_and_its_plain_spellings_are_one_person(number: float) -> None:
    """As Python, NumPy and a file with a gap write it."""
    spelt = [repr(number), f" {number!r} "]
    if isinstance(number, int):
        spelt += [f"{number}.0", f"{number}.00"]
        held: list[Any] = [number, Decimal(number)]
    else:
        held = [number, np.float64(number), np.array(number)]
    if number == 0:
        spelt += ["0", "-0", "0.0", "-0.0"]
    assert people(*held, *spelt) == 1


@given(one=st.integers(-99, 99), other=st.integers(-99, 99))
def test_different_numbers_are_different_people(one: int, other: int) -> None:
    spelt = [str(one), f"{one}.0", one, float(one)], [str(other), f"{other}.0", other, float(other)]
    for mine in spelt[0]:
        for theirs in spelt[1]:
            assert people(mine, theirs) == (1 if one == other else 2)


def test_zeros_before_a_number_are_part_of_a_word() -> None:
    assert people("03", "3", "003") == 3
    assert people("-00", "0", "00") == 3
    assert people("nan", "NA", math.nan) == 3  # a word of its own, and two that are missing
