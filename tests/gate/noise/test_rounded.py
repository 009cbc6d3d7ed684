"""The rounded Gaussian law: exact in law and at boundaries, the same whichever path settles a draw."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri
from tests.gate.noise.draws import CELLS, EVERYTHING, Listed, chance_of

from equipoise.errors import InvalidInput
from equipoise.gate.noise import SecureBits, SeededBits
from equipoise.gate.noise.enclosure import normal_tail
from equipoise.gate.noise.rounded import MARGIN, STEEPEST, _magnitudes, rounded_gaussian

FALSE_ALARM = 1e-6


def tail(x: mpmath.mpf) -> mpmath.mpf:
    """P(|Z| >= x)."""
    return mpmath.erfc(x / mpmath.sqrt(2))


def edge_before(m: int, sigma: float) -> mpmath.mpf:
    """2^63·U where the nearest whole number to σ·x changes from m to m − 1."""
    return mpmath.mpf(2) ** 63 * tail((m - mpmath.mpf(0.5)) / mpmath.mpf(sigma))


@pytest.mark.parametrize("sigma", [1.0, 3.0, 12.5])
def test_draws_follow_the_rounded_law_cell_by_cell(sigma: float) -> None:
    drawn = rounded_gaussian(sigma, 100_000, SecureBits())
    for wrong, agrees in ((1.0, True), (1.3, False)):
        upper, lower = (CELLS + 0.5) / (wrong * sigma), (CELLS - 0.5) / (wrong * sigma)
        law = stats.norm.sf(lower) - stats.norm.sf(upper)
        assert (chance_of(drawn, law) > FALSE_ALARM) is agrees


@pytest.mark.parametrize("sigma", [2.0**24, 2.0**39])
def test_draws_on_a_fine_grid_follow_the_continuous_law(sigma: float) -> None:
    drawn = rounded_gaussian(sigma, 50_000 if sigma < 2**30 else 2_000, SecureBits()) / sigma
    assert stats.kstest(drawn, stats.norm.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(1.7 * drawn, stats.norm.cdf).pvalue < FALSE_ALARM  # 2,000 draws see that, but for a 1e-9


@pytest.mark.parametrize("sigma", [1.0, 1.7, 5.0, 1000.25, 2.0**24 + 0.5, 2.0**39])
def test_doubles_and_exact_arithmetic_settle_every_draw_alike(sigma: float) -> None:
    fast = rounded_gaussian(sigma, 300, SeededBits(1))
    assert np.array_equal(fast, rounded_gaussian(sigma, 300, SeededBits(1), margin=EVERYTHING))


@pytest.mark.parametrize("sigma", [1.0, 7.3, 2.0**24])
def test_magnitudes_change_exactly_at_the_boundaries(sigma: float) -> None:
    mpmath.mp.prec = 200
    for m in (1, 2, math.floor(sigma / 2) + 1, math.ceil(2 * sigma), math.ceil(6 * sigma)):
        edge = int(mpmath.floor(edge_before(m, sigma)))
        heads = np.array([edge - 1, edge + 1], dtype=np.uint64)
        assert _magnitudes(heads, sigma, Listed([]), MARGIN).tolist() == [m, m - 1]


def test_the_head_that_holds_a_boundary_is_settled_by_further_bits() -> None:
    mpmath.mp.prec = 300
    exact = edge_before(5, 7.0)
    edge = int(mpmath.floor(exact))
    rest = int(mpmath.floor((exact - edge) * mpmath.mpf(2) ** 64))
    head = np.array([edge], dtype=np.uint64)
    assert _magnitudes(head, 7.0, Listed([rest - 1]), MARGIN).tolist() == [5]
    assert _magnitudes(head, 7.0, Listed([rest + 1]), MARGIN).tolist() == [4]


def test_the_extreme_heads_are_settled_too() -> None:
    mpmath.mp.prec = 200
    assert _magnitudes(np.array([2**63 - 1], dtype=np.uint64), 2.0**24, Listed([]), MARGIN).tolist() == [0]
    smallest = int(_magnitudes(np.array([0], dtype=np.uint64), 2.0**24, Listed([2**63]), MARGIN)[0])
    assert edge_before(smallest + 1, 2.0**24) <= 0.5 <= edge_before(smallest, 2.0**24)


@pytest.mark.parametrize("precision", [20, 63, 127, 255])
@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), Fraction(2), Fraction(19, 3), Fraction(12)]
)
def test_bounds_on_the_tail_hold_and_are_tight(x: Fraction, precision: int) -> None:
    mpmath.mp.prec = 600
    exact = mpmath.mpf(2) ** precision * tail(mpmath.mpf(x.numerator) / x.denominator)
    low, high = normal_tail(x, precision)
    assert low <= exact <= high
    assert high - low <= 2


def test_the_margin_is_many_times_what_doubles_err_by() -> None:
    mpmath.mp.prec = 120
    heads = [*np.random.default_rng(0).integers(1, 2**63, 300).tolist(), *(2**power + 1 for power in range(10, 63))]
    middle = np.array(heads, dtype=np.uint64).astype(np.float64) + 0.5
    for head, found in zip(heads, -ndtri(middle * 2.0**-64), strict=True):
        share = mpmath.mpf(2 * head + 1) / mpmath.mpf(2) ** 64
        exact = mpmath.findroot(lambda x, share=share: mpmath.log(tail(x)) - mpmath.log(share), float(found) + 1e-9)
        assert abs(float(found - exact)) <= MARGIN / 8 * (1 + float(found))


def test_the_steepest_slope_of_x_in_the_logarithm_of_the_share_is_covered() -> None:
    at_zero = math.sqrt(math.pi / 2)
    x = np.linspace(0.0, 9.0, 200)
    assert at_zero < STEEPEST
    assert np.all(stats.norm.sf(x) / stats.norm.pdf(x) <= at_zero + 1e-12)


@pytest.mark.parametrize("sigma", [0.0, -1.0, 0.9, 2.0**40, math.nan])
def test_scales_out_of_range_are_refused(sigma: float) -> None:
    with pytest.raises(InvalidInput, match="sigma"):
        rounded_gaussian(sigma, 1, SecureBits())
