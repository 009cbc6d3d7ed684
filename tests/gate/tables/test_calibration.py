"""Calibration attacked: neighbours reach the sensitivities, noise has its law, intervals cover, twins are caught."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.tables.calibration import ReliabilityPlan, release
from equipoise.gate.tables.counts import counts_noise
from equipoise.inside import Private
from equipoise.inside.tables.calibration import Forecasts, enter_forecasts, reliability_counts, squared_errors
from equipoise.ledger import Ledger
from equipoise.outside.calibration import brier_of, curve_of, middles_of
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables.calibration import (
    mean_interval,
    noise_reach,
    of_squared_errors,
    rate_interval,
    relative_entropy,
)

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  All tests are seeded, so none flickers."""

Array = npt.NDArray[np.float64]


def forecasts(chance: list[float], came: list[int]) -> Private[Forecasts]:
    return Private(Forecasts(np.array(chance), np.array(came, dtype=float)))


def test_replacing_a_row_reaches_both_sensitivities_and_never_passes_them() -> None:
    rng, worst_counts, worst_sum = np.random.default_rng(1), 0.0, 0.0
    for _ in range(300):
        chance, came = rng.choice([0.0, 0.05, 0.5, 1.0], 6), rng.integers(0, 2, 6)
        other, label = chance.copy(), came.copy()
        other[0], label[0] = rng.choice([0.0, 0.05, 0.5, 1.0]), rng.integers(0, 2)
        pair = [forecasts(chance.tolist(), came.tolist()), forecasts(other.tolist(), label.tolist())]
        counts = [reliability_counts(each, 10).reveal() for each in pair]
        sums = [float(squared_errors(each).reveal()[0]) for each in pair]
        worst_counts = max(worst_counts, float(np.abs(counts[0] - counts[1]).sum()))
        worst_sum = max(worst_sum, abs(sums[0] - sums[1]))
    assert worst_counts == 2.0
    assert 1.0 - 1e-12 <= worst_sum <= of_squared_errors(6)


@pytest.mark.parametrize("epsilon", [0.01, 1 / 3, 1.0, 9.0])
@pytest.mark.parametrize("bins", [0, 10])
def test_counts_and_sum_never_cost_more_than_epsilon_together(epsilon: float, bins: int) -> None:
    plan = ReliabilityPlan(1000, bins, Budget(epsilon))
    spent = Fraction(of_squared_errors(1000)) / Fraction(plan.sum_noise.scale)
    if bins:
        spent += 2 / Fraction(plan.cell_noise.scale)
    assert Fraction(0.99) * Fraction(epsilon) <= spent <= Fraction(epsilon)


