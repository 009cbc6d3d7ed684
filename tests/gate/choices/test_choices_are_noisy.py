"""Choices of a grid and rounding of scores, where the ordinary attacks look at scores and coins apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.gate import bits_from
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.tables import density
from equipoise.inside import Private
from equipoise.inside.tables.density import Points
from equipoise.ledger import Ledger
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.density import Box

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  The draws are seeded, so nothing flickers."""

DRAWS = 120


@pytest.mark.parametrize("sizes", [None, (20, 20)])
def test_with_next_to_no_epsilon_every_grid_is_chosen_now_and_then(sizes: tuple[int, int] | None) -> None:
    """Three grids with clearly different scores, each chosen with probability above 1/4: 3·(3/4)¹²⁰ < 1e-14."""
    plan = density.plan(Box((0.0,), (1.0,)), ((1,), (2,), (8,)), 40, Budget(1e-4), share=0.5, sizes=sizes)
    points = Private(Points(np.full((40, 1), 0.9)))
    split = None if sizes is None else density.Split(np.arange(20), np.arange(20, 40))
    bits, chosen = bits_from(2), set()
    for _ in range(DRAWS):
        with Ledger().reserve(plan.event) as entry:
            chosen.add(density.choose(points, plan, split, entry, bits))
    assert chosen == {0, 1, 2}


@pytest.mark.parametrize("sensitivity", [1.0, 1 + 2.0**-20, 1 + 3 * 2.0**-20, 0.3, 7.7])
def test_scores_a_sensitivity_apart_are_no_more_steps_apart_than_the_coins_allow(sensitivity: float) -> None:
    """Scores half-way between two steps are rounded apart: one step more, and arithmetic is given another."""
    grid = grid_for(sensitivity)
    moved = steps_moved(sensitivity, grid)
    starts: npt.NDArray[np.float64] = grid.step * np.arange(-20, 20, 0.5)
    apart = grid.quantise(starts + sensitivity) - grid.quantise(starts)
    assert apart.max() <= moved - 1
    assert moved >= Fraction(sensitivity) / Fraction(grid.step) + 2
