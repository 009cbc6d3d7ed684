"""Rounding towards privacy: on the safe side of exact arithmetic, by no more than can be seen, and in one place."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.theory import rounding
from equipoise.theory.rounding import (
    FEW_STEPS,
    FORMULA,
    GRID_ROOM,
    LONG_SUM,
    ONE_STEP,
    TAIL_BOUND,
    WELL_CLEAR,
    down,
    up,
)

SOURCE = Path(rounding.__file__).parents[1]
MARGINS = [ONE_STEP, FEW_STEPS, FORMULA, LONG_SUM, TAIL_BOUND, GRID_ROOM, WELL_CLEAR]
NUMBERS = st.floats(1e-290, 1e290)

FOLDERS = ("theory", "gate", "estimators", "inside", "ledger", "outside")
"""All that a release rests on; audits, studies and commands judge numbers that were rounded there."""


@pytest.mark.parametrize("margin", MARGINS)
@given(first=NUMBERS, second=st.floats(1e-10, 1e10))
def test_a_product_and_a_quotient_are_on_the_safe_side_of_the_exact_ones(
    margin: float, first: float, second: float
) -> None:
    product, quotient = Fraction(first) * Fraction(second), Fraction(first) / Fraction(second)
    assert Fraction(down(first * second, margin)) < product < Fraction(up(first * second, margin))
    assert Fraction(down(first / second, margin)) < quotient < Fraction(up(first / second, margin))


@pytest.mark.parametrize("margin", MARGINS)
@given(number=NUMBERS)
def test_no_margin_costs_what_can_be_seen(margin: float, number: float) -> None:
    assert up(number, margin) <= number * (1 + 2 * margin)
    assert down(number, margin) >= number * (1 - 2 * margin)


def test_nobody_rounds_by_a_factor_of_their_own() -> None:
    factor, constant = r"\* \(1 [+-] [0-9.]*e-[0-9]+\b", r"^\w+ = 1 [+-] [0-9.]*e-[0-9]"
    own = re.compile(rf"{factor}|{constant}|^_?(UP|DOWN|ROUND) = [0-9]", flags=re.M)
    found = {
        path.relative_to(SOURCE).as_posix()
        for folder in FOLDERS
        for path in (SOURCE / folder).rglob("*.py")
        if own.search(path.read_text(encoding="utf-8"))
    }
    assert not found
