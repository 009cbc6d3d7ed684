"""The drawn noise has the law it is said to have: against exact tables, against limits, and against OpenDP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import opendp.prelude as dp
import pytest
from scipy import integrate, stats

from equipoise.gate.noise import SecureBits, SeededBits, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.spherical import _mixture

FALSE_ALARM = 1e-9
"""Each test that draws fresh noise fails by bad luck with at most this probability."""

FEWEST_EXPECTED = 25.0  # cells expected to hold fewer draws are merged, or the chi-square law would not fit them
WRONG_SCALES = (0.7, 1.3)
FORCED_SLOW_PATH = 0.25

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def fit_to_table(draws: Integers, table: dict[int, float]) -> float:
    """The p-value of a chi-square test.  Values that the table leaves out, or expects rarely, share a cell."""
    values, counts = np.unique(draws, return_counts=True)
    seen = dict(zip(values.tolist(), counts.tolist(), strict=True))
    likely_first = sorted(table.items(), key=lambda item: -item[1])
    common = [(k, p * draws.size) for k, p in likely_first if p * draws.size >= FEWEST_EXPECTED]
    if draws.size - sum(count for _, count in common) < FEWEST_EXPECTED:
        common.pop()
    observed = [seen.get(k, 0) for k, _ in common]
    expected = [count for _, count in common]
    observed.append(draws.size - sum(observed))
    expected.append(draws.size - sum(expected))
    return float(stats.chisquare(observed, expected).pvalue)


def normalised(weight: Callable[[Floats], Floats], reach: int) -> dict[int, float]:
    k = np.arange(-reach, reach + 1)
    weights = weight(k.astype(np.float64))
    return dict(zip(k.tolist(), (weights / weights.sum()).tolist(), strict=True))


def laplace_table(scale: float) -> dict[int, float]:
    return normalised(lambda k: np.exp(-np.abs(k) / scale), round(45 * scale) + 5)


def gaussian_table(sigma: float) -> dict[int, float]:
    return normalised(lambda k: np.exp(-(k**2) / (2 * sigma**2)), round(14 * sigma) + 5)


@pytest.mark.parametrize("scale", [1, 2, 3, 7, 16])
def test_laplace_matches_its_exact_table_and_no_other(scale: int) -> None:
    draws = discrete_laplace(scale, 100_000, SecureBits())
    assert fit_to_table(draws, laplace_table(scale)) > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert fit_to_table(draws, laplace_table(scale * wrong)) < FALSE_ALARM


@pytest.mark.parametrize("sigma", [0.45, 1.0, 1.7, 3.0, 12.34])
def test_gaussian_matches_its_exact_table_and_no_other(sigma: float) -> None:
    draws = discrete_gaussian(sigma, 100_000, SecureBits())
    assert fit_to_table(draws, gaussian_table(sigma)) > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert fit_to_table(draws, gaussian_table(sigma * wrong)) < FALSE_ALARM


def test_the_exact_slow_path_gives_the_same_laws() -> None:
    laplace = discrete_laplace(3, 10_000, SecureBits(), margin=FORCED_SLOW_PATH)
    gaussian = discrete_gaussian(2.7, 10_000, SecureBits(), margin=FORCED_SLOW_PATH)
    assert fit_to_table(laplace, laplace_table(3)) > FALSE_ALARM
    assert fit_to_table(gaussian, gaussian_table(2.7)) > FALSE_ALARM


def test_the_exact_slow_path_gives_the_same_law_at_large_scale() -> None:
    draws = discrete_gaussian(2.0**30, 5_000, SecureBits(), margin=FORCED_SLOW_PATH)
    assert stats.kstest(draws / 2.0**30, stats.norm.cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("scale", [2**20, 3**22, 2**40 - 1])
def test_laplace_accepts_the_right_large_scale_and_rejects_wrong_ones(scale: int) -> None:
    draws = discrete_laplace(scale, 50_000, SecureBits()) / scale
    assert stats.kstest(draws, stats.laplace.cdf).pvalue > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert stats.kstest(draws / wrong, stats.laplace.cdf).pvalue < FALSE_ALARM


@pytest.mark.parametrize("sigma", [2.0**20, 1.1 * 2.0**30, 2.0**45])
def test_gaussian_accepts_the_right_large_scale_and_rejects_wrong_ones(sigma: float) -> None:
    draws = discrete_gaussian(sigma, 100_000, SecureBits()) / sigma
    assert stats.kstest(draws, stats.norm.cdf).pvalue > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert stats.kstest(draws / wrong, stats.norm.cdf).pvalue < FALSE_ALARM


def test_the_lowest_bits_of_large_noise_are_uniform() -> None:
    for draws in (discrete_gaussian(2.0**30, 200_000, SecureBits()), discrete_laplace(2**30, 200_000, SecureBits())):
        counts = np.bincount(draws & 0xFF, minlength=256)
        assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_neighbouring_draws_are_not_correlated() -> None:
    draws = discrete_gaussian(2.0**30, 200_000, SecureBits()) / 2.0**30
    for lag in (1, 2, 7):
        products = draws[lag:] * draws[:-lag]
        assert abs(products.mean()) < 6.5 / np.sqrt(products.size)


def opendp_draws(kind: str, scale: float, count: int) -> Integers:
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=count)
    if kind == "laplace":
        noise = dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale=scale)
    else:
        noise = dp.m.make_gaussian(domain, dp.l2_distance(T="i64"), scale=scale)
    return np.array(noise([0] * count), dtype=np.int64)


def our_draws(kind: str, scale: float, count: int) -> Integers:
    if kind == "laplace":
        return discrete_laplace(int(scale), count, SecureBits())
    return discrete_gaussian(scale, count, SecureBits())


def same_law(first: Integers, second: Integers) -> float:
    """The p-value of a two-sample chi-square test, on cells that each hold enough of the pooled draws."""
    edges = np.unique(np.quantile(np.concatenate([first, second]), np.linspace(0, 1, 60)).round()) - 0.5
    inner = edges[1:]
    table = np.array([np.bincount(np.searchsorted(inner, draws), minlength=edges.size) for draws in (first, second)])
    return float(stats.chi2_contingency(table[:, table.sum(axis=0) > FEWEST_EXPECTED]).pvalue)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [4.0, 2.0**25])
def test_our_noise_and_opendp_noise_have_the_same_law(kind: str, scale: float) -> None:
    reference = opendp_draws(kind, scale, 20_000)
    assert same_law(our_draws(kind, scale, 20_000), reference) > FALSE_ALARM
    assert same_law(our_draws(kind, 1.5 * scale, 20_000), reference) < FALSE_ALARM
    assert stats.ks_2samp(our_draws(kind, scale, 20_000), reference).pvalue > FALSE_ALARM


def vectors(rate: float, dim: int, count: int, seed: int) -> Integers:
    bits = SeededBits(seed)
    return np.array([_mixture(rate, dim, bits) for _ in range(count)])


def mixture_table(rate: float, reach: int) -> dict[int, float]:
    """P(‖k‖² = r) for the plain Gamma mixture in two dimensions, by quadrature over the variance."""
    m = np.arange(-60, 61)

    def density(v: float, squared: int) -> float:
        one_dimension = np.exp(-(m**2) / (2 * v)).sum()
        return float(stats.gamma.pdf(v, 1.5, scale=2 / rate**2) * np.exp(-squared / (2 * v)) / one_dimension**2)

    side = np.arange(-reach, reach + 1)
    squares, points = np.unique(side[:, None] ** 2 + side[None, :] ** 2, return_counts=True)
    inside = squares <= reach**2
    pairs = zip(squares[inside].tolist(), points[inside].tolist(), strict=True)
    return {r: n * integrate.quad(density, 0, 400, args=(r,), points=[0.2, 1, 5, 40], limit=200)[0] for r, n in pairs}


def test_spherical_mixture_matches_quadrature_on_a_very_coarse_grid() -> None:
    # At this rate the Poisson factor is visible, so the table is that of the mixture and not of the lattice law.
    draws = vectors(0.4, 2, 15_000, seed=1)
    assert fit_to_table((draws**2).sum(axis=1), mixture_table(0.4, 12)) > FALSE_ALARM
    assert fit_to_table((draws**2).sum(axis=1), mixture_table(0.4 * 1.3, 12)) < FALSE_ALARM


def lattice_table(rate: float, reach: int, cell: int) -> dict[int, float]:
    """The enumerated law exp(-rate‖k‖) on Z², summed over square cells."""
    side = np.arange(-reach, reach + 1)
    weights = np.exp(-rate * np.hypot(side[:, None], side[None, :]))
    names = cell_name(np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2), cell)
    keys, inverse = np.unique(names, return_inverse=True)
    sums = np.bincount(inverse, weights=weights.ravel() / weights.sum())
    return dict(zip(keys.tolist(), sums.tolist(), strict=True))


def cell_name(points: Integers, cell: int) -> Integers:
    columns: Integers = np.floor_divide(points, cell)
    return columns[:, 0] * 10_000 + columns[:, 1]


def test_spherical_draws_match_the_enumerated_lattice_law() -> None:
    draws = vectors(0.05, 2, 15_000, seed=2)
    assert fit_to_table(cell_name(draws, 10), lattice_table(0.05, 700, 10)) > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert fit_to_table(cell_name(draws, 10), lattice_table(0.05 / wrong, 1000, 10)) < FALSE_ALARM


@pytest.mark.parametrize("dim", [2, 3, 8, 51])
def test_spherical_radius_is_gamma_and_direction_uniform(dim: int) -> None:
    rate, bits = 2.0**-30, SecureBits()
    draws = np.array([spherical_lattice(rate, dim, bits) for _ in range(4000)]).astype(np.float64)
    radius = np.linalg.norm(draws, axis=1)
    assert stats.kstest(radius * rate, stats.gamma(dim).cdf).pvalue > FALSE_ALARM
    for wrong in WRONG_SCALES:
        assert stats.kstest(radius * rate / wrong, stats.gamma(dim).cdf).pvalue < FALSE_ALARM
    share = (draws[:, 0] / radius) ** 2
    assert stats.kstest(share, stats.beta(0.5, (dim - 1) / 2).cdf).pvalue > FALSE_ALARM


def test_spherical_noise_in_one_dimension_is_discrete_laplace() -> None:
    bits = SecureBits()
    draws = np.array([spherical_lattice(0.25, 1, bits)[0] for _ in range(5000)])
    assert fit_to_table(draws, laplace_table(4)) > FALSE_ALARM
