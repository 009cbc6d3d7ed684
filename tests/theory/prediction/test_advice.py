"""How far one record moves a chance: the bound of every guarantee, on pairs of laws that reach it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import MechanismRefused
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    ConcentratedRelease,
    GaussianRelease,
    PureRelease,
)
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.prediction import advice

Array = npt.NDArray[np.float64]

EPSILONS = [1e-3, 0.1, 1.0, 4.0]


def variation(one: Array, other: Array) -> float:
    return float(np.abs(one - other).sum() / 2)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_randomised_response_reaches_the_bound_of_pure_privacy(epsilon: float) -> None:
    law = np.array([math.exp(epsilon), 1.0]) / (1 + math.exp(epsilon))
    assert variation(law, law[::-1]) == pytest.approx(advice.total_variation(PureRelease(epsilon)), rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_a_leaky_response_reaches_the_bound_with_delta(epsilon: float) -> None:
    delta = 0.01
    kept = (1 - delta) / (1 + math.exp(epsilon))
    law = np.array([delta, kept * math.exp(epsilon), kept, 0.0])
    bound = advice.total_variation(ApproximateRelease(epsilon, delta))
    assert variation(law, law[::-1]) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("mu", [1e-3, 0.3, 2.0])
def test_two_normal_laws_reach_the_bound_of_gaussian_privacy(mu: float) -> None:
    apart = stats.norm.cdf(mu / 2) - stats.norm.cdf(mu / 2, loc=mu)
    assert apart == pytest.approx(advice.total_variation(GaussianRelease(mu)), rel=1e-9)


@pytest.mark.parametrize("eta", EPSILONS)
def test_no_pair_of_laws_of_bounded_range_passes_its_bound_and_some_reach_it(eta: float) -> None:
    """All laws on a grid of three outcomes, and the tilts of them whose log-ratios span exactly η."""
    bound, found = advice.total_variation(BoundedRangeRelease(eta)), 0.0
    for first, second in itertools.product(np.linspace(0.02, 0.96, 48), repeat=2):
        if first + second > 0.98:
            continue
        law = np.array([first, second, 1 - first - second])
        for tilt in ([0.0, eta, eta], [0.0, eta, eta / 2]):
            other = law * np.exp(tilt)
            found = max(found, variation(law, other / other.sum()))
    assert 0.97 * bound <= found <= bound
    assert found < 0.6 * advice.total_variation(PureRelease(eta)) or eta > 2, "bounded range is worth a half"


def test_bounds_are_for_one_answer_of_a_known_kind() -> None:
    for event in (PureRelease(1.0, steps=2), BoundedRangeRelease(1.0, 2), GaussianRelease(1.0, 2)):
        with pytest.raises(MechanismRefused, match="one answer"):
            advice.total_variation(event)
    with pytest.raises(MechanismRefused, match="ConcentratedRelease"):
        advice.total_variation(ConcentratedRelease(1.0))


def test_large_guarantees_say_no_more_than_one() -> None:
    for event in (PureRelease(1e6), GaussianRelease(1e3), ApproximateRelease(1e6, 0.5), BoundedRangeRelease(1e6)):
        assert advice.total_variation(event) == 1.0


def test_the_mean_moves_by_the_sum_of_both_records() -> None:
    moved = advice.of_mean_expected_loss(0.03, 50)
    assert 0.03 + 1 / 50 < moved < (0.03 + 1 / 50) * (1 + 1e-9)
    assert advice.of_mean_expected_loss(0.0, 50) == pytest.approx(1 / 50)


@pytest.mark.parametrize("charge", [Budget(0.2, 1e-7), Budget(1e-9), Budget(1 / 3)])
def test_shares_of_the_charge_are_the_charge_and_no_more(charge: Budget) -> None:
    fit, answers, pilot = advice.shares(charge)
    assert fit.delta == charge.delta
    assert fit.epsilon + answers + pilot <= charge.epsilon
    assert math.fsum([fit.epsilon, answers, pilot]) == pytest.approx(charge.epsilon, rel=1e-14)
    assert fit.epsilon > answers > pilot > 0


def test_the_width_told_ahead_is_never_passed() -> None:
    noise = Noise(Law.LAPLACE, 0.02, 2.0**-20, 1)
    for mean in np.linspace(-0.1, 1.1, 41):
        low, high = advice.interval(float(mean), 400, noise)
        assert 0 <= low <= high <= 1
        assert high - mean <= advice.half_width(400, noise) + 1e-12 or high == 1
        assert mean - low <= advice.half_width(400, noise) + 1e-12 or low == 0
    assert advice.half_width(100, noise) > advice.half_width(400, noise) > 3.5 * 0.02
