"""Grids: exact both ways, half a step at most, and nothing unusual gets through."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.gate.noise import Grid

SECRET = 12345.678


@given(scale=st.floats(1e-200, 1e200), resolution_bits=st.integers(1, 60))
def test_the_step_is_the_largest_power_of_two_fine_enough(scale: float, resolution_bits: int) -> None:
    step = Grid.for_scale(scale, resolution_bits).step
    assert math.frexp(step)[0] == 0.5
    assert step <= math.ldexp(scale, -resolution_bits) < 2 * step


@given(value=st.floats(-1e9, 1e9))
def test_quantising_moves_a_value_by_half_a_step_at_most(value: float) -> None:
    grid = Grid(2.0**-10)
    moved = float(grid.restore(grid.quantise([value]))[0])
    assert abs(moved - value) <= grid.step / 2


@given(steps=st.integers(-(2**52), 2**52), exponent=st.integers(-900, 890))
def test_restoring_is_exact(steps: int, exponent: int) -> None:
    grid = Grid(2.0**exponent)
    restored = grid.restore(np.array([steps]))
    assert math.ldexp(float(restored[0]), -exponent) == steps
    assert grid.quantise(restored).tolist() == [steps]


@given(first=st.floats(allow_nan=False, allow_infinity=False), second=st.floats(allow_nan=False, allow_infinity=False))
def test_clamping_never_moves_two_values_apart(first: float, second: float) -> None:
    grid = Grid(1.0)
    left, right = (int(grid.quantise([value])[0]) for value in (first, second))
    assert max(abs(left), abs(right)) <= 2**52
    assert abs(left - right) <= abs(first - second) + 1


def test_values_beyond_the_range_are_clamped_even_when_the_quotient_overflows() -> None:
    grid = Grid(2.0**-800)
    assert grid.quantise([1e300, -1e300]).tolist() == [2**52, -(2**52)]
    top = np.array([2**62, -(2**62)])
    assert Grid(1.0).restore(top).tolist() == [2.0**53 - 1, 1 - 2.0**53]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused_without_quoting_data(bad: float) -> None:
    with pytest.raises(InvalidInput) as caught:
        Grid(1.0).quantise([SECRET, bad])
    assert str(SECRET) not in str(caught.value)


@pytest.mark.parametrize("step", [0.0, -1.0, 3.0, math.nan, math.inf, 2.0**-1000])
def test_a_step_that_is_no_ordinary_power_of_two_is_refused(step: float) -> None:
    with pytest.raises(InvalidInput, match="step="):
        Grid(step)


@pytest.mark.parametrize("scale", [1e-300, 1e300, 0.0, math.inf])
def test_a_scale_without_a_grid_is_refused(scale: float) -> None:
    with pytest.raises(InvalidInput, match="scale="):
        Grid.for_scale(scale)
