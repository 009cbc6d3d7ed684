"""Minimisers: the worst pair of neighbours moves each as far as the catalogue says where it claims so, none further."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.stability import (
    Kind,
    StabilityBound,
    amplified_epsilon,
    bridge,
    elastic_net,
    elastic_net_as_printed,
    from_uniform_stability,
    multi_task,
    on_average,
    ranking,
    regularised_erm,
    strongly_convex_losses,
)

N, RHO, ALPHA = 7, 1.5, 0.4


def pushed(pushes: np.ndarray, l1: float = 0.0) -> float:
    """The minimiser of mean(push)·w + (ALPHA/2)w² + l1|w|."""
    mean = float(np.mean(pushes))
    return -math.copysign(max(abs(mean) - l1, 0.0), mean) / ALPHA


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_linear_losses_attain_the_bound_of_regularised_minimisers(l1: float) -> None:
    left, right = np.full(N, RHO), np.full(N, RHO)
    right[0] = -RHO
    found = abs(pushed(left, l1) - pushed(right, l1))
    for bound in (regularised_erm(RHO, ALPHA, N), elastic_net(RHO, ALPHA, N, l1=l1), multi_task(RHO, ALPHA, N)):
        assert 0.999999 * bound.value <= found <= bound.value
        assert bound.kind is Kind.WEIGHTS_L2


def test_random_neighbours_never_pass_the_bound_of_the_elastic_net() -> None:
    rng = np.random.default_rng(0)
    bound = elastic_net(1.0, ALPHA, N, l1=0.1).value
    for _ in range(25):
        rows, labels = rng.normal(size=(N + 1, 2)), rng.choice([-1.0, 1.0], size=N + 1)
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
        ends = [fitted(rows[part], labels[part], 0.1) for part in (np.arange(N), np.arange(1, N + 1))]
        assert np.linalg.norm(ends[0] - ends[1]) <= bound + 1e-5


def fitted(rows: np.ndarray, labels: np.ndarray, l1: float) -> np.ndarray:
    """Logistic loss with L1 and L2, the L1 part split into two signs."""
    both = np.hstack([rows, -rows])

    def value(v: np.ndarray) -> float:
        w = v[:2] - v[2:]
        return float(np.mean(np.logaddexp(0, -labels * (both @ v))) + ALPHA / 2 * w @ w + l1 * v.sum())

    v = minimize(value, np.full(4, 0.1), bounds=[(0, None)] * 4, options={"ftol": 1e-15, "gtol": 1e-9}).x
    return np.asarray(v[:2] - v[2:])


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_strongly_convex_losses_attain_their_bound(n: int) -> None:
    """(ALPHA/2)(w − z)² with |z| as far as ρ allows on the interval that holds both minimisers."""
    bound, far = strongly_convex_losses(RHO, ALPHA, n), RHO / ALPHA * n / (n + 1)
    found = 2 * far / n
    assert 0.999999 * bound.value <= found <= bound.value
    assert ALPHA * (far + found / 2) == pytest.approx(RHO), "the slope is within ρ at both minimisers"


def test_pairs_attain_the_bound_of_ranking() -> None:
    """One record is above all others or below them: each of its n − 1 pairs turns round."""
    row = 1.0
    others = -row

    def minimiser(sign: float) -> float:
        pushes = [sign * (row - others) for _ in range(N - 1)]
        return -sum(pushes) / (N * (N - 1) / 2) / ALPHA

    bound = ranking(2 * row, ALPHA, N)
    assert 0.999999 * bound.value <= abs(minimiser(1.0) - minimiser(-1.0)) <= bound.value


def test_pairs_of_two_classes_need_public_labels_and_their_smallest_class() -> None:
    """The record of the smaller class is in 1/n_min of the pairs; its label stays."""
    small, large = 2, 5
    pairs = small * large
    moved = abs(large * (1.0 - -1.0) / pairs / ALPHA)
    bound = ranking(2.0, ALPHA, small + large, smallest_class=small)
    assert moved <= bound.value
    assert "labels are public" in " ".join(bound.assumes)
    with pytest.raises(InvalidInput, match="smallest_class"):
        ranking(2.0, ALPHA, 7, smallest_class=4)


@pytest.mark.parametrize("power", [1.2, 1.5, 2.0])
def test_no_neighbours_pass_the_bound_of_bridge_regression(power: float) -> None:
    rng, bound = np.random.default_rng(0), bridge(1.0, ALPHA, power, N, loss_at_zero=math.log(2)).value

    def minimiser(slopes: np.ndarray) -> float:
        value = lambda w: np.mean(np.logaddexp(0, -slopes * w)) + ALPHA * abs(w) ** power  # noqa: E731
        return float(minimize_scalar(value, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).x)

    for _ in range(60):
        slopes = rng.uniform(-1, 1, size=N) if rng.random() < 0.5 else np.full(N, rng.choice([-1.0, 1.0]))
        other = slopes.copy()
        other[0] = -np.sign(slopes[0])
        assert abs(minimiser(slopes) - minimiser(other)) <= bound


def test_the_bound_of_bridge_regression_knows_its_box() -> None:
    """Small penalties let minimisers lie far out, where |w|^1.2 hardly bends: linear losses move that far there."""
    strength, power, slope = 0.01, 1.2, 0.02
    bound = bridge(slope, strength, power, N, loss_at_zero=1.0).value
    reach = (1.0 / strength) ** (1 / power)
    assert bound == pytest.approx(2 * slope * reach ** (2 - power) / (N * strength * power * (power - 1)))

    def minimiser(mean: float) -> float:
        return float((mean / (strength * power)) ** (1 / (power - 1)))

    moved = minimiser(slope) - minimiser(slope * (1 - 2 / N))
    assert minimiser(slope) < reach
    assert 2 * slope / (N * strength * power * (power - 1)) < moved < bound


def test_bridge_regression_is_ridge_at_two_and_has_no_bound_at_one() -> None:
    assert bridge(1.0, ALPHA, 2.0, N, loss_at_zero=1.0).value == pytest.approx(regularised_erm(1.0, 2 * ALPHA, N).value)
    for power in (1.0, 0.5, 2.1):
        with pytest.raises(InvalidInput, match="power"):
            bridge(1.0, ALPHA, power, N, loss_at_zero=1.0)


def test_without_strong_convexity_a_minimiser_jumps() -> None:
    """Two linear losses that almost cancel: a change of one part in 10⁹ moves it from end to end of an interval."""
    pulls = [np.array([1.0 + tiny, -1.0]) for tiny in (1e-9, -1e-9)]
    ends = [minimize_scalar(lambda w, p=p: float(np.mean(p)) * w, bounds=(-1, 1), method="bounded").x for p in pulls]
    assert abs(ends[0] - ends[1]) > 1.9


def test_the_printed_constant_of_the_elastic_net_is_loose_and_refused_where_it_would_be_too_small() -> None:
    assert elastic_net_as_printed(1.0, 1.0, ALPHA, 100).value == pytest.approx(
        2 * math.sqrt(100) * elastic_net(1.0, ALPHA, 100).value
    )
    with pytest.raises(MechanismRefused, match="below the proved one"):
        elastic_net_as_printed(1.0, 100.0, ALPHA, 10)


def test_a_steady_loss_gives_steady_minimisers_and_linear_losses_attain_it() -> None:
    moved = regularised_erm(RHO, ALPHA, N).value
    beta = RHO * moved
    bound = from_uniform_stability(beta, ALPHA, N, exact_minimiser=True)
    assert bound.value == pytest.approx(moved)
    stated = StabilityBound(beta, Kind.LOSS, ("stated",), "stated")
    assert from_uniform_stability(stated, ALPHA, N, exact_minimiser=True).value == bound.value


def test_a_gap_in_the_objective_adds_twice_its_distance() -> None:
    exact = from_uniform_stability(0.1, ALPHA, N, exact_minimiser=True).value
    gap = 1e-3
    near = from_uniform_stability(0.1, ALPHA, N, exact_minimiser=True, gap=gap).value
    assert near - exact == pytest.approx(2 * math.sqrt(2 * gap / ALPHA))
    strayed = math.sqrt(2 * gap / ALPHA)
    assert ALPHA / 2 * strayed**2 == pytest.approx(gap), "(ALPHA/2)w² has this gap that far from its minimiser"
    assert strayed > math.sqrt(gap), "the root alone, as printed, is too little"


def test_a_steady_loss_says_nothing_of_what_is_not_a_minimiser() -> None:
    """Losses (λ/2)‖w − z‖², data on one axis, answers ±v on the other: the loss never moves, the coefficients do."""
    data, v = np.array([[1.0, 0.0], [-1.0, 0.0]]), 3.0
    losses = [[ALPHA / 2 * float(np.sum((np.array([0.0, sign * v]) - z) ** 2)) for z in data] for sign in (1, -1)]
    assert losses[0] == losses[1]
    with pytest.raises(MechanismRefused, match="minimiser"):
        from_uniform_stability(1e-9, ALPHA, 2, exact_minimiser=False)


@pytest.mark.parametrize("kind", [Kind.LOSS_ON_AVERAGE, Kind.WEIGHTS_ON_AVERAGE])
def test_an_average_is_no_ground_for_anything(kind: Kind) -> None:
    bound = on_average(0.1, kind, "somebody's theorem")
    for use in (
        bound.weights_l2,
        lambda: bound.for_rows(2),
        lambda: from_uniform_stability(bound, 1.0, 5, exact_minimiser=True),
        lambda: amplified_epsilon(bound, 0.1, 1.0),
    ):
        with pytest.raises(MechanismRefused, match="average"):
            use()


def test_what_a_steadier_algorithm_is_worth() -> None:
    assert amplified_epsilon(0.4, 0.1, 1.0) == pytest.approx(0.5)
    assert amplified_epsilon(regularised_erm(1.0, 0.1, 9), regularised_erm(1.0, 0.4, 9), 1.0) == pytest.approx(0.25)
    assert amplified_epsilon(0.1, 0.4, 1.0) == pytest.approx(2.0)
    with pytest.raises(MechanismRefused, match="beta_new"):
        amplified_epsilon(0.4, regularised_erm(1.0, 0.4, 9), 1.0)


def test_a_bound_says_what_it_bounds_and_why() -> None:
    with pytest.raises(MechanismRefused, match="from_uniform_stability"):
        StabilityBound(0.1, Kind.LOSS, (), "a page").weights_l2()
    with pytest.raises(InvalidInput, match="because"):
        StabilityBound(0.1, Kind.WEIGHTS_L2, (), " ")
    with pytest.raises(InvalidInput, match="kind"):
        StabilityBound(0.1, "weights", (), "a page")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="assumes"):
        StabilityBound(0.1, Kind.WEIGHTS_L2, "one sentence", "a page")  # type: ignore[arg-type]
    for value in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InvalidInput, match="stability"):
            StabilityBound(value, Kind.WEIGHTS_L2, (), "a page")
    stated = StabilityBound(0.1, "weights in L1", ("so it is",), "a page")  # type: ignore[arg-type]
    assert stated.for_rows(3).value == pytest.approx(0.3)
    assert stated.weights_l2() == 0.1
