"""Bounds of Dwork and Feldman's section 6 against worlds small enough to be worked out exactly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.guarantees import Budget
from equipoise.theory.prediction.generalisation import (
    exponent,
    group_privacy,
    high_probability_bound,
    moment_bound,
    training_error_for,
)

EPSILONS = st.floats(1e-3, 3.0)
ERRORS = st.floats(0.0, 1.0)
FAILURES = st.floats(1e-9, 0.5)
DELTAS = st.just(0.0) | st.floats(1e-300, 1e-6)
"""Nearer to zero doubles lose digits, and no comparison within a part of itself can hold."""


@given(EPSILONS, DELTAS, st.integers(1, 4))
def test_group_privacy_is_the_sum_over_single_rows_and_never_above_the_printed_bound(
    epsilon: float, delta: float, size: int
) -> None:
    found = group_privacy(epsilon, delta, size)
    one_by_one = math.fsum(delta * math.exp(j * epsilon) for j in range(size))
    assert found.epsilon == pytest.approx(size * epsilon, rel=1e-12)
    assert one_by_one <= found.delta * (1 + 1e-15)
    assert found.delta <= one_by_one * (1 + 1e-9)
    assert found.delta <= size * delta * math.exp((size - 1) * epsilon) * (1 + 1e-9)


def test_a_row_budget_gives_its_group_back_what_was_asked() -> None:
    asked = Budget(2.0, 1e-5)
    one = row_budget(asked, 7)
    back = group_privacy(one.epsilon, one.delta, 7)
    assert back.epsilon == pytest.approx(asked.epsilon, rel=1e-12)
    assert back.delta == pytest.approx(asked.delta, rel=1e-9)


def test_a_group_too_large_for_any_promise_is_refused() -> None:
    with pytest.raises(InvalidInput, match="smaller group"):
        group_privacy(1.0, 1e-6, 20)


class World:
    """All tables of n rows (x, y) with x of `values` and y of 0 or 1, each row with a chance of its own.

    Its predictor answers 1 at x with probability sigmoid(ε·v/2), where v counts rows at x as 2y − 1: replacing a row
    moves v by at most 2, so an answer is ε-DP.
    """

    def __init__(self, n: int, values: int, epsilon: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        rows = list(itertools.product(range(values), (0, 1)))
        chances = rng.dirichlet(np.full(len(rows), 0.4))
        chance, true, training = [], [], []
        for places in itertools.product(range(len(rows)), repeat=n):
            table = [rows[place] for place in places]
            walk = np.zeros(values)
            for x, y in table:
                walk[x] += 2 * y - 1
            ones = 1 / (1 + np.exp(-epsilon * walk / 2))
            loss = np.array([1 - ones[x] if y == 1 else ones[x] for x, y in rows])
            chance.append(float(np.prod(chances[list(places)])))
            true.append(float(np.sum(chances * loss)))
            training.append(float(np.mean(loss[list(places)])))
        self.chance, self.true, self.training = np.array(chance), np.array(true), np.array(training)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("epsilon", [0.2, 1.0])
def test_moments_of_the_true_error_stay_below_the_bound_in_an_exact_world(epsilon: float, seed: int) -> None:
    world = World(4, 3, epsilon, seed)
    worst = float(np.max(world.training))
    for moment in (1, 2, 3, 4):
        exact = float(np.sum(world.chance * world.true**moment))
        by_training = float(np.sum(world.chance * world.training**moment))
        assert exact <= math.exp(moment**2 * epsilon) * by_training * (1 + 1e-12)
        assert exact <= moment_bound(worst, epsilon, moment) + 1e-12
    mean = float(np.sum(world.chance * world.training))
    assert float(np.sum(world.chance * world.true)) <= moment_bound(mean, epsilon) + 1e-12


def test_the_first_moment_is_tight_for_a_predictor_that_remembers_its_rows() -> None:
    epsilon, wrong = 0.7, 1e-3  # wrong·e^−ε at its own rows, wrong elsewhere: ε-DP, and no row is met again
    assert (1 - wrong * math.exp(-epsilon)) / (1 - wrong) <= math.exp(epsilon)
    assert moment_bound(wrong * math.exp(-epsilon), epsilon) == pytest.approx(wrong, rel=1e-12)


@pytest.mark.parametrize("failure", [0.3, 0.05, 0.01])
def test_few_tables_of_an_exact_world_exceed_the_high_probability_bound(failure: float) -> None:
    for seed in range(4):
        world = World(4, 3, 0.1, seed)
        bound = high_probability_bound(float(np.max(world.training)), 0.1, failure, 4)
        assert float(np.sum(world.chance[world.true > bound + 1e-12])) <= failure


@given(st.floats(1e-6, 0.2), EPSILONS, FAILURES)
def test_whole_moments_are_never_worse_than_the_closed_form(error: float, epsilon: float, failure: float) -> None:
    closed = min(1.0, error * math.exp(exponent(epsilon, failure)))
    assert high_probability_bound(error, epsilon, failure, 10**6) <= closed * (1 + 1e-9)


@given(EPSILONS, FAILURES)
def test_the_exponent_exceeds_the_printed_one_only_by_what_a_whole_moment_costs(epsilon: float, failure: float) -> None:
    printed = 2 * math.sqrt(epsilon * math.log(1 / failure))
    assert printed * (1 - 1e-12) <= exponent(epsilon, failure) <= printed + max(epsilon, math.log(1 / failure))


@given(ERRORS, EPSILONS, FAILURES, st.integers(1, 1000), st.floats(0.0, 1e-3))
def test_the_bound_grows_with_error_epsilon_delta_and_confidence(
    error: float, epsilon: float, failure: float, n: int, delta: float
) -> None:
    bound = high_probability_bound(error, epsilon, failure, n, delta)
    assert error * (1 - 1e-12) <= bound <= 1
    assert bound <= high_probability_bound(min(1.0, error + 0.01), epsilon, failure, n, delta) * (1 + 1e-12)
    assert bound <= high_probability_bound(error, epsilon * 1.1, failure, n, delta) * (1 + 1e-9)
    assert bound <= high_probability_bound(error, epsilon, failure / 2, n, delta) * (1 + 1e-9)
    assert bound <= high_probability_bound(error, epsilon, failure, n, delta * 2) * (1 + 1e-9)
    assert high_probability_bound(error, epsilon, failure, n + 1, delta) <= bound * (1 + 1e-12)


@given(st.floats(0.01, 0.9), st.floats(1e-3, 1.0), FAILURES)
def test_training_error_for_is_the_inverse_of_the_bound(wanted: float, epsilon: float, failure: float) -> None:
    training = training_error_for(wanted, epsilon, failure, 1000)
    assert high_probability_bound(training, epsilon, failure, 1000) == pytest.approx(wanted, rel=1e-9)


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(InvalidInput, match=r"training_error=1\.5: must be in"):
        moment_bound(1.5, 1.0)
    with pytest.raises(InvalidInput, match="failure=0"):
        high_probability_bound(0.1, 1.0, 0, 10)
    with pytest.raises(InvalidInput, match="not promised even without training errors"):
        training_error_for(1e-6, 1.0, 0.01, 100, delta=1e-3)