def released(plan: ReliabilityPlan, seed: int) -> tuple[float, Array]:
    chance = np.linspace(0, 1, plan.records)
    with Ledger().reserve(plan.event) as entry:
        noisy = release(forecasts(chance.tolist(), [0, 1] * (plan.records // 2)), plan, entry, bits_from(seed))
    return noisy.brier, noisy.counts


def test_the_sum_leaves_with_noise_of_its_law_and_half_the_noise_is_caught() -> None:
    plan = ReliabilityPlan(10, 0, Budget(0.5))
    exact = float(np.sum((np.linspace(0, 1, 10) - [0, 1] * 5) ** 2))
    noise = [released(plan, seed)[0] * 10 - exact for seed in range(1500)]
    assert stats.kstest(noise, stats.laplace(scale=2.0).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise, stats.laplace(scale=1.0).cdf).pvalue < FALSE_ALARM


def test_counts_leave_with_noise_of_their_law_and_half_the_noise_is_caught() -> None:
    plan = ReliabilityPlan(2000, 500, Budget(1.0))
    exact = reliability_counts(forecasts(np.linspace(0, 1, 2000).tolist(), [0, 1] * 1000), 500).reveal()
    noise = np.concatenate([released(plan, seed)[1].ravel() - exact for seed in range(4)])
    scale = 2 / 0.75
    assert stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(noise, stats.laplace(scale=scale / 2).cdf).pvalue < FALSE_ALARM


def test_no_release_without_an_open_entry_that_paid_for_it() -> None:
    plan = ReliabilityPlan(2, 2, Budget(1.0))
    inner = forecasts([0.1, 0.9], [0, 1])
    with Ledger().reserve(PureRelease(2.0)) as wrong, pytest.raises(LedgerFailure):
        release(inner, plan, wrong, bits_from(0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        release(inner, plan, closed, bits_from(0))


def test_a_missing_forecast_is_one_half_and_an_unknown_label_the_first_class() -> None:
    made = enter_forecasts(np.array([math.nan, math.inf, -3.0, 0.25]), np.array([1, 7, 0, 1]), (0, 1)).reveal()
    assert made.chance.tolist() == [0.5, 1.0, 0.0, 0.25]
    assert made.came.tolist() == [1, 0, 0, 1]


# --- intervals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chance", [0.2, 0.05, 1e-3])
def test_the_reach_of_the_noise_leaves_out_no_more_than_its_chance(chance: float) -> None:
    noise = counts_noise(1, 2, 1.0)
    ratio = math.exp(-noise.step / noise.scale)
    beyond = 2 * ratio ** (noise_reach(noise, chance) / noise.step + 1) / (1 + ratio)
    assert 0.99 * chance <= beyond <= chance


def test_without_noise_the_rate_has_the_exact_binomial_interval() -> None:
    for events, others in ((0, 9), (3, 7), (12, 0)):
        exact = stats.binomtest(events, events + others).proportion_ci(0.95, method="exact")
        assert rate_interval(events, others, 0.0, 0.05) == pytest.approx((exact.low, exact.high))
    assert rate_interval(0, 0, 0.0, 0.05) == (0.0, 1.0)
    assert rate_interval(-4, 2, 3.0, 0.05)[0] == 0.0


def test_noise_only_widens_intervals() -> None:
    assert rate_interval(30, 70, 5.0, 0.05)[0] < rate_interval(30, 70, 0.0, 0.05)[0]
    assert rate_interval(30, 70, 5.0, 0.05)[1] > rate_interval(30, 70, 0.0, 0.05)[1]
    wide, narrow = mean_interval(0.2, 100, 0.05, 0.05), mean_interval(0.2, 100, 0.0, 0.05)
    assert wide[0] < narrow[0] < 0.2 < narrow[1] < wide[1]


@pytest.mark.parametrize("mean", [0.0, 0.13, 1.0])
def test_the_mean_has_the_interval_of_chernoffs_bound(mean: float) -> None:
    low, high = mean_interval(mean, 50, 0.0, 0.05)
    assert 0 <= low <= mean <= high <= 1
    for end, far in ((low, 0.0), (high, 1.0)):
        if end not in (0.0, 1.0):
            assert 50 * relative_entropy(mean, end) == pytest.approx(math.log(40), rel=1e-6)
        else:
            assert end == far == mean


def test_intervals_cover_what_they_speak_of_through_sampling_and_noise() -> None:
    """300 samples of 300 rows at ε = 1: at most 20 % miss at the 80 % level; a twin with short intervals is caught."""
    rng, plan, level = np.random.default_rng(4), ReliabilityPlan(300, 4, Budget(1.0)), 0.8
    chances = np.array([0.125, 0.375, 0.625, 0.875])
    rates = np.array([0.2, 0.3, 0.7, 0.9])
    brier = float(np.mean(rates * (1 - chances) ** 2 + (1 - rates) * chances**2))
    reach, reach_sum = noise_reach(plan.cell_noise, (1 - level) / 4), noise_reach(plan.sum_noise, (1 - level) / 2) / 300
    missed, missed_brier, missed_twin = 0, 0, 0
    for seed in range(300):
        place = rng.integers(0, 4, 300)
        came = (rng.random(300) < rates[place]).astype(int)
        with Ledger().reserve(plan.event) as entry:
            noisy = release(forecasts(chances[place].tolist(), came.tolist()), plan, entry, bits_from(seed))
        score = brier_of(noisy.brier, 300, reach_sum, level, None)
        curve = curve_of(noisy.counts, middles_of(4), reach, score, None)
        missed += int(np.sum((rates < curve.low) | (rates > curve.high)))
        missed_brier += not score.low <= brier <= score.high
        twin = [rate_interval(yes, no, 0.0, 0.9) for no, yes in noisy.counts]
        missed_twin += sum(not low <= rate <= high for rate, (low, high) in zip(rates, twin, strict=True))
    assert missed <= 0.2 * 1200
    assert missed_brier <= 0.2 * 300
    assert missed_twin > 0.2 * 1200, "intervals that are too short would go unnoticed"


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_a_noisy_curve_leaves_half_of_the_chance_to_the_noise(level: float) -> None:
    """Each of two counts is beyond its reach with a quarter of what the level leaves; sampling gets the other half."""
    counts = np.array([[30.0, 10.0], [5.0, 45.0], [0.0, 7.0]])
    exact = curve_of(counts, middles_of(3), 0.0, brier_of(0.1, 97, 0.0, level, None), None)
    noisy = curve_of(counts, middles_of(3), 1e-9, brier_of(0.1, 97, 1e-12, level, None), None)
    wider = curve_of(counts, middles_of(3), 0.0, brier_of(0.1, 97, 0.0, (1 + level) / 2, None), None)
    np.testing.assert_allclose(noisy.low, wider.low, atol=1e-6)
    np.testing.assert_allclose(noisy.high, wider.high, atol=1e-6)
    assert (noisy.low[:2] < exact.low[:2]).all()
    assert noisy.brier.low == pytest.approx(wider.brier.low, abs=1e-9)
    assert noisy.brier.high == pytest.approx(wider.brier.high, abs=1e-9)
