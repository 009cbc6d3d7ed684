"""Constants of the histogram density: boxes, grids, defaults from public facts."""

from __future__ import annotations

import math

import pytest

from equipoise.errors import InvalidInput
from equipoise.theory.tables import density
from equipoise.theory.tables.density import Box, cells_of, charge, default_candidates


def test_the_constants_are_those_of_the_proof() -> None:
    assert density.training_stability(100, 50.0, 8) == pytest.approx(4 * 100 * 8 / 50)
    assert density.validation_stability(8) == pytest.approx(16)


def test_the_held_out_sensitivity_is_that_of_the_worse_part() -> None:
    assert density.of_held_out(90, 90.0, 10, 4) == pytest.approx(8 / 10)
    assert density.of_held_out(10, 10.0, 90, 4) == pytest.approx(16 / 10)
    assert density.of_held_out(200, 200.0, 100, 4) == pytest.approx(6 * 4 / 300), "a third held out is balanced"


@pytest.mark.parametrize(("dimensions", "epsilon"), [(1, 1.0), (2, 0.1), (3, 5.0), (1, 1e9), (3, 1e9), (1, 1e-9)])
def test_default_candidates_double_from_one_and_stay_within_the_limit(dimensions: int, epsilon: float) -> None:
    sides = default_candidates(10_000, epsilon, dimensions)
    assert sides == tuple(2**power for power in range(len(sides)))
    assert cells_of((sides[-1],) * dimensions) <= density.MOST_CELLS
    assert len(sides) <= density.MOST_CANDIDATES


def test_more_rows_or_more_epsilon_allow_finer_grids() -> None:
    assert max(default_candidates(10_000, 1.0, 1)) == 256
    assert max(default_candidates(10_000, 0.1, 1)) == 64
    assert max(default_candidates(100, 1.0, 1)) == 32


def test_a_charge_grows_with_cells_and_noise_but_not_past_what_densities_can_differ_by() -> None:
    assert charge(1000, 10, 2.0) == pytest.approx(20 / 999 + 2 * (10 * 2 / 1000) ** 2)
    assert charge(1000, 10, 1e9) == pytest.approx(20 / 999 + 20)


@pytest.mark.parametrize(
    ("low", "high"),
    [((1.0,), (1.0,)), ((2.0,), (1.0,)), ((0.0,), (math.inf,)), ((math.nan,), (1.0,)), ((0.0,) * 4, (1.0,) * 4)],
    ids=["equal", "reversed", "infinite", "nan", "four dimensions"],
)
def test_a_box_that_cannot_be_cut_into_cells_is_refused(low: tuple[float, ...], high: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput, match="bounds"):
        Box(low, high)


def test_a_box_whose_size_doubles_cannot_hold_is_refused() -> None:
    for low, high in [((-1.7e308,), (1.7e308,)), ((0.0, 0.0), (1e-200, 1e-200)), ((0.0, 0.0), (1e200, 1e200))]:
        with pytest.raises(InvalidInput, match="rescale"):
            Box(low, high)


def test_too_many_cells_are_refused_and_the_limit_is_named() -> None:
    with pytest.raises(InvalidInput, match=str(density.MOST_CELLS)):
        cells_of((1000, 1000))
