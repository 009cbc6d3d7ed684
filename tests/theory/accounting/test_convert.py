"""Conversions between privacy measures, against 50-digit arithmetic and exact laws."""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.accounting import (
    advantage,
    delta_concentrated,
    delta_gaussian,
    delta_of,
    delta_pure,
    delta_renyi,
    epsilon_of,
    gaussian_to_concentrated,
    pure_to_concentrated,
    to_renyi,
    tpr_at_fpr,
)
from equipoise.theory.accounting.convert import TINY, gaussian_curve
from equipoise.theory.guarantees import Approximate, Concentrated, Gaussian, Measure, Pure, Renyi

MEASURES: list[Measure] = [
    Pure(0.7),
    Approximate(0.7, 1e-9),
    Concentrated(0.05),
    Gaussian(0.4),
    Renyi((1.5, 2.0, 8.0, 64.0), (0.01, 0.02, 0.1, 1.0)),
]


def powers_of_ten(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers between 10^low and 10^high, every size equally likely."""
    return st.floats(low, high).map(lambda exponent: float(10.0**exponent))


def exact_gaussian(epsilon: float, shift: float) -> mp.mpf:
    """δ of a Gaussian shift by its formula, with enough digits for every cancellation."""
    with mp.workdps(50):
        e, s = mp.mpf(epsilon), mp.mpf(shift)
        return mp.ncdf(s / 2 - e / s) - mp.exp(e) * mp.ncdf(-s / 2 - e / s)


@settings(deadline=None, max_examples=400)
@given(epsilon=st.one_of(st.just(0.0), powers_of_ten(-15, 3.5)), shift=powers_of_ten(-5, 2.5))
def test_gaussian_delta_is_never_below_the_truth(epsilon: float, shift: float) -> None:
    truth, answer = exact_gaussian(epsilon, shift), delta_gaussian(epsilon, shift)
    assert answer >= truth
    if truth > 1e-30:
        assert answer <= truth * (1 + mp.mpf(1e-5))


@settings(deadline=None, max_examples=400)
@example(epsilon=0.0, shift=1e-12)
@example(epsilon=1e300, shift=1e-10)
@example(epsilon=1.0, shift=1e101)
@given(epsilon=st.one_of(st.just(0.0), powers_of_ten(-15, 15)), shift=powers_of_ten(-15, 15))
def test_one_gaussian_delta_is_its_place_on_the_curve_to_the_last_bit(epsilon: float, shift: float) -> None:
    """Two ways to write the same operations: numbers for calibrations, arrays for profiles."""
    with np.errstate(all="ignore"):
        (place,) = gaussian_curve(np.array([epsilon]), shift)
    assert delta_gaussian(epsilon, shift) == max(TINY, float(place))


@settings(deadline=None, max_examples=150)
@given(epsilon=powers_of_ten(-2, 1.5), shift=powers_of_ten(-2, 1.5))
def test_gaussian_delta_is_accurate_where_it_is_used(epsilon: float, shift: float) -> None:
    truth = exact_gaussian(epsilon, shift)
    if truth > 1e-15:
        assert delta_gaussian(epsilon, shift) <= truth * (1 + mp.mpf(1e-10))


def test_gaussian_delta_at_tiny_delta_has_ten_digits() -> None:
    for epsilon, shift in ((1.0, 0.15), (0.1, 0.0145), (5.0, 0.75), (30.0, 3.2)):
        truth = exact_gaussian(epsilon, shift)
        assert truth <= delta_gaussian(epsilon, shift) <= truth * (1 + mp.mpf(1e-9))


def test_gaussian_delta_survives_extreme_numbers() -> None:
    assert delta_gaussian(0.0, 0.0) == 0.0
    assert 0 < delta_gaussian(1.0, 1e-300) < 1e-300  # underflow must not promise δ = 0
    assert delta_gaussian(1e300, 1.0) < 1e-300
    assert delta_gaussian(0.0, 1e300) == 1.0


@settings(deadline=None)
@given(epsilon=powers_of_ten(-3, 1), shift=powers_of_ten(-2, 1), factor=st.floats(1.001, 3.0))
def test_gaussian_delta_falls_with_epsilon_and_rises_with_shift(epsilon: float, shift: float, factor: float) -> None:
    assert delta_gaussian(epsilon * factor, shift) <= delta_gaussian(epsilon, shift)
    assert delta_gaussian(epsilon, shift * factor) >= delta_gaussian(epsilon, shift)


@pytest.mark.parametrize(("epsilon", "rho", "factor"), [(0.1, 1e-3, 1.5), (1.0, 0.02, 1.2), (5.0, 0.3, 1.1)])
def test_sharper_conversion_beats_the_classical_one(epsilon: float, rho: float, factor: float) -> None:
    classical = math.exp(-((epsilon - rho) ** 2) / (4 * rho))
    assert delta_concentrated(rho, epsilon) * factor < classical


@settings(deadline=None, max_examples=60)
@given(rho=powers_of_ten(-5, 1), epsilon=powers_of_ten(-2, 1.5))
@example(rho=0.445856797667133, epsilon=10.0**1.5)
def test_concentrated_delta_is_the_best_order_of_the_formula(rho: float, epsilon: float) -> None:
    def logs(orders: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders) - np.log(orders - 1)

    coarse = 1 + np.logspace(-5, 9, 200_001)
    place = int(np.argmin(logs(coarse)))  # between its neighbours the best one can be lower by a part in a million
    fine = np.linspace(coarse[max(place - 1, 0)], coarse[min(place + 1, len(coarse) - 1)], 2001)
    best = math.exp(min(0.0, float(logs(fine).min())))
    answer = delta_concentrated(rho, epsilon)
    assert answer >= best * (1 - 1e-6)
    if best > 1e-50:
        assert answer <= best * 1.01


@settings(deadline=None, max_examples=60)
@given(mu=powers_of_ten(-2, 1), epsilon=powers_of_ten(-2, 1.5))
def test_concentrated_delta_covers_the_gaussian_it_came_from(mu: float, epsilon: float) -> None:
    assert delta_concentrated(gaussian_to_concentrated(Gaussian(mu)).rho, epsilon) >= delta_gaussian(epsilon, mu)


def test_renyi_delta_matches_the_formula_at_one_order() -> None:
    expected = math.exp(7 * (0.3 - 1.0)) * (1 - 1 / 8) ** 7 / 8
    assert delta_renyi((8.0,), (0.3,), 1.0) == pytest.approx(expected, rel=1e-12)
    assert delta_renyi((8.0, 2.0), (0.0, 5.0), 1.0) == 0.0


def test_more_renyi_orders_never_hurt() -> None:
    assert delta_renyi((2.0, 8.0, 32.0), (0.1, 0.4, 1.6), 2.0) <= delta_renyi((2.0, 8.0), (0.1, 0.4), 2.0)


@given(pure=st.floats(0.01, 50), share=st.floats(0, 1.5))
def test_pure_delta_is_that_of_randomised_response(pure: float, share: float) -> None:
    epsilon = pure * share
    keep, flip = 1 / (1 + math.exp(-pure)), 1 / (1 + math.exp(pure))
    with mp.workdps(50):
        gap = (mp.exp(mp.mpf(pure)) - mp.exp(mp.mpf(epsilon))) / (mp.exp(mp.mpf(pure)) + 1)
    assert max(gap, 0) <= delta_pure(pure, epsilon) <= max(gap, 0) * (1 + mp.mpf(1e-12))
    assert delta_pure(pure, epsilon) == pytest.approx(max(0.0, keep - math.exp(epsilon) * flip), abs=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.0, 20.0])
def test_pure_is_tanh_concentrated_and_no_better(epsilon: float) -> None:
    rho = pure_to_concentrated(Pure(epsilon)).rho
    assert rho <= epsilon**2 / 2
    with mp.workdps(50):
        keep = 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        ratios = [_divergence(keep, 1 + mp.mpf(10) ** k) / (1 + mp.mpf(10) ** k) for k in range(-9, 7)]
    assert max(ratios) <= rho
    assert max(ratios) >= rho * (1 - mp.mpf(1e-6))  # approached as the order falls to 1


def _divergence(keep: mp.mpf, order: mp.mpf) -> mp.mpf:
    """Rényi divergence of randomised response from its mirror image."""
    flip = 1 - keep
    return mp.log(keep**order * flip ** (1 - order) + flip**order * keep ** (1 - order)) / (order - 1)


@pytest.mark.parametrize("epsilon", [1e-4, 0.3, 2.0, 40.0])
def test_renyi_divergence_of_pure_is_that_of_randomised_response(epsilon: float) -> None:
    orders = (1.0001, 1.01, 1.5, 2.0, 10.0, 1e3, 1e6)
    curve = to_renyi(Pure(epsilon), orders)
    with mp.workdps(60):
        truths = [_divergence(1 / (1 + mp.exp(-mp.mpf(epsilon))), mp.mpf(order)) for order in orders]
    for truth, answer in zip(truths, curve.epsilons, strict=True):
        assert truth <= answer <= truth * (1 + mp.mpf(1e-3))


def test_renyi_divergences_of_the_other_measures() -> None:
    assert to_renyi(Gaussian(2.0), (3.0,)).epsilons[0] == pytest.approx(6.0, rel=1e-14)
    assert to_renyi(Concentrated(0.5), (3.0,)).epsilons[0] == pytest.approx(1.5, rel=1e-14)
    known = Renyi((2.0, 8.0), (0.1, 0.5))
    assert to_renyi(known, (1.5, 2.0, 5.0)).epsilons == (0.1, 0.1, 0.5)


@pytest.mark.parametrize("orders", [(), (1.0,), (math.nan,), (math.inf,), (9.0,)])
def test_renyi_orders_without_an_answer_are_refused(orders: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput):
        to_renyi(Renyi((2.0, 8.0), (0.1, 0.5)), orders)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01, 0.3])
def test_epsilon_of_keeps_its_delta_and_is_not_wasteful(measure: Measure, delta: float) -> None:
    epsilon = epsilon_of(measure, delta)
    if isinstance(measure, Approximate) and delta < measure.delta:
        assert epsilon == math.inf
    elif epsilon > 0:
        assert delta_of(measure, epsilon) <= delta
        assert delta_of(measure, epsilon * (1 - 1e-6)) > delta
    else:
        assert delta_of(measure, 0.0) <= delta


def test_epsilon_of_at_delta_zero_is_the_pure_one_or_none() -> None:
    assert epsilon_of(Pure(0.7), 0.0) == 0.7
    assert epsilon_of(Approximate(0.7, 0.0), 0.0) == 0.7
    assert epsilon_of(Approximate(0.7, 1e-6), 1e-6) == 0.7
    assert epsilon_of(Gaussian(0.7), 0.0) == math.inf
    assert epsilon_of(Concentrated(0.7), 0.0) == math.inf
    assert epsilon_of(Gaussian(0.0), 0.0) == epsilon_of(Concentrated(0.0), 0.0) == epsilon_of(Pure(0.0), 0.0) == 0.0


@given(epsilon=st.floats(0, 800), delta=st.floats(0, 0.99), fpr=st.floats(0, 1))
def test_no_operating_point_beats_the_advantage(epsilon: float, delta: float, fpr: float) -> None:
    assert fpr * (1 - 1e-12) <= tpr_at_fpr(epsilon, delta, fpr) <= 1
    assert tpr_at_fpr(epsilon, delta, fpr) - fpr <= advantage(epsilon, delta) + 1e-12


def test_advantage_and_tpr_take_their_textbook_values() -> None:
    assert advantage(0.0, 0.0) == 0.0
    assert advantage(1.0, 0.01) == pytest.approx((math.e - 1 + 0.02) / (math.e + 1), rel=1e-14)
    assert advantage(1e6, 0.0) == 1.0
    corner = (1 - 0.01) / (1 + math.e)  # where the two lines of the region meet and the advantage is reached
    assert tpr_at_fpr(1.0, 0.01, corner) - corner == pytest.approx(advantage(1.0, 0.01), rel=1e-12)
    assert tpr_at_fpr(1.0, 0.01, 0.0) == pytest.approx(0.01, rel=1e-12)
    assert tpr_at_fpr(1000.0, 0.0, 1e-300) == 1.0
    assert tpr_at_fpr(1.0, 0.0, 1.0) == 1.0


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_nan_and_negative_numbers_are_refused(bad: float) -> None:
    calls: list[Callable[[], object]] = [
        lambda: delta_gaussian(bad, 1.0),
        lambda: delta_gaussian(1.0, bad),
        lambda: delta_concentrated(bad, 1.0),
        lambda: delta_concentrated(1.0, bad),
        lambda: delta_renyi((2.0,), (bad,), 1.0),
        lambda: delta_renyi((2.0,), (1.0,), bad),
        lambda: delta_pure(bad, 1.0),
        lambda: epsilon_of(Gaussian(1.0), bad),
        lambda: advantage(bad, 0.0),
        lambda: advantage(1.0, bad),
        lambda: tpr_at_fpr(1.0, 0.0, bad),
    ]
    for call in calls:
        with pytest.raises(InvalidInput):
            call()
    with pytest.raises(InvalidInput):
        tpr_at_fpr(1.0, 0.0, 1.5)


def test_unknown_measures_are_refused() -> None:
    stranger: Measure = "ten epsilon"  # type: ignore[assignment]
    with pytest.raises(InvalidInput, match="not known"):
        delta_of(stranger, 1.0)
    with pytest.raises(InvalidInput, match="not known"):
        epsilon_of(stranger, 0.1)
    with pytest.raises(InvalidInput, match="not known"):
        to_renyi(stranger, (2.0,))
    with pytest.raises(InvalidInput, match="not known"):
        to_renyi(Approximate(1.0, 1e-6), (2.0,))  # an (ε, δ) promise bounds no Rényi divergence
