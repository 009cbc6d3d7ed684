"""Sufficient statistics: the joint sensitivity, the law of the noise, and what is made of the noisy moments."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse, stats

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.door import add_noise
from equipoise.gate.models import sufficient_statistics as mechanism
from equipoise.inside import Private, Records, enter
from equipoise.inside.tables.moments import second_moments
from equipoise.ledger import Ledger
from equipoise.outside.released import Released
from equipoise.theory import triangles
from equipoise.theory.accounting import sigma_output
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Squared
from equipoise.theory.plan import Facts, StatisticsPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

BUDGETS = [Budget(0.5), Budget(0.5, 1e-6)]


def bounds_of(intercept: float = 0.5, coef_norm: float = math.inf) -> Bounds:
    return Bounds(1.0, intercept, label_range=(-1.0, 1.0), coef_norm=coef_norm)


def facts_of(
    n: int = 60, columns: int = 3, intercept: float = 0.5, alpha: float = 1e-6, coef_norm: float = math.inf
) -> Facts:
    features = columns + (1 if intercept else 0)
    return Facts(Squared(), L2(alpha), bounds_of(intercept, coef_norm), n, features)


def table(n: int, seed: int = 0, columns: int = 3, noise: float = 0.1) -> tuple[Array, Array, Array]:
    """Rows well within norm one, labels well within the range: nothing is clipped, so the truth is what it seems."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, columns)) / math.sqrt(columns)
    truth = np.array([0.5, -0.3, 0.1, 0.2])[: columns + 1]
    y = X @ truth[:-1] + truth[-1] * 0.5 + noise * rng.standard_normal(n)
    return X, np.clip(y, -1, 1), truth


def run(plan: StatisticsPlan, records: Private[Records], seed: int = 1) -> Released:
    with Ledger().reserve(plan.event) as entry:
        return mechanism.release(records, plan, entry, bits_from(seed))


def weighted(facts: Facts, X: Any, y: Array, label_square: float | None = None) -> Array:
    by, size = mechanism.weights(facts), facts.bounds.norm
    records = enter(X, y, facts.bounds)
    square, product = triangles.stretch(facts.dim) / size**2, math.sqrt(2) * by.product / size
    return second_moments(records, square, product, label_square or by.label_square).reveal()


# --- sensitivity ------------------------------------------------------------------------------------------------------


def right_angle(facts: Facts) -> tuple[Array, Array]:
    """Two rows of full length whose product, constant column included, is q²B²: at right angles with labels stacked."""
    cosine = mechanism.LABEL_SHARE**2 * facts.bounds.norm**2 - facts.bounds.intercept**2
    return np.array([1.0, 0.0, 0.0]), np.array([cosine, math.sqrt(1 - cosine**2), 0.0])


