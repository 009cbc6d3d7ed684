"""Private quantiles attacked: neighbours reach the sensitivity, choices never cost more than ε, ranks are as stated."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.tables.quantiles import QuantilesPlan, release
from equipoise.inside.tables.quantiles import enter_values, rank_scores
from equipoise.ledger import Ledger
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.quantiles import MOST_RECORDS, RANK_MOVED

Array = npt.NDArray[np.float64]
GRID = np.linspace(0.0, 1.0, 9)


def scores(values: list[float], order: float) -> Array:
    return rank_scores(enter_values(np.array(values), 0.0, 1.0), GRID, order).reveal()


@pytest.mark.parametrize("order", [0.0, 0.01, 0.5, 0.99, 1.0])
def test_replacing_a_record_reaches_the_sensitivity_and_never_passes_it(order: float) -> None:
    rng, worst = np.random.default_rng(2), 0.0
    pool = [0.0, 0.2, 0.5, 1.0, math.nan, -9.0, math.inf]
    for _ in range(400):
        values = rng.choice(pool, 5).tolist()
        other = [rng.choice(pool), *values[1:]]
        worst = max(worst, float(np.abs(scores(values, order) - scores(other, order)).max()))
    assert 1.0 - 1e-9 <= worst <= RANK_MOVED + 1e-9


def test_the_best_cell_holds_the_quantile_of_the_values_that_are_there() -> None:
    values = [*np.linspace(0, 1, 101).tolist(), math.nan, math.nan]
    for order in (0.1, 0.45, 0.9):
        assert np.flatnonzero(scores(values, order) == 0).tolist() == [int(order * 8)]


def test_cells_below_all_values_are_as_far_off_as_the_quantile_is_high() -> None:
    """However many values one step of the grid holds."""
    found = scores([0.9] * 100, 0.05)
    assert found.tolist() == [-5.0] * 7 + [0.0]
    assert scores([0.0] * 100, 0.05).tolist() == [-95.0] + [-95.0] * 7


@pytest.mark.parametrize(("epsilon", "columns"), [(1.0, 1), (0.1, 3), (1 / 3, 7), (9.0, 50)])
def test_all_choices_together_cost_epsilon_and_no_more(epsilon: float, columns: int) -> None:
    plan = QuantilesPlan(100, columns, 8, (0.01, 0.99), Budget(epsilon))
    spent = Fraction(plan.event.epsilon) * plan.event.steps
    assert plan.event.steps == 2 * columns
    assert Fraction(epsilon) * Fraction(0.999999) <= spent <= Fraction(epsilon)


def chosen(values: list[float], plan: QuantilesPlan, seed: int) -> tuple[int, int]:
    with Ledger().reserve(plan.event) as entry:
        return release([(enter_values(np.array(values), 0.0, 1.0), GRID)], plan, entry, bits_from(seed))[0]


def test_choices_have_the_law_of_permute_and_flip_at_their_share() -> None:
    """Two candidates matter: one behind by r ranks is chosen with probability e^{−ε′r/2}/2.  1,200 seeded draws: a
    right law is rejected with probability below 1e-6, and one at twice the rate is caught."""
    plan, grid = QuantilesPlan(4, 1, 2, (0.5, 0.5), Budget(1.0)), np.array([0.0, 0.5, 1.0])
    values, seen = enter_values(np.array([0.3, 0.3, 0.3, 0.9]), 0.0, 1.0), 0
    for seed in range(1200):
        with Ledger().reserve(plan.event) as entry:
            seen += release([(values, grid)], plan, entry, bits_from(seed))[0][0] == 1
    behind = 1.0  # three values are at most 1/2, two are wanted
    law, twin = (math.exp(-rate * behind / 2) / 2 for rate in (plan.share, 2 * plan.share))
    wide = 5 * math.sqrt(law * (1 - law) / 1200)
    assert abs(seen / 1200 - law) < wide
    assert abs(law - twin) > 0.04


def test_neighbours_choose_alike() -> None:
    """Exact: no output of one choice is more than e^ε′ times as likely; 700 seeded draws at ε′ = .5 see no worse."""
    plan = QuantilesPlan(6, 1, 8, (0.5, 0.5), Budget(1.0))
    left, right = [0.4] * 6, [0.4] * 5 + [0.9]
    counts = [
        np.bincount([chosen(values, plan, seed)[0] for seed in range(700)], minlength=8) / 700
        for values in (left, right)
    ]
    slack = 5 * np.sqrt(counts[0] / 700) + 1e-2
    assert (counts[0] <= math.exp(plan.share) * counts[1] + slack).all()


def test_no_choice_without_an_open_entry_that_paid_for_it() -> None:
    plan = QuantilesPlan(3, 1, 8, (0.1, 0.9), Budget(1.0))
    column = (enter_values(np.zeros(3), 0.0, 1.0), GRID)
    with Ledger().reserve(PureRelease(plan.share / 2, steps=9)) as wrong, pytest.raises(LedgerFailure):
        release([column], plan, wrong, bits_from(0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        release([column], plan, closed, bits_from(0))
    with Ledger().reserve(plan.event) as entry, pytest.raises(InvalidInput, match="those of the plan"):
        release([column, column], plan, entry, bits_from(0))


def test_more_rows_than_scores_are_exact_for_are_refused_by_their_number() -> None:
    with pytest.raises(InvalidInput, match="more than"):
        QuantilesPlan(MOST_RECORDS + 1, 1, 8, (0.1, 0.9), Budget(1.0))
