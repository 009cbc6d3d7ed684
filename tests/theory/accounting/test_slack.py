"""The cost of arithmetic, checked against high-precision sums where the effects are large enough to see."""

from __future__ import annotations

import math

import mpmath
import pytest

from equipoise.errors import InvalidInput
from equipoise.theory.accounting.slack import (
    TAIL,
    Slack,
    chi_square_spread,
    delta_numeric,
    gaussian_log_ratio,
    gaussian_slack,
    lattice_distance,
    spherical_slack,
)

SMALL_SIGMAS = [4.0, 8.0, 32.0, 256.0]


@pytest.fixture(autouse=True)
def high_precision() -> object:
    with mpmath.workdps(50):
        yield


def density(k: float, sigma: float) -> mpmath.mpf:
    return mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(sigma) ** 2)) / (sigma * mpmath.sqrt(2 * mpmath.pi))


def normaliser(variance: float) -> mpmath.mpf:
    """Σ_k of the continuous density at the integers, by Poisson summation."""
    return 1 + 2 * mpmath.nsum(lambda m: mpmath.exp(-2 * (mpmath.pi * m) ** 2 * variance), [1, mpmath.inf])


def rounded(k: float, sigma: float) -> mpmath.mpf:
    low, high = abs(k) - mpmath.mpf(0.5), abs(k) + mpmath.mpf(0.5)
    root = sigma * mpmath.sqrt(2)
    return (mpmath.erfc(low / root) - mpmath.erfc(high / root)) / 2


@pytest.mark.parametrize("sigma", SMALL_SIGMAS)
def test_the_lattice_and_rounded_gaussians_differ_pointwise_by_no_more_than_the_bound(sigma: float) -> None:
    sum_of_densities = normaliser(sigma**2)
    for multiple in (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0):
        k = round(multiple * sigma)
        log_ratio = abs(mpmath.log(rounded(k, sigma) * sum_of_densities / density(k, sigma)))
        bound = gaussian_log_ratio(1, sigma, abs(k**2 / sigma**2 - 1))
        assert log_ratio <= bound
        if 2 <= multiple <= 8:
            assert log_ratio >= 0.8 * bound  # not vacuous


def lattice_delta(epsilon: float, shift: int, sigma: float) -> mpmath.mpf:
    """The exact δ of discrete Gaussian noise in one dimension."""
    reach = range(-round(14 * sigma), round(14 * sigma) + 1)
    scale = normaliser(sigma**2)
    gaps = (density(k, sigma) - mpmath.exp(epsilon) * density(k - shift, sigma) for k in reach)
    return mpmath.fsum(max(gap, 0) for gap in gaps) / scale


def continuous_delta(epsilon: float, shift: int, sigma: float) -> mpmath.mpf:
    mu = mpmath.mpf(shift) / sigma
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize("sigma", [8.0, 16.0])
@pytest.mark.parametrize("shift", [1, 8, 30])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0])
def test_discrete_noise_keeps_the_continuous_guarantee_once_the_slack_is_paid(
    sigma: float, shift: int, epsilon: float
) -> None:
    slack = gaussian_slack(1, sigma)
    promised = continuous_delta(epsilon, shift, sigma)
    claimed = epsilon + slack.epsilon
    allowed = promised + delta_numeric(claimed, slack, float(promised))
    assert lattice_delta(claimed, shift, sigma) <= allowed


def test_without_slack_the_continuous_guarantee_would_be_false_on_a_coarse_grid() -> None:
    assert lattice_delta(7.8, 5, 4.0) > 1.05 * continuous_delta(7.8, 5, 4.0)


@pytest.mark.parametrize("dim", [1, 2, 10, 500, 561, 5000, 10**6])
def test_chi_square_tails_are_below_the_stated_one(dim: int) -> None:
    spread = chi_square_spread(dim)
    upper = mpmath.exp(-_chernoff(dim, dim + spread))
    lower = mpmath.exp(-_chernoff(dim, dim - spread)) if dim > spread else 0
    assert upper + lower <= TAIL / 2
    if dim <= 10:
        assert mpmath.gammainc(mpmath.mpf(dim) / 2, (dim + spread) / 2, regularized=True) <= upper


def _chernoff(dim: int, at: float) -> mpmath.mpf:
    """The exponent of the best exponential-moment bound on a chi-square tail."""
    ratio = mpmath.mpf(at) / dim
    return mpmath.mpf(dim) / 2 * (ratio - 1 - mpmath.log(ratio))


def test_lattice_tails_are_no_heavier_than_chi_square_ones() -> None:
    sigma, spread = 4.0, chi_square_spread(1)
    start = math.floor(sigma * math.sqrt(1 + spread)) + 1
    tail = 2 * mpmath.fsum(density(k, sigma) for k in range(start, start + 200)) / normaliser(sigma**2)
    assert tail <= TAIL