def pairs(facts: Facts, seed: int = 0) -> list[tuple[Array, float, Array, float]]:
    """Random records, records at the corners, and the structured pair."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(400):
        rows = rng.standard_normal((2, 3)) * rng.choice([0.1, 5.0], (2, 1))
        labels = rng.choice([-1.0, 0.0, 1.0, 0.5], 2)
        found.append((rows[0], float(labels[0]), rows[1], float(labels[1])))
    one, two = right_angle(facts)
    return [*found, (one, 1.0, two, -1.0), (one, 1.0, np.array([0.0, 1.0, 0.0]), 0.0)]


def largest_change(facts: Facts, label_square: float | None = None) -> float:
    changes = []
    for row, label, other, other_label in pairs(facts):
        left = weighted(facts, row[None], np.array([label]), label_square)
        right = weighted(facts, other[None], np.array([other_label]), label_square)
        changes.append(float(np.linalg.norm(left - right)))
    return max(changes)


@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_a_replaced_record_reaches_the_sensitivity_and_never_exceeds_it(intercept: float) -> None:
    facts = facts_of(intercept=intercept)
    claimed = mechanism.of_moments(facts).l2
    assert 0.99 * claimed < largest_change(facts) <= claimed


def test_a_sensitivity_that_forgets_the_second_record_is_caught() -> None:
    facts = facts_of()
    single = mechanism.of_moments(replace(facts, adjacency=Adjacency.ADD_REMOVE)).l2
    assert largest_change(facts) > 1.3 * single


def test_a_heavier_weight_on_squared_labels_is_caught() -> None:
    """The weight in use is the largest that costs nothing."""
    facts = facts_of()
    heavy = 1.5 * mechanism.weights(facts).label_square
    assert largest_change(facts, heavy) > 1.1 * mechanism.of_moments(facts).l2


def test_one_record_more_reaches_the_add_remove_sensitivity_and_never_exceeds_it() -> None:
    facts = replace(facts_of(), adjacency=Adjacency.ADD_REMOVE)
    claimed = mechanism.of_moments(facts).l2
    longest = max(
        float(np.linalg.norm(weighted(facts, row[None], np.array([label])))) for row, label, _, _ in pairs(facts)
    )
    assert 0.99 * claimed < longest <= claimed


def test_the_change_of_a_whole_table_is_the_change_of_its_record() -> None:
    """Rounding of sums over many rows stays within what the sensitivity allows for it."""
    facts = facts_of(n=5000)
    X, y, _ = table(5000)
    other, flipped = X.copy(), y.copy()
    X[0], other[0] = right_angle(facts)
    y[0], flipped[0] = 1.0, -1.0
    moved = float(np.linalg.norm(weighted(facts, X, y) - weighted(facts, other, flipped)))
    assert 0.99 * mechanism.of_moments(facts).l2 < moved <= mechanism.of_moments(facts).l2


def test_sparse_and_dense_records_have_the_same_moments() -> None:
    X, y, _ = table(700)
    X[np.abs(X) < 0.3] = 0
    dense = weighted(facts_of(), X, y)
    assert np.allclose(dense, weighted(facts_of(), sparse.csr_array(X), y), rtol=1e-13)
    rows = np.hstack([X, np.full((700, 1), 0.5)])
    size = facts_of().bounds.norm
    stacked = np.hstack([rows / size, mechanism.LABEL_SHARE * y[:, None]])
    frobenius = np.linalg.norm(dense[:-1]) ** 2 + (mechanism.LABEL_SHARE**2 * (y @ y)) ** 2
    assert frobenius == pytest.approx(np.linalg.norm(stacked.T @ stacked) ** 2, rel=1e-12)


# --- plan and noise ---------------------------------------------------------------------------------------------------


def test_noise_is_as_small_as_the_theorem_allows() -> None:
    moved = math.sqrt(2) * (1 + mechanism.LABEL_SHARE**2)
    pure, gaussian = (mechanism.plan(facts_of(), budget) for budget in BUDGETS)
    assert moved / 0.5 < pure.noise.scale < 1.0001 * moved / 0.5
    assert isinstance(pure.event, PureRelease)
    analytic = sigma_output(moved, 0.5, 1e-6)
    assert analytic < gaussian.noise.scale < 1.0001 * analytic
    assert isinstance(gaussian.event, GaussianRelease)


def test_beyond_the_reach_of_gaussian_noise_the_smaller_law_is_taken() -> None:
    assert mechanism.plan(facts_of(), Budget(1e5, 1e-6)).event == mechanism.plan(facts_of(), Budget(1e5)).event
    many = replace(facts_of(), features=40)
    plan = mechanism.plan(many, Budget(30.0, 1e-6))
    assert isinstance(plan.event, GaussianRelease)
    assert plan.noise.rms < mechanism.plan(many, Budget(30.0)).noise.rms


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_moments_leave_with_the_planned_law(budget: Budget) -> None:
    """The right scale is accepted, thirty per cent more or less is not."""
    facts = facts_of()
    plan, bits, values = mechanism.plan(facts, budget), bits_from(4), []
    exact = weighted(facts, *table(60)[:2])
    with Ledger().reserve(plan.event) as entry:
        for _ in range(400):
            values.append(add_noise(Private(exact), plan.noise, plan.event, entry, bits))
    noise = (np.array(values) - exact) / plan.noise.scale
    draws = noise.ravel() if budget.delta else np.linalg.norm(noise, axis=1)
    law = stats.norm if budget.delta else stats.gamma(plan.noise.dim)
    assert stats.kstest(draws, law.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(draws * 1.3, law.cdf).pvalue < FALSE_ALARM
    assert stats.kstest(draws / 1.3, law.cdf).pvalue < FALSE_ALARM


def test_coefficients_scatter_as_the_planned_noise_says() -> None:
    """From the same records, with so much data that the map from noise to coefficients is linear."""
    n = 5000
    X, y, _ = table(n)
    facts, records = facts_of(n), enter(X, y, bounds_of())
    plan = mechanism.plan(facts, Budget(1.0, 1e-6))
    values = np.array([run(plan, records, seed).value for seed in range(200)])
    gram = np.hstack([X, np.full((n, 1), 0.5)])
    inverse = np.linalg.inv(gram.T @ gram)
    exact = inverse @ (gram.T @ y)
    size = facts.bounds.norm
    half = (plan.noise.scale * size**2) ** 2 / 2
    tilt = half * (exact @ exact * np.eye(4) + np.outer(exact, exact))
    tilt += (plan.noise.scale * size) ** 2 / (2 * mechanism.LABEL_SHARE**2) * np.eye(4)
    tilt[-1, -1] -= 2 * half * exact[-1] ** 2
    expected = np.diag(inverse @ tilt @ inverse)
    assert np.all(np.abs(values.var(axis=0) / expected - 1) < 0.35)  # 200 draws: sd 10 per cent


def test_only_the_squared_loss_and_not_too_many_features_are_served() -> None:
    with pytest.raises(MechanismRefused, match="squared loss only"):
        mechanism.plan(replace(facts_of(), loss=Logistic()), Budget(1.0))
    with pytest.raises(MechanismRefused, match="5000 features"):
        mechanism.plan(replace(facts_of(), features=5000), Budget(1.0))


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_the_widest_table_allowed_can_be_planned_and_the_next_is_refused_by_name(budget: Budget) -> None:
    widest = replace(facts_of(), features=mechanism.MOST_FEATURES)
    assert mechanism.plan(widest, budget).noise.dim > 10**6
    with pytest.raises(MechanismRefused, match=f"{mechanism.MOST_FEATURES + 1} features"):
        mechanism.plan(replace(widest, features=mechanism.MOST_FEATURES + 1), budget)


def test_nothing_is_released_without_an_open_entry_for_this_plan() -> None:
    plan = mechanism.plan(facts_of(), Budget(1.0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        mechanism.release(enter(*table(60)[:2], bounds_of()), plan, closed, bits_from(1))


# --- after the door ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-3, 0.05])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_indefinite_moments_give_finite_coefficients_inside_the_ball(epsilon: float, delta: float) -> None:
    facts = facts_of(coef_norm=1.5)
    plan, records = mechanism.plan(facts, Budget(epsilon, delta)), enter(*table(60)[:2], facts.bounds)
    for seed in range(20):
        released = run(plan, records, seed)
        assert np.linalg.norm(released.value) <= 1.5 * (1 + 1e-12)
        assert released.covariance is not None
        assert np.all(np.isfinite(released.covariance))
        assert np.all(np.linalg.eigvalsh(released.covariance) >= -1e-9 * np.trace(released.covariance))


def test_coefficients_stay_small_without_a_ball() -> None:
    """Where noise drowns the data, a direction counts for little instead of blowing up."""
    plan, records = mechanism.plan(facts_of(), Budget(0.01, 1e-6)), enter(*table(60)[:2], bounds_of())
    assert all(np.linalg.norm(run(plan, records, seed).value) < 3 for seed in range(50))


@pytest.mark.parametrize(("centre", "alpha"), [(None, 1e-6), (None, 0.3), ((0.3, 0.3, 0.3, 0.3), 0.3)])
def test_with_next_to_no_privacy_ridge_regression_comes_out(centre: tuple[float, ...] | None, alpha: float) -> None:
    n = 5000
    X, y, _ = table(n)
    facts = replace(facts_of(n), penalty=L2(alpha, centre))
    value = run(mechanism.plan(facts, Budget(1e5)), enter(X, y, facts.bounds)).value
    rows = np.hstack([X, np.full((n, 1), 0.5)])
    start = np.zeros(4) if centre is None else np.array(centre)
    exact = start + np.linalg.solve(rows.T @ rows + alpha * n / 2 * np.eye(4), rows.T @ (y - rows @ start))
    assert np.allclose(value, exact, atol=1e-3)


@pytest.mark.parametrize("budget", [Budget(5.0, 1e-6), Budget(5.0)], ids=str)
def test_standard_errors_cover_the_truth(budget: Budget) -> None:
    """±1.96 standard errors, 200 tables: 95 per cent wanted, the four coefficients taken together."""
    n, hits = 1500, []
    plan = mechanism.plan(facts_of(n), budget)
    for seed in range(200):
        X, y, truth = table(n, seed)
        released = run(plan, enter(X, y, bounds_of()), seed)
        assert released.covariance is not None
        hits.append(np.abs(released.value - truth) <= 1.96 * np.sqrt(np.diag(released.covariance)))
    assert np.all((np.mean(hits, axis=0) >= 0.90) & (np.mean(hits, axis=0) <= 0.99))
    assert 0.90 <= np.mean(hits) <= 0.98


def test_standard_errors_count_both_sampling_and_privacy() -> None:
    X, y, _ = table(1500, noise=0.3)
    records = enter(X, y, bounds_of())
    private, open_book = (
        np.sqrt(np.diag(released.covariance))
        for released in (run(mechanism.plan(facts_of(1500), Budget(epsilon)), records) for epsilon in (1.0, 1e5))
        if released.covariance is not None
    )
    rows = np.hstack([X, np.full((1500, 1), 0.5)])
    residual = y - rows @ np.linalg.lstsq(rows, y, rcond=None)[0]
    classical = np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)) * (residual @ residual) / 1496)
    assert np.allclose(open_book, classical, rtol=0.01)
    assert np.all(private > 1.5 * classical)


def test_predicted_risk_falls_with_records_and_privacy_given_up() -> None:
    def predicted(n: int, epsilon: float) -> float:
        return mechanism.predict_risk(mechanism.plan(facts_of(n), Budget(epsilon, 1e-6)))

    assert predicted(1000, 0.1) > predicted(1000, 1.0) > predicted(10_000, 1.0) > 0


def test_predicted_risk_prefers_a_light_ridge_where_there_is_enough_data() -> None:
    light, heavy = (mechanism.plan(facts_of(10_000, alpha=alpha), Budget(1.0, 1e-6)) for alpha in (1e-6, 0.3))
    assert mechanism.predict_risk(light) < 0.5 * mechanism.predict_risk(heavy)
