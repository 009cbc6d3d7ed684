"""The functional mechanism: its L1 sensitivity, the law of its noise, and indefinite quadratics."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.door import add_noise
from equipoise.gate.models import functional_mechanism as mechanism
from equipoise.inside import Private, Records, enter
from equipoise.inside.tables.moments import second_moments
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Squared
from equipoise.theory.plan import Facts, StatisticsPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""


def facts_of(columns: int = 3, row_norm: float = 1.0, intercept: float = 0.5, n: int = 60, ball: float = 1.5) -> Facts:
    bounds = Bounds(row_norm, intercept, label_range=(-1.0, 1.0), coef_norm=ball)
    return Facts(Squared(), L2(1e-6), bounds, n, columns + (1 if intercept else 0))


def table(n: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 3)) / math.sqrt(3)
    return X, np.clip(X @ np.array([0.5, -0.3, 0.1]) + 0.1 + 0.1 * rng.standard_normal(n), -1, 1)


def coefficients(facts: Facts, row: Array, label: float) -> Array:
    """Of one record's (w·x − y)², the constant left out."""
    rows, columns = np.triu_indices(facts.dim)
    records = enter(row[None], np.array([label]), facts.bounds)
    return second_moments(records, np.where(rows == columns, 1.0, 2.0), 2.0, 0.0).reveal()[:-1]


def run(plan: StatisticsPlan, records: Private[Records], seed: int = 1) -> Array:
    with Ledger().reserve(plan.event) as entry:
        return mechanism.release(records, plan, entry, bits_from(seed)).value


# --- sensitivity ------------------------------------------------------------------------------------------------------


def climb(facts: Facts, seed: int) -> tuple[Array, Array]:
    """Two rows and labels ±1: power steps on the matrix of signs of the change, from a random start."""
    rng, size, columns = np.random.default_rng(seed), facts.bounds.row_norm, facts.features
    row, other = (_long(rng.standard_normal(columns), size) for _ in range(2))
    for _ in range(40):
        signs = np.sign(np.outer(row, row) - np.outer(other, other))
        push, lift = np.sign(row + other), columns * np.eye(columns)
        row, other = _long((lift + signs) @ row + push, size), _long((lift - signs) @ other + push, size)
    return row, other


def _long(row: Array, size: float) -> Array:
    return np.asarray(row * (size / np.linalg.norm(row)))


def largest_change(facts: Facts, starts: int = 40) -> float:
    found = [climb(facts, seed) for seed in range(starts)]
    return max(
        float(np.sum(np.abs(coefficients(facts, row, 1.0) - coefficients(facts, other, -1.0)))) for row, other in found
    )


@pytest.mark.parametrize(("columns", "row_norm"), [(2, 1.0), (3, 1.0), (4, 0.5), (4, 2.0), (8, 1.0)])
def test_a_replaced_record_comes_near_the_sensitivity_and_never_exceeds_it(columns: int, row_norm: float) -> None:
    facts = facts_of(columns, row_norm, intercept=0.0)
    claimed = sensitivity.of_quadratic(facts)
    assert 0.93 * claimed < largest_change(facts) <= claimed


@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_random_pairs_never_exceed_the_sensitivity(intercept: float) -> None:
    facts, rng = facts_of(intercept=intercept), np.random.default_rng(2)
    claimed = sensitivity.of_quadratic(facts)
    for _ in range(500):
        rows, labels = rng.standard_normal((2, 3)) * 3, rng.choice([-1.0, 1.0, 0.3], 2)
        left, right = (coefficients(facts, row, float(label)) for row, label in zip(rows, labels, strict=True))
        assert np.sum(np.abs(left - right)) <= claimed


def test_the_sensitivity_for_rows_of_norm_one_is_caught_on_longer_rows() -> None:
    short, long = facts_of(4, 1.0, 0.0), facts_of(4, 2.0, 0.0)
    assert largest_change(long) > 2 * sensitivity.of_quadratic(short)


def test_the_sensitivity_of_a_single_record_is_caught() -> None:
    facts = facts_of(4, 1.0, 0.0)
    single = sensitivity.of_quadratic(replace(facts, adjacency=Adjacency.ADD_REMOVE))
    assert largest_change(facts) > 1.3 * single


def test_one_record_more_reaches_the_add_remove_sensitivity() -> None:
    facts = replace(facts_of(4, 1.3, 0.0), adjacency=Adjacency.ADD_REMOVE)
    claimed = sensitivity.of_quadratic(facts)
    reached = np.sum(np.abs(coefficients(facts, np.full(4, 1.3 / 2), 1.0)))
    assert 0.999 * claimed < reached <= claimed


def test_the_sensitivity_is_never_above_twice_a_record() -> None:
    for columns in (1, 2, 10, 300):
        for size in (0.01, 1.0, 30.0):
            facts = facts_of(columns, size, 0.0)
            single = sensitivity.of_quadratic(replace(facts, adjacency=Adjacency.ADD_REMOVE))
            assert single <= sensitivity.of_quadratic(facts) <= 2 * single


