"""Composition, against exact enumeration with 40 digits and against Google's privacy-loss distributions."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections import Counter

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.accounting import (
    delta_gaussian,
    delta_of,
    epsilon_of,
    rho_for,
    second_opinion,
    total_delta,
    total_epsilon,
    total_spent,
)
from equipoise.theory.accounting.profile import _rounded_up, loss_law
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease
from equipoise.theory.guarantees import Approximate, BoundedRange, Concentrated, Gaussian, Measure, Pure, Renyi

EPSILONS = st.floats(1e-3, 3.0)
RENYI = Renyi((1.5, 2.0, 4.0, 8.0, 32.0), (0.015, 0.02, 0.04, 0.08, 0.32))
EXACT = st.one_of(
    st.builds(Pure, EPSILONS),
    st.builds(Approximate, EPSILONS, st.floats(0, 1e-4)),
    st.builds(Gaussian, st.floats(1e-3, 2.0)),
    st.builds(BoundedRange, EPSILONS),
)
MEASURES = st.one_of(EXACT, st.builds(Concentrated, st.floats(1e-4, 1.0)), st.just(RENYI))


def exact_delta(epsilons: list[float], shift: float, epsilon: float) -> mp.mpf:
    """δ of randomised responses with a Gaussian shift, outcome by outcome."""
    with mp.workdps(40):
        total = mp.mpf(0)
        for signs in itertools.product((1, -1), repeat=len(epsilons)):
            losses = [sign * mp.mpf(e) for sign, e in zip(signs, epsilons, strict=True)]
            mass = mp.fprod(1 / (1 + mp.exp(-loss)) for loss in losses)
            total += mass * _shifted(mp.mpf(epsilon) - mp.fsum(losses), mp.mpf(shift))
        return total


def _shifted(epsilon: mp.mpf, shift: mp.mpf) -> mp.mpf:
    if shift == 0:
        return max(mp.mpf(0), 1 - mp.exp(epsilon))
    return mp.ncdf(shift / 2 - epsilon / shift) - mp.exp(epsilon) * mp.ncdf(-shift / 2 - epsilon / shift)


@settings(deadline=None, max_examples=60)
@given(
    epsilons=st.lists(EPSILONS, min_size=1, max_size=6),
    shift=st.one_of(st.just(0.0), st.floats(0.01, 3.0)),
    share=st.floats(0.05, 0.95),
)
def test_joint_delta_is_never_below_the_truth_and_close_to_it(
    epsilons: list[float], shift: float, share: float
) -> None:
    epsilon = share * (sum(epsilons) + 5 * shift)
    truth = exact_delta(epsilons, shift, epsilon)
    measures: list[Measure] = [Pure(e) for e in epsilons]
    answer = total_delta([*measures, Gaussian(shift)], epsilon)
    assert answer >= truth
    if truth > 1e-9:
        assert answer <= truth * (1 + mp.mpf(0.02))


def test_joint_delta_of_distinct_epsilons_has_four_digits() -> None:
    epsilons = [0.11, 0.23, 0.37, 0.53, 0.71, 0.29, 0.31]
    truth = exact_delta(epsilons, 0.4, 1.7)
    answer = total_delta([Gaussian(0.4), *(Pure(e) for e in epsilons)], 1.7)
    assert truth <= answer <= truth * (1 + mp.mpf(1e-4))


def test_equal_responses_keep_relative_accuracy_at_tiny_delta() -> None:
    with mp.workdps(40):
        keep = 1 / (1 + mp.exp(-mp.mpf(0.1)))
        masses = [mp.binomial(100, hits) * keep**hits * (1 - keep) ** (100 - hits) for hits in range(101)]
        gaps = [max(0, 1 - mp.exp(9 - mp.mpf(0.1) * (2 * hits - 100))) for hits in range(101)]
        truth = mp.fdot(masses, gaps)
    assert truth < 1e-22
    assert truth <= total_delta([Pure(0.1)] * 100, 9.0) <= truth * (1 + mp.mpf(1e-6))


MIXTURES: list[tuple[list[Measure], float]] = [
    ([Pure(0.1)] * 100, 1e-6),
    ([Pure(1.0)] * 30, 1e-5),
    ([Approximate(0.2, 1e-9)] * 50, 1e-6),
    ([*[Pure(0.1)] * 100, Gaussian(0.5)], 1e-6),
    ([*[Pure(0.1)] * 50, *[Pure(0.3)] * 10, *[Approximate(0.2, 1e-8)] * 5, *[Gaussian(0.5)] * 4], 1e-6),
    ([*(Pure(0.125 + i / 64) for i in range(12)), Gaussian(1.0)], 1e-9),
]


@pytest.mark.parametrize(("measures", "delta"), MIXTURES)
def test_total_epsilon_agrees_with_privacy_loss_distributions(measures: list[Measure], delta: float) -> None:
    assert total_epsilon(measures, delta) == pytest.approx(second_opinion(measures, delta), rel=1e-3)


def test_second_opinion_of_one_gaussian_uses_mu_as_the_shift() -> None:
    assert second_opinion([Gaussian(0.7)], 1e-6) == pytest.approx(epsilon_of(Gaussian(0.7), 1e-6), rel=1e-4)
    assert second_opinion([], 1e-6) == 0.0
    assert second_opinion([Gaussian(0.0)], 1e-6) == 0.0


def test_second_opinion_refuses_what_it_cannot_judge() -> None:
    with pytest.raises(InvalidInput, match="privacy-loss"):
        second_opinion([Concentrated(0.1)], 1e-6)
    with pytest.raises(InvalidInput, match="total_epsilon"):
        second_opinion([Pure(0.1)], 1e-14)


def test_pure_epsilons_add_up_at_delta_zero() -> None:
    assert total_epsilon([Pure(0.1)] * 10, 0.0) == 1.0  # to nearest: ten tenths fit a budget of one
    assert total_epsilon([Pure(0.25), Pure(0.5), Approximate(1.0, 0.0)], 0.0) == 1.75
    assert total_delta([Pure(0.1)] * 10, 1.0) == 0.0


def test_gaussians_compose_exactly() -> None:
    assert total_epsilon([Gaussian(0.3)] * 16, 1e-6) == pytest.approx(epsilon_of(Gaussian(1.2), 1e-6), rel=1e-10)
    assert total_delta([Gaussian(3.0), Gaussian(4.0)], 2.0) == pytest.approx(delta_gaussian(2.0, 5.0), rel=1e-10)


def test_concentrated_budgets_add_up() -> None:
    rho = rho_for(1.0, 1e-6)
    assert total_epsilon([Concentrated(rho / 8)] * 8, 1e-6) == pytest.approx(1.0, rel=1e-4)
    with_gaussian: list[Measure] = [Concentrated(rho / 2), Gaussian(math.sqrt(rho))]
    assert total_epsilon(with_gaussian, 1e-6) == pytest.approx(1.0, rel=1e-4)


def test_renyi_divergences_add_up_at_each_order() -> None:
    twice = Renyi(RENYI.orders, tuple(2 * value for value in RENYI.epsilons))
    assert total_delta([RENYI, RENYI], 1.0) == pytest.approx(delta_of(twice, 1.0), rel=1e-10)
    other = Renyi((4.0,), (0.04,))  # known at order 4 only: it bounds orders below, nothing above
    assert total_delta([RENYI, other], 1.0) >= total_delta([RENYI], 1.0)
    assert total_delta([RENYI, other], 1.0) < 1.0


def test_leaks_of_approximate_mechanisms_add_up() -> None:
    releases = [Approximate(0.5, 1e-7)] * 10
    assert total_epsilon(releases, 0.9e-6) == math.inf
    assert total_epsilon(releases, 1e-6) <= 5.0
    assert total_delta(releases, 5.0) <= 1e-6
    assert total_epsilon([Approximate(1.0, 1e-5)], 1e-5) == 1.0
    assert total_epsilon([*releases, Concentrated(0.01)], 1e-7) == math.inf


@settings(deadline=None, max_examples=60)
@given(measure=MEASURES, delta=st.floats(1e-3, 0.1))
def test_one_release_costs_what_it_costs_alone(measure: Measure, delta: float) -> None:
    alone = epsilon_of(measure, delta)
    assert total_epsilon([measure], delta) == pytest.approx(alone, rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(measures=st.lists(MEASURES, max_size=6), seed=st.integers(0, 1000))
def test_order_does_not_matter(measures: list[Measure], seed: int) -> None:
    shuffled = list(measures)
    random.Random(seed).shuffle(shuffled)  # noqa: S311
    assert total_epsilon(shuffled, 1e-3) == total_epsilon(measures, 1e-3)


@settings(deadline=None, max_examples=60)
@given(measures=st.lists(MEASURES, max_size=5), more=MEASURES)
def test_one_more_release_never_costs_less(measures: list[Measure], more: Measure) -> None:
    assert total_epsilon([*measures, more], 1e-3) >= total_epsilon(measures, 1e-3) * (1 - 1e-9)
    assert total_delta([*measures, more], 1.0) >= total_delta(measures, 1.0) * (1 - 1e-9)


@settings(deadline=None, max_examples=60)
@given(measures=st.lists(MEASURES, min_size=1, max_size=5), delta=st.floats(1e-3, 0.2))
def test_total_epsilon_keeps_its_delta(measures: list[Measure], delta: float) -> None:
    assert total_delta(measures, total_epsilon(measures, delta)) <= delta


@settings(deadline=None, max_examples=60)
@given(measures=st.lists(EXACT, min_size=1, max_size=5), delta=st.floats(1e-3, 0.2))
def test_exact_composition_beats_basic_composition(measures: list[Measure], delta: float) -> None:
    epsilon = total_epsilon(measures, delta)
    basic = sum(epsilon_of(measure, delta / len(measures)) for measure in measures)
    assert epsilon <= basic * (1 + 1e-6) + 1e-9


@settings(deadline=None, max_examples=25)
@given(measures=st.lists(MEASURES, min_size=1, max_size=5))
def test_looser_demands_never_cost_more(measures: list[Measure]) -> None:
    costs = [total_epsilon(measures, delta) for delta in (1e-3, 1e-2, 0.1)]
    assert costs == sorted(costs, reverse=True)
    risks = [total_delta(measures, epsilon) for epsilon in (0.0, 0.5, 1.0, 4.0)]
    assert risks == sorted(risks, reverse=True)


def test_exact_composition_beats_moments_for_pure_releases() -> None:
    assert total_epsilon([Pure(0.1)] * 100, 1e-6) == pytest.approx(4.7746, rel=1e-4)
    with_speck: list[Measure] = [*([Pure(0.1)] * 100), Concentrated(1e-12)]  # the exact curve does not apply
    assert total_epsilon(with_speck, 1e-6) == pytest.approx(5.0, abs=0.2)


def test_nothing_released_costs_nothing() -> None:
    nothing: list[Measure] = [Pure(0.0), Gaussian(0.0), Concentrated(0.0), Approximate(0.0, 0.0), Renyi((2.0,), (0.0,))]
    assert total_epsilon([], 0.0) == 0.0
    assert total_delta([], 0.0) == 0.0
    assert total_epsilon(nothing, 0.0) == 0.0


def test_hundreds_of_distinct_releases_take_less_than_a_second() -> None:
    measures: list[Measure] = [Pure(0.01 * (1 + i / 300)) for i in range(300)]
    started = time.process_time()
    epsilon = total_epsilon([*measures, Gaussian(0.1)], 1e-6)
    assert time.process_time() - started < 2.0
    assert epsilon == pytest.approx(1.2052, rel=2e-3)


def test_thousands_of_distinct_releases_fall_back_to_moments() -> None:
    measures: list[Measure] = [Pure(0.001 + 1e-8 * i) for i in range(5000)]
    exact = total_epsilon([Pure(0.00105)] * 5000, 1e-6)  # larger than every one, composed exactly
    assert 0.9 * exact < total_epsilon(measures, 1e-6) < 1.3 * exact
    assert total_epsilon([Pure(1e5), Pure(2e5)], 1e-6) == pytest.approx(3e5, rel=1e-3)


@pytest.mark.parametrize("bad", [-0.1, math.nan, 1.0])
def test_bad_delta_is_refused(bad: float) -> None:
    with pytest.raises(InvalidInput):
        total_epsilon([Pure(1.0)], bad)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_bad_epsilon_is_refused(bad: float) -> None:
    with pytest.raises(InvalidInput):
        total_delta([Pure(1.0)], bad)


def test_unknown_measures_are_refused() -> None:
    strangers: list[Measure] = [Pure(1.0), 0.5]  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="float"):
        total_epsilon(strangers, 0.1)


def test_spending_reports_the_numeric_part_apart() -> None:
    events: list[Event] = [PureRelease(0.5, 1e-13), ApproximateRelease(0.25, 1e-7, 2e-13)]
    spent = total_spent(events, 1e-7)
    assert (spent.epsilon, spent.delta) == (0.75, 1e-7)
    assert spent.delta_numeric == pytest.approx(3e-13, rel=1e-12)


def test_numeric_part_of_gaussian_noise_grows_with_the_joint_epsilon() -> None:
    events: list[Event] = [GaussianRelease(0.5, steps=4, delta_numeric=1e-13), PureRelease(0.5, 1e-13)]
    spent = total_spent(events, 1e-6)
    assert spent.epsilon == pytest.approx(total_epsilon([Gaussian(1.0), Pure(0.5)], 1e-6), rel=1e-9)
    assert spent.delta_numeric == pytest.approx(1e-13 * (1 + (1 + math.exp(spent.epsilon)) / 2), rel=1e-9)
    assert total_spent(events, 0.0).delta_numeric == 1.0  # ε is infinite: nothing is promised
    assert total_spent([], 1e-6).epsilon == 0.0


def test_many_steps_cost_what_as_many_releases_cost() -> None:
    together = total_spent([GaussianRelease(0.1, steps=25)], 1e-6)
    apart = total_spent([GaussianRelease(0.1)] * 25, 1e-6)
    assert together.epsilon == pytest.approx(apart.epsilon, rel=1e-10)


def test_tails_that_are_cut_off_count_as_leaked() -> None:
    law = loss_law({0.01 * (1 + i / 300): 1 for i in range(300)})
    assert law is not None
    assert 0 < law.leak < 1e-38
    assert law.delta(2.9) >= law.leak


@pytest.mark.parametrize("shift", [0.0, 0.3])
@pytest.mark.parametrize("delta", [1e-9, 1e-2])
def test_one_more_of_many_different_prices_costs_no_more_than_itself(delta: float, shift: float) -> None:
    """About where the exact curve of different ε would take too long; equal ones on either side are quick."""
    beside = [Gaussian(shift)] if shift else []
    low, high, most = 0.006, 0.0061, 3_830
    prices = [Pure(float(epsilon)) for epsilon in np.linspace(low, high, most)]
    fewer, more = (total_epsilon([*prices[:count], *beside], delta) for count in (most - 30, most))
    assert fewer <= more <= 1.02 * fewer  # 30 of 3,800: less than one in a hundred
    at_least, at_most = (total_epsilon({Pure(each): most} | dict.fromkeys(beside, 1), delta) for each in (low, high))
    assert at_least <= more <= 1.001 * at_most


@settings(deadline=None, max_examples=60)
@given(epsilons=st.lists(EPSILONS, min_size=1, max_size=6), bits=st.sampled_from([2, 6, 12]), at=st.floats(0, 1))
def test_prices_that_are_rounded_up_are_never_told_cheaper(epsilons: list[float], bits: int, at: float) -> None:
    exact, rounded = (dict(Counter(each)) for each in (epsilons, _rounded_up(Counter(epsilons), bits).elements()))
    assert len(rounded) <= len(exact)
    assert sum(rounded.values()) == len(epsilons)
    assert sum(epsilons) <= math.fsum(e * m for e, m in rounded.items()) * (1 + 1e-12)
    here, there = loss_law(exact), loss_law(rounded)
    assert here is not None
    assert there is not None
    epsilon = at * sum(epsilons)
    assert float(exact_delta(epsilons, 0.0, epsilon)) <= there.delta(epsilon) * (1 + 1e-12)
    coarser = _rounded_up(Counter(epsilons), 2)
    assert all(a <= b for a, b in zip(sorted(Counter(rounded).elements()), sorted(coarser.elements()), strict=True))


@pytest.mark.parametrize("tiny", [5e-324, 2e-313, 1e-300])
def test_rounding_up_loses_nothing_of_the_smallest_doubles(tiny: float) -> None:
    assert list(_rounded_up({tiny: 3}, 6).values()) == [3]
    assert min(_rounded_up({tiny: 3}, 6)) >= tiny


@pytest.mark.parametrize("tiny", [5e-324, 2e-313, 1e-300])
def test_releases_of_almost_nothing_cost_almost_nothing(tiny: float) -> None:
    assert 0 < total_delta([Approximate(2 * tiny, 0.0), Pure(tiny)], 0.0) <= 1e-12  # by moments: no grid is that fine
    assert total_epsilon([Pure(2 * tiny), Pure(tiny)], 1e-9) <= 3 * tiny * (1 + 1e-9)
