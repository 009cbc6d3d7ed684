"""How many draws and rounds a budget buys, and what arithmetic adds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting import delta_bounded_range_iid, rho_for, total_epsilon
from equipoise.theory.guarantees import BoundedRange, Budget
from equipoise.theory.runs import runs_depth
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.draws import LogRatios, most_draws, quick_draws, weights_error, widened, widest_range
from equipoise.theory.simplex.rounds import plan_rounds


def test_pure_draws_are_the_whole_times_that_one_fits_into_epsilon() -> None:
    for epsilon, each in ((1.0, 0.3), (0.3, 0.1), (2.0, 2.0), (1.0, 1.0000001), (7.0, 1e-3)):
        count = most_draws(Budget(epsilon), LogRatios(each, 2 * each))
        assert Fraction(each) * count <= Fraction(epsilon) < Fraction(each) * (count + 1)


def test_with_delta_the_draws_are_those_of_the_exact_formula() -> None:
    """η = 0.02 at (1, 1e-6): 560 by the exact formula, 487 by concentrated privacy, 50 as pure releases."""
    ratios, budget = LogRatios(0.02, 0.02), Budget(1.0, 1e-6)
    count = most_draws(budget, ratios)
    assert 550 <= count <= 560
    assert delta_bounded_range_iid(0.02, count, 1.0) <= 1e-6 < delta_bounded_range_iid(0.02, 571, 1.0)
    assert quick_draws(budget, ratios) == 487
    assert most_draws(Budget(1.0), LogRatios(0.0199, 0.02)) == 50


def test_more_of_a_budget_never_buys_fewer_draws() -> None:
    counts = [most_draws(Budget(epsilon, 1e-6), LogRatios(0.09, 0.1)) for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert quick_draws(Budget(1.0, 1e-6), LogRatios(1e-5, 1e-5)) == 2**20


def test_a_range_for_many_rounds_keeps_the_budget_and_wastes_little_of_it() -> None:
    for budget in (Budget(1.0, 1e-6), Budget(10.0, 1e-3), Budget(0.1, 1e-9)):
        for rounds in (1, 7, 500):
            eta = widest_range(budget, rounds)
            spent = total_epsilon({BoundedRange(eta): rounds}, budget.delta)
            assert 0.99 * budget.epsilon < spent <= budget.epsilon
    assert widest_range(Budget(1.0), 10) == pytest.approx(0.1)
    assert widest_range(Budget(1.0), 10) * 10 <= 1.0


def test_rounds_have_the_smoothing_of_the_theorem_up_to_sharper_accounting() -> None:
    """λ = R√(2T/ρ) suffices by concentrated privacy; ours is never larger where privacy decides."""
    for epsilon, delta, rounds in ((1.0, 1e-6, 1000), (10.0, 1e-6, 300)):
        plan = plan_rounds(5, rounds, 2.0, Budget(epsilon, delta))
        simple = 2.0 * np.sqrt(2 * (rounds - 1) / rho_for(epsilon, delta))
        assert 0.8 * simple < plan.smoothing <= simple * 1.001
        assert plan.eta >= 4 * 2.0 / plan.smoothing
        assert total_epsilon({BoundedRange(plan.eta): plan.paid_draws}, delta) <= epsilon


def test_rounds_that_need_no_privacy_to_be_smooth_pay_for_what_they_use() -> None:
    plan = plan_rounds(3, 10_000, 1.0, Budget(1e4))
    assert plan.smoothing == pytest.approx(np.sqrt(10_000 / (2 * np.log(3))))
    assert plan.eta * plan.paid_draws < 1e4


def test_what_makes_no_sense_is_refused() -> None:
    for experts, horizon in ((1, 10), (2, 1), (2, 2**23)):
        with pytest.raises(InvalidInput):
            plan_rounds(experts, horizon, 1.0, Budget(1.0))
    with pytest.raises(MechanismRefused, match="raise it or lower horizon"):
        plan_rounds(2, 2**22, 1.0, Budget(1e-9))
    with pytest.raises(MechanismRefused, match="too small for weights"):
        weights_error(10, 1e15)
    with pytest.raises(InvalidInput, match="below"):
        Corners(2**31, True, True)


def test_arithmetic_widens_both_bounds() -> None:
    wider = widened(LogRatios(0.1, 0.2), 0.01)
    assert wider.each >= 0.12
    assert wider.spread >= 0.24
    assert weights_error(10, 1.0) < 1e-11
    assert weights_error(2**31, 1.0) > weights_error(10, 1.0)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("constant", [True, False])
def test_corners_fold_and_unfold_like_a_matrix(signed: bool, constant: bool) -> None:
    corners = Corners(3, signed, constant)
    columns, signs = corners.sides(np.arange(corners.count))
    matrix = np.zeros((3 + constant, corners.count))
    matrix[columns, np.arange(corners.count)] = signs
    weights = np.random.default_rng(0).dirichlet(np.ones(corners.count))
    gradient = np.random.default_rng(1).normal(size=3 + constant)
    np.testing.assert_allclose(corners.folded(weights), matrix @ weights)
    np.testing.assert_allclose(corners.unfolded(gradient), matrix.T @ gradient)


def test_few_additions_stand_behind_a_wide_rows_score() -> None:
    assert runs_depth(100) == 100
    assert runs_depth(20_000_000) < 10_000