# --- plan and noise ---------------------------------------------------------------------------------------------------


def test_delta_is_left_alone_and_the_plan_says_so() -> None:
    plan = mechanism.plan(facts_of(), Budget(0.5, 1e-6))
    assert plan.event == PureRelease(0.5)
    assert plan.noise == mechanism.plan(facts_of(), Budget(0.5)).noise
    assert any("needs no delta" in note for note in plan.notes)


def test_the_coefficients_leave_with_the_planned_law() -> None:
    """The right scale is accepted, thirty per cent more or less is not."""
    facts = facts_of()
    plan, bits = mechanism.plan(facts, Budget(0.5)), bits_from(4)
    claimed = sensitivity.of_quadratic(facts)
    assert claimed / 0.5 < plan.noise.scale < 1.0001 * claimed / 0.5
    exact = coefficients(facts, np.array([0.6, 0.1, 0.0]), 0.4)
    with Ledger().reserve(plan.event) as entry:
        noise = np.array([add_noise(Private(exact), plan.noise, plan.event, entry, bits) - exact for _ in range(400)])
    draws = noise.ravel() / plan.noise.scale
    assert stats.kstest(draws, "laplace").pvalue > FALSE_ALARM
    assert stats.kstest(draws * 1.3, "laplace").pvalue < FALSE_ALARM
    assert stats.kstest(draws / 1.3, "laplace").pvalue < FALSE_ALARM


def test_only_the_squared_loss_and_not_too_many_features_are_served() -> None:
    with pytest.raises(MechanismRefused, match="squared loss only"):
        mechanism.plan(replace(facts_of(), loss=Huber(0.5)), Budget(1.0))
    with pytest.raises(MechanismRefused, match="5000 features"):
        mechanism.plan(replace(facts_of(), features=5000), Budget(1.0))


def test_nothing_is_released_without_an_open_entry_for_this_plan() -> None:
    facts = facts_of()
    plan, other = mechanism.plan(facts, Budget(1.0)), mechanism.plan(facts, Budget(0.5))
    with Ledger().reserve(other.event) as foreign, pytest.raises(LedgerFailure):
        mechanism.release(enter(*table(60), facts.bounds), plan, foreign, bits_from(1))


# --- after the door ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-3, 0.05, 1.0])
def test_indefinite_quadratics_give_finite_coefficients_inside_the_ball(epsilon: float) -> None:
    facts = facts_of()
    plan, records = mechanism.plan(facts, Budget(epsilon)), enter(*table(60), facts.bounds)
    for seed in range(40):
        assert np.linalg.norm(run(plan, records, seed)) <= 1.5 * (1 + 1e-12)


def test_directions_below_the_noise_are_left_at_the_centre() -> None:
    facts = replace(facts_of(2, intercept=0.0), penalty=L2(1e-6, (0.2, 0.3)))
    solved = mechanism.solve(np.diag([-9.0, 4.0]), np.array([5.0, 2.8]), facts, noise=1.0)
    assert solved[0] == 0.2
    assert solved[1] == pytest.approx(0.3 + (2.8 - 4.0 * 0.3) / 8, rel=1e-4)


def test_without_a_ball_coefficients_stay_finite() -> None:
    facts = facts_of(ball=math.inf)
    plan, records = mechanism.plan(facts, Budget(0.01)), enter(*table(60), facts.bounds)
    assert all(np.linalg.norm(run(plan, records, seed)) < 20 for seed in range(40))


@pytest.mark.parametrize(("centre", "alpha"), [(None, 1e-6), (None, 0.3), ((0.3, 0.3, 0.3, 0.3), 0.3)])
def test_with_next_to_no_privacy_ridge_regression_comes_out(centre: tuple[float, ...] | None, alpha: float) -> None:
    n = 5000
    X, y = table(n)
    facts = replace(facts_of(n=n), penalty=L2(alpha, centre))
    value = run(mechanism.plan(facts, Budget(1e5)), enter(X, y, facts.bounds))
    rows = np.hstack([X, np.full((n, 1), 0.5)])
    start = np.zeros(4) if centre is None else np.array(centre)
    exact = start + np.linalg.solve(rows.T @ rows + alpha * n / 2 * np.eye(4), rows.T @ (y - rows @ start))
    assert np.allclose(value, exact, atol=1e-3)


def test_predicted_risk_falls_with_records_and_privacy_given_up() -> None:
    def predicted(n: int, epsilon: float) -> float:
        return mechanism.predict_risk(mechanism.plan(facts_of(n=n), Budget(epsilon)))

    assert predicted(1000, 0.1) > predicted(1000, 1.0) > predicted(10_000, 1.0) > 0
