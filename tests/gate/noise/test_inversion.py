"""The discrete Laplace law by inversion: exact in law and at boundaries, the same whichever path settles a draw."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from tests.gate.noise.draws import CELLS, EVERYTHING, Listed, chance_of

from equipoise.errors import InvalidInput
from equipoise.gate.noise import SecureBits, SeededBits
from equipoise.gate.noise.inversion import _magnitudes, laplace_by_inversion

FALSE_ALARM = 1e-6


def magnitudes(heads: npt.NDArray[np.uint64], scale: int, margin: float = 2.0**-46) -> list[int]:
    return [int(found) for found in _magnitudes(heads, scale, Listed([]), margin)]


@pytest.mark.parametrize("scale", [1, 3, 20])
def test_small_scales_follow_the_law_cell_by_cell(scale: int) -> None:
    drawn = laplace_by_inversion(scale, 100_000, SecureBits())
    assert chance_of(drawn, np.exp(-CELLS / scale)) > FALSE_ALARM
    assert chance_of(drawn, np.exp(-CELLS / (1.3 * scale))) < FALSE_ALARM


@pytest.mark.parametrize("scale", [2**24, 2**40])
def test_large_scales_follow_the_continuous_law(scale: int) -> None:
    drawn = laplace_by_inversion(scale, 50_000, SecureBits()) / scale
    assert stats.kstest(drawn, stats.laplace.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(1.3 * drawn, stats.laplace.cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize("scale", [1, 2, 5, 1000, 2**24, 2**40])
def test_doubles_and_exact_arithmetic_settle_every_draw_alike(scale: int) -> None:
    fast = laplace_by_inversion(scale, 300, SeededBits(1))
    assert np.array_equal(fast, laplace_by_inversion(scale, 300, SeededBits(1), margin=EVERYTHING))


@pytest.mark.parametrize("scale", [1, 7, 2**24])
def test_magnitudes_change_exactly_at_the_boundaries(scale: int) -> None:
    """On either side of 2^63·exp(-m/scale), worked out with far more digits than doubles have."""
    mpmath.mp.prec = 200
    for m in (1, 2, scale // 2 + 1, scale, 9 * scale):
        edge = int(mpmath.floor(mpmath.mpf(2) ** 63 * mpmath.exp(-mpmath.mpf(m) / scale)))
        heads = np.array([edge - 1, edge + 1], dtype=np.uint64)
        assert magnitudes(heads, scale) == [m, m - 1]


def test_the_head_that_holds_a_boundary_is_settled_by_further_bits() -> None:
    mpmath.mp.prec = 300
    exact = mpmath.mpf(2) ** 63 * mpmath.exp(-mpmath.mpf(5) / 7)
    edge = int(mpmath.floor(exact))
    rest = int(mpmath.floor((exact - edge) * mpmath.mpf(2) ** 64))
    head = np.array([edge], dtype=np.uint64)
    assert _magnitudes(head, 7, Listed([rest - 1]), 2.0**-46).tolist() == [5]
    assert _magnitudes(head, 7, Listed([rest + 1]), 2.0**-46).tolist() == [4]


def test_the_extreme_heads_are_settled_too() -> None:
    largest = np.array([2**63 - 1], dtype=np.uint64)
    assert magnitudes(largest, 2**24) == [0]
    smallest = _magnitudes(np.array([0], dtype=np.uint64), 2**24, Listed([2**63]), 2.0**-46).tolist()[0]
    assert smallest == math.floor(Fraction(2**24) * Fraction(64 * math.log(2)))


def test_zero_is_not_counted_twice() -> None:
    """At scale one zero has probability tanh(1/2); with negative zeros kept it would have more."""
    share = float(np.mean(laplace_by_inversion(1, 100_000, SecureBits()) == 0))
    spread = math.sqrt(math.tanh(0.5) * (1 - math.tanh(0.5)) / 100_000)
    assert abs(share - math.tanh(0.5)) < stats.norm.isf(FALSE_ALARM / 2) * spread


@pytest.mark.parametrize("scale", [0, -1, 2**40 + 1])
def test_scales_out_of_range_are_refused(scale: int) -> None:
    with pytest.raises(InvalidInput, match="scale"):
        laplace_by_inversion(scale, 1, SecureBits())