def mixture_excess(dim: int, rate: float) -> mpmath.mpf:
    """E over the Gamma law of v of (Σ_m exp(-2π²m²v))^dim - 1, by quadrature."""
    shape, speed = mpmath.mpf(dim + 1) / 2, mpmath.mpf(rate) ** 2 / 2

    def integrand(v: mpmath.mpf) -> mpmath.mpf:
        theta = (
            mpmath.jtheta(3, 0, mpmath.exp(-2 * mpmath.pi**2 * v)) if v > 0.02 else 1 / mpmath.sqrt(2 * mpmath.pi * v)
        )
        weight = speed**shape * v ** (shape - 1) * mpmath.exp(-speed * v) / mpmath.gamma(shape)
        return weight * (theta**dim - 1)

    with mpmath.workdps(20):
        return mpmath.quad(integrand, [0, 0.001, 0.02, 0.1, 0.3, 0.6, 1, 2, 4])


@pytest.mark.parametrize(
    ("dim", "rate", "known_log2"), [(2, 2.0**-10, -34.8), (2, 2.0**-14, -46.8), (3, 2.0**-10, -46.6)]
)
def test_the_distance_of_the_mixture_is_bounded_and_matches_the_known_values(
    dim: int, rate: float, known_log2: float
) -> None:
    truth = mixture_excess(dim, rate)
    assert float(mpmath.log(truth, 2)) == pytest.approx(known_log2, abs=0.1)
    assert truth <= lattice_distance(dim, rate) <= 2**12 * truth  # loose, but by a known factor


def test_the_mixture_with_its_poisson_factor_is_the_lattice_law() -> None:
    rate, dim = 0.4, 2

    def weight(squared: int) -> mpmath.mpf:
        # density of v times the Poisson factor, times the discrete Gaussian: the factor cancels the normaliser
        def integrand(v: mpmath.mpf) -> mpmath.mpf:
            return v ** (mpmath.mpf(dim - 1) / 2 - 1) * mpmath.exp(-(rate**2) * v / 2 - squared / (2 * v))

        return mpmath.quad(integrand, [0, 1, 10, 100, 1000])

    with mpmath.workdps(20):
        for squared in (1, 2, 5, 25, 100):
            ratio = weight(squared) / weight(1)
            assert float(ratio) == pytest.approx(math.exp(-rate * (math.sqrt(squared) - 1)), rel=1e-9)


def test_slack_is_negligible_at_the_scales_in_use() -> None:
    for dim in (1, 2, 100, 10**5, 10**6):
        assert gaussian_slack(dim, 2.0**30).epsilon < 1e-9
        assert gaussian_slack(dim, 2.0**26).epsilon < 1e-9
    for dim in (1, 2, 100, 10**5):
        assert spherical_slack(dim, 2.0**-20).epsilon < 1e-9
        assert spherical_slack(dim, 2.0**-20).tail < 2.0**-50
        assert spherical_slack(dim, 2.0**-30).tail < 2.0**-80


def test_slack_shrinks_with_finer_grids_and_grows_with_dimension() -> None:
    assert gaussian_slack(10, 16.0).epsilon > gaussian_slack(10, 64.0).epsilon > gaussian_slack(10, 2.0**40).epsilon
    assert gaussian_slack(1000, 64.0).epsilon > gaussian_slack(10, 64.0).epsilon
    assert spherical_slack(1000, 2.0**-20).epsilon > spherical_slack(10, 2.0**-20).epsilon
    assert spherical_slack(2, 2.0**-16).tail > spherical_slack(2, 2.0**-20).tail


def test_slack_survives_subtraction_from_any_ordinary_epsilon() -> None:
    for epsilon in (1e-3, 1.0, 50.0, 1000.0):
        assert epsilon - gaussian_slack(1, 2.0**40).epsilon < epsilon


def test_one_dimension_of_spherical_noise_costs_nothing() -> None:
    assert spherical_slack(1, 2.0**-20) == Slack(0.0, 0.0)


def test_delta_numeric_counts_both_tails_and_the_stretch_of_delta() -> None:
    slack = Slack(epsilon=2e-3, tail=1e-20)
    assert delta_numeric(1.0, slack) == pytest.approx((1 + math.e) * 1e-20)
    assert delta_numeric(1.0, slack, 1e-6) == pytest.approx(math.expm1(1e-3) * 1e-6)
    assert delta_numeric(0.0, Slack(0.0, 0.0)) == 2.0**-100
    assert delta_numeric(1e4, slack) == 1.0


@pytest.mark.parametrize(("dim", "sigma"), [(0, 10.0), (1, 3.9), (1, math.nan)])
def test_gaussian_slack_refuses_what_its_proof_does_not_cover(dim: int, sigma: float) -> None:
    with pytest.raises(InvalidInput):
        gaussian_slack(dim, sigma)


@pytest.mark.parametrize(("dim", "rate"), [(2, 2.0**-15), (2, 2.0**-40), (2**20 + 1, 2.0**-20)])
def test_spherical_slack_refuses_what_its_proof_does_not_cover(dim: int, rate: float) -> None:
    with pytest.raises(InvalidInput):
        spherical_slack(dim, rate)
