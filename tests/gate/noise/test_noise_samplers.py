"""Discrete Laplace, discrete Gaussian and spherical noise: ranges, refusals, reproducibility.  Laws: statistical/."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from equipoise.errors import InvalidInput
from equipoise.gate.noise import SecureBits, SeededBits, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.batches import BLOCK, collect
from equipoise.gate.noise.bits import Words
from equipoise.gate.noise.laplace import LARGEST_SCALE, MOST_LEVELS, _levels, _uniform_below
from equipoise.gate.noise.spherical import _gamma
from equipoise.theory.accounting.slack import VARIANCE_ERROR


class ConstantBits:
    """Always the same word: the extreme luck that no test with real bits would meet."""

    def __init__(self, word: int) -> None:
        self._word = word

    @property
    def seeded(self) -> bool:
        return True

    def words(self, count: int) -> Words:
        return np.full(count, self._word, dtype=np.uint64)

    def spawn(self) -> ConstantBits:
        return self


def exact_gamma(twice_shape: int, words: Words) -> mpmath.mpf:
    """The Gamma variate that `_gamma` approximates, from the same words, in 300-bit arithmetic."""
    count = (twice_shape + 1) // 2
    columns = words[: 3 * count].reshape(3, count)
    uniforms = [_exact_unit(columns[:, i]) for i in range(count)]
    terms = [-mpmath.log(u) for u in uniforms]
    if twice_shape % 2:
        terms[-1] *= mpmath.sin(mpmath.pi / 2 * _exact_unit(words[3 * count : 3 * count + 3])) ** 2
    return mpmath.fsum(terms)


def _exact_unit(words: Words) -> mpmath.mpf:
    head, middle, tail = (int(word) for word in words)
    return (mpmath.mpf((head << 128) + (middle << 64) + tail) + 0.5) / mpmath.mpf(2) ** 192


def test_a_seed_repeats_the_draws_of_every_sampler() -> None:
    assert np.array_equal(discrete_laplace(9, 50, SeededBits(1)), discrete_laplace(9, 50, SeededBits(1)))
    assert np.array_equal(discrete_gaussian(9.5, 50, SeededBits(1)), discrete_gaussian(9.5, 50, SeededBits(1)))
    assert np.array_equal(
        spherical_lattice(2.0**-20, 50, SeededBits(1)), spherical_lattice(2.0**-20, 50, SeededBits(1))
    )


@pytest.mark.parametrize("size", [0, 1, 7, BLOCK + 3])
def test_samplers_return_as_many_integers_as_asked(size: int) -> None:
    for draws in (discrete_laplace(5, size, SecureBits()), discrete_gaussian(5.0, size, SecureBits())):
        assert draws.shape == (size,)
        assert draws.dtype == np.int64


def test_integers_never_overflow_even_at_the_highest_level() -> None:
    levels = _levels(1, ConstantBits(0), 2.0**-40)  # a word of zeros climbs for ever
    assert levels.tolist() == [MOST_LEVELS]
    assert LARGEST_SCALE * MOST_LEVELS + LARGEST_SCALE + 2**52 < 2**63


@pytest.mark.parametrize("sigma", [2.0**44, 2.0**45])
def test_the_largest_scales_stay_far_from_the_limit_of_integers(sigma: float) -> None:
    draws = discrete_gaussian(sigma, 2000, SecureBits())
    assert 0.8 * sigma < draws.astype(float).std() < 1.2 * sigma
    assert np.abs(draws).max() < 12 * sigma


def test_words_beyond_the_last_whole_multiple_are_refused() -> None:
    limit = 3 * 2**44
    excess = 2**64 % limit
    assert _uniform_below(limit, 2, ConstantBits(2**64 - excess)).size == 0
    assert _uniform_below(limit, 2, ConstantBits(2**64 - excess - 1)).tolist() == [limit - 1] * 2
    assert _uniform_below(2**40, 2, ConstantBits(2**64 - 1)).tolist() == [2**40 - 1] * 2


def test_collect_keeps_the_order_of_acceptance() -> None:
    source = iter(range(10**6))

    def propose(count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([value for value in (next(source) for _ in range(count)) if value % 3 == 0], dtype=np.int64)

    assert collect(50, 0.9, propose).tolist() == list(range(0, 150, 3))


@pytest.mark.parametrize("scale", [0, -1, 1.5, True, 2**46 + 1])
def test_laplace_refuses_scales_it_cannot_draw(scale: int) -> None:
    with pytest.raises(InvalidInput, match="scale="):
        discrete_laplace(scale, 1, SecureBits())


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.inf, math.nan, 2.0**45 * 1.01])
def test_gaussian_refuses_scales_it_cannot_draw(sigma: float) -> None:
    with pytest.raises(InvalidInput, match="sigma="):
        discrete_gaussian(sigma, 1, SecureBits())


@pytest.mark.parametrize("rate", [2.0**-15, 2.0**-35, 0.0])
def test_spherical_refuses_rates_outside_the_proved_range(rate: float) -> None:
    with pytest.raises(InvalidInput, match="rate="):
        spherical_lattice(rate, 2, SecureBits())


def test_spherical_refuses_dimensions_outside_the_proved_range() -> None:
    with pytest.raises(InvalidInput, match="dim="):
        spherical_lattice(2.0**-20, 2**20 + 1, SecureBits())


def test_one_dimension_is_the_discrete_laplace_with_its_scale_rounded_up() -> None:
    assert np.array_equal(spherical_lattice(0.3, 1, SeededBits(4)), discrete_laplace(4, 1, SeededBits(4)))
    tiny = math.nextafter(0.25, 0.0)  # 1/rate is a hair above 4, and must not be rounded down to it
    assert np.array_equal(spherical_lattice(tiny, 1, SeededBits(4)), discrete_laplace(5, 1, SeededBits(4)))


@pytest.mark.parametrize("twice_shape", [3, 4, 9, 200])
def test_the_gamma_variate_is_as_precise_as_the_proof_assumes(twice_shape: int) -> None:
    for seed in range(40):
        drawn = _gamma(twice_shape, SeededBits(seed))
        with mpmath.workprec(300):
            truth = exact_gamma(twice_shape, SeededBits(seed).words(3 * twice_shape))
            assert abs(drawn / truth - 1) < VARIANCE_ERROR / 8


@pytest.mark.parametrize("word", [0, 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1])
def test_the_gamma_variate_is_precise_for_the_rarest_words(word: int) -> None:
    for twice_shape in (3, 4):
        drawn = _gamma(twice_shape, ConstantBits(word))
        with mpmath.workprec(600):
            truth = exact_gamma(twice_shape, np.full(12, word, dtype=np.uint64))
            assert truth > 0
            assert abs(drawn / truth - 1) < VARIANCE_ERROR / 8
