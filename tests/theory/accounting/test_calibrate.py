"""Calibration: published values, never an overspend, never a wasteful answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting import (
    ObjectiveLaw,
    delta_concentrated,
    delta_gaussian,
    gaussian_shift,
    objective_delta,
    objective_pure_epsilon_logistic,
    objective_pure_rate,
    objective_pure_rate_logistic,
    objective_sigma,
    rho_for,
    sigma_output,
    smallest_sigma,
)
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
EPSILONS = st.floats(-6, 2).map(lambda exponent: float(10.0**exponent))
DELTAS = st.floats(-14, -0.5).map(lambda exponent: float(10.0**exponent))
PAIRS = list(itertools.product(ObjectiveLaw, Adjacency))


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [
        (1.0, 1e-5, 3.73),
        (1.0, 1e-6, 4.22),
        (1.0, 1e-9, 5.50),
        (0.1, 1e-6, 36.3),
        (0.1, 1e-9, 50.2),
        (3.0, 1e-6, 1.54),
        (3.0, 1e-9, 1.94),
    ],
)
def test_gaussian_sigma_matches_published_values(epsilon: float, delta: float, sigma: float) -> None:
    assert sigma_output(1.0, epsilon, delta) == pytest.approx(sigma, rel=3e-3)  # as printed


@settings(deadline=None, max_examples=150)
@given(epsilon=EPSILONS, delta=DELTAS, sensitivity=st.floats(-8, 8).map(lambda exponent: float(10.0**exponent)))
def test_gaussian_noise_never_overspends_and_is_not_wasteful(epsilon: float, delta: float, sensitivity: float) -> None:
    sigma = sigma_output(sensitivity, epsilon, delta)
    with mp.workdps(50):
        shift, e = mp.mpf(sensitivity) / mp.mpf(sigma), mp.mpf(epsilon)
        truth = mp.ncdf(shift / 2 - e / shift) - mp.exp(e) * mp.ncdf(-shift / 2 - e / shift)
    assert truth <= delta
    assert delta_gaussian(epsilon, sensitivity / sigma * (1 + 1e-6)) > delta


@settings(deadline=None, max_examples=60)
@given(epsilon=EPSILONS, delta=DELTAS)
def test_concentrated_budget_never_overspends_and_is_not_wasteful(epsilon: float, delta: float) -> None:
    rho = rho_for(epsilon, delta)
    assert delta_concentrated(rho, epsilon) <= delta
    assert delta_concentrated(rho * (1 + 1e-6), epsilon) > delta
    closed_form = (math.sqrt(math.log(1 / delta) + epsilon) - math.sqrt(math.log(1 / delta))) ** 2
    assert rho >= closed_form * (1 - 1e-6)
    assert math.sqrt(2 * rho) <= gaussian_shift(Budget(epsilon, delta))


def test_sharper_conversion_doubles_the_budget_at_small_epsilon() -> None:
    closed_form = (math.sqrt(math.log(1e6) + 0.1) - math.sqrt(math.log(1e6))) ** 2
    assert 1.7 < rho_for(0.1, 1e-6) / closed_form < 2.1


def test_more_budget_never_needs_more_noise() -> None:
    budgets = ((0.5, 1e-9), (0.5, 1e-6), (1.0, 1e-6), (9.0, 0.1))
    sigmas = [sigma_output(1.0, epsilon, delta) for epsilon, delta in budgets]
    assert sigmas == sorted(sigmas, reverse=True)


def test_smallest_sigma_stops_where_delta_is_met() -> None:
    sigma = smallest_sigma(lambda scale: min(1.0, 1e-6 / scale), 1e-3)
    assert 1e-3 <= sigma <= 1e-3 * (1 + 1e-10)
    with pytest.raises(MechanismRefused, match="raise delta"):
        smallest_sigma(lambda scale: 0.5, 1e-3)


def test_delta_zero_is_refused_by_gaussian_noise() -> None:
    calls: list[Callable[[], object]] = [
        lambda: gaussian_shift(Budget(1.0)),
        lambda: sigma_output(1.0, 1.0, 0.0),
        lambda: rho_for(1.0, 1e-310),
        lambda: smallest_sigma(lambda scale: 0.0, 0.0),
    ]
    for call in calls:
        with pytest.raises(MechanismRefused, match="pure mechanism"):
            call()


@pytest.mark.parametrize("bad", [-1.0, 0.0, math.nan, math.inf])
def test_bad_parameters_are_refused(bad: float) -> None:
    calls: list[Callable[[], object]] = [
        lambda: sigma_output(bad, 1.0, 1e-6),
        lambda: sigma_output(1.0, bad, 1e-6),
        lambda: rho_for(bad, 1e-6),
        lambda: objective_pure_rate(bad, change=1.0, log_jacobian=0.0),
        lambda: objective_pure_rate(1.0, change=bad, log_jacobian=0.0),
        lambda: objective_pure_rate_logistic(1.0, bad, 1.0, REPLACE),
        lambda: objective_pure_rate_logistic(1.0, 1.0, bad, REPLACE),
        lambda: objective_sigma(1.0, 1e-6, gradient=bad, log_jacobian=0.1, law=ObjectiveLaw.SOFTMAX, adjacency=ADD),
    ]
    for call in calls:
        with pytest.raises(InvalidInput):
            call()
    with pytest.raises(InvalidInput):
        sigma_output(1.0, 1.0, -1e-6)


def test_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match="classes"):
        objective_delta(1.0, 1.0, ObjectiveLaw.SOFTMAX, REPLACE, classes=1)


@pytest.mark.parametrize(("law", "adjacency"), PAIRS)
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_objective_noise_meets_its_delta_exactly(law: ObjectiveLaw, adjacency: Adjacency, classes: int) -> None:
    for epsilon, delta, gradient, jacobian in ((1.0, 1e-6, 1.0, 0.1), (0.1, 1e-9, 250.0, 0.05), (3.0, 1e-5, 1e-3, 0.0)):
        sigma = objective_sigma(
            epsilon, delta, gradient=gradient, log_jacobian=jacobian, law=law, adjacency=adjacency, classes=classes
        )
        left = epsilon - jacobian
        assert objective_delta(left, gradient / sigma, law, adjacency, classes) <= delta
        assert objective_delta(left, gradient / sigma * (1 + 1e-6), law, adjacency, classes) > delta


def test_objective_noise_at_add_remove_fixed_sign_is_the_plain_gaussian() -> None:
    law = ObjectiveLaw.FIXED_SIGN
    sigma = objective_sigma(1.1, 1e-6, gradient=2.0, log_jacobian=0.1, law=law, adjacency=ADD)
    assert sigma == pytest.approx(sigma_output(2.0, 1.0, 1e-6), rel=1e-9)
    both = objective_sigma(1.1, 1e-6, gradient=2.0, log_jacobian=0.1, law=law, adjacency=REPLACE)
    assert both == pytest.approx(sigma_output(4.0, 1.0, 1e-6), rel=1e-3)


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_softmax_with_two_classes_is_a_fixed_sign_loss_with_root_two_of_the_norm(adjacency: Adjacency) -> None:
    for epsilon, shift in ((1.0, 0.3), (0.2, 1.0), (3.0, 2.0)):
        soft = objective_delta(epsilon, shift, ObjectiveLaw.SOFTMAX, adjacency, classes=2)
        assert soft == pytest.approx(objective_delta(epsilon, shift * math.sqrt(2), ObjectiveLaw.FIXED_SIGN, adjacency))


def vertices(law: ObjectiveLaw, adjacency: Adjacency, classes: int, rng: np.random.Generator) -> list[float]:
    """Lengths of the extreme gradient changes for two random records of norm 1, by plain enumeration."""
    rows = rng.normal(size=(2, 2))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    if rng.random() < 0.3:
        rows[1] = -rows[0]
    gradients = [_gradients(law, classes, row, rng) for row in rows]
    if adjacency is ADD:
        return [float(np.linalg.norm(gradient)) for gradient in gradients[0]]
    return [float(np.linalg.norm(a - b)) for a in gradients[0] for b in gradients[1]]


def _gradients(
    law: ObjectiveLaw, classes: int, row: npt.NDArray[np.float64], rng: np.random.Generator
) -> list[npt.NDArray[np.float64]]:
    if law is ObjectiveLaw.FIXED_SIGN:
        return [np.zeros(2), row * rng.choice([-1, 1])]
    if law is ObjectiveLaw.TWO_SIGNED:
        return [row, -row]
    identity, label = np.eye(classes), rng.integers(classes)
    return [np.outer(identity[k] - identity[label], row) for k in range(classes)]


@pytest.mark.parametrize(("law", "adjacency"), PAIRS)
def test_objective_delta_covers_every_enumerated_vertex_set(law: ObjectiveLaw, adjacency: Adjacency) -> None:
    rng = np.random.default_rng(7)
    worst = 0.0
    for _ in range(300):
        classes = int(rng.integers(2, 6)) if law is ObjectiveLaw.SOFTMAX else 2
        lengths = vertices(law, adjacency, classes, rng)
        shift = float(rng.uniform(0.1, 2.0))
        enumerated = sum(delta_gaussian(0.5, length * shift) for length in lengths)
        bound = objective_delta(0.5, shift, law, adjacency, classes)
        assert min(1.0, enumerated) <= bound * (1 + 1e-9)
        worst = max(worst, min(1.0, enumerated) / bound)
    assert worst > 0.75  # the counts are not just large: some pair of records nearly needs them


def test_jacobian_above_epsilon_is_refused_with_a_way_out() -> None:
    with pytest.raises(MechanismRefused, match="raise alpha or epsilon"):
        objective_sigma(0.1, 1e-6, gradient=1.0, log_jacobian=0.1, law=ObjectiveLaw.FIXED_SIGN, adjacency=REPLACE)
    with pytest.raises(MechanismRefused, match="raise alpha or epsilon"):
        objective_pure_rate(0.1, change=2.0, log_jacobian=0.2)
    with pytest.raises(MechanismRefused, match="raise alpha or epsilon"):
        objective_pure_rate_logistic(0.1, 1.0, 0.1, REPLACE)


@given(epsilon=st.floats(0.01, 10), change=st.floats(1e-3, 1e3), share=st.floats(0, 0.99))
def test_pure_rate_spends_what_the_jacobian_leaves(epsilon: float, change: float, share: float) -> None:
    rate = objective_pure_rate(epsilon, change=change, log_jacobian=share * epsilon)
    assert rate * change + share * epsilon <= epsilon
    assert rate * change == pytest.approx(epsilon * (1 - share), rel=1e-9)


@pytest.mark.parametrize(("ridge", "rate", "epsilon"), [(0.2, 0.5, 1.58867), (2.0, 0.5, 1.0), (10.0, 0.25, 0.5)])
def test_logistic_epsilon_matches_published_values(ridge: float, rate: float, epsilon: float) -> None:
    assert objective_pure_epsilon_logistic(rate, 1.0, ridge, REPLACE) == pytest.approx(epsilon, rel=1e-5)


@settings(deadline=None, max_examples=80)
@given(
    rate=st.floats(-4, 3).map(lambda exponent: float(10.0**exponent)),
    row_norm=st.floats(0.1, 10),
    ridge=st.floats(-4, 5).map(lambda exponent: float(10.0**exponent)),
    adjacency=st.sampled_from(Adjacency),
    cap=st.sampled_from([0.5, 0.65, 0.9, 1.0]),
)
def test_logistic_epsilon_is_the_maximum_of_its_formula(
    rate: float, row_norm: float, ridge: float, adjacency: Adjacency, cap: float
) -> None:
    p = np.linspace(0, cap, 20_001)
    fixed = cap if adjacency is REPLACE else 0.0
    on_grid = float(np.max(rate * row_norm * (fixed + p) + np.log1p(row_norm**2 * p * (1 - p) / ridge)))
    slack = (rate * row_norm + row_norm**2 / ridge) * 2.5e-5
    found = objective_pure_epsilon_logistic(rate, row_norm, ridge, adjacency, cap)
    assert on_grid <= found <= on_grid * (1 + 1e-9) + slack


@settings(deadline=None, max_examples=80)
@given(
    epsilon=st.floats(0.01, 10),
    row_norm=st.floats(0.1, 10),
    ridge=st.floats(1, 1e4),
    adjacency=st.sampled_from(Adjacency),
)
def test_logistic_rate_never_overspends_and_is_not_wasteful(
    epsilon: float, row_norm: float, ridge: float, adjacency: Adjacency
) -> None:
    if math.log1p(row_norm**2 / (4 * ridge)) >= epsilon * 0.999:
        return
    rate = objective_pure_rate_logistic(epsilon, row_norm, ridge, adjacency)
    assert objective_pure_epsilon_logistic(rate, row_norm, ridge, adjacency) <= epsilon
    assert objective_pure_epsilon_logistic(rate * (1 + 1e-6), row_norm, ridge, adjacency) > epsilon


@pytest.mark.parametrize(("adjacency", "factor"), [(REPLACE, 2.0), (ADD, 1.0)])
def test_jacobian_is_free_for_logistic_with_enough_ridge(adjacency: Adjacency, factor: float) -> None:
    epsilon, row_norm = 0.5, 3.0
    enough = factor * row_norm**2 / epsilon
    free = objective_pure_rate_logistic(epsilon, row_norm, enough * 1.0001, adjacency)
    assert free == pytest.approx(epsilon / (factor * row_norm), rel=1e-10)
    assert objective_pure_rate_logistic(epsilon, row_norm, enough * 0.9, adjacency) < free * (1 - 1e-4)
