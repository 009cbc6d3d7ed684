"""Draws that begin with half a word: a first look is right for every fraction in its cell, or says that it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from tests.gate.noise.draws import CELLS, EVERYTHING, chance_of

from equipoise.gate.noise import SecureBits, SeededBits, inversion, rounded
from equipoise.gate.noise.bits import Words
from equipoise.gate.noise.halves import LARGEST, SMALLEST, begins_with_half
from equipoise.gate.noise.inversion import laplace_by_inversion
from equipoise.gate.noise.rounded import rounded_gaussian

Heads = npt.NDArray[np.uint64]
FALSE_ALARM = 1e-6
SCALES = [SMALLEST, 1000, 2**20 + 3, 2**24 + 1, LARGEST]
CELL = 2**32
"""Heads of 63 bits that begin with one head of 31."""


@dataclass(frozen=True)
class Law:
    """A sampler: its first look, its second, and where in units of 2^31 a magnitude gives way to the one before."""

    draw: Callable[..., npt.NDArray[np.int64]]
    first: Callable[..., tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]]
    second: Callable[..., npt.NDArray[np.int64]]
    share: Callable[[int, int], mpmath.mpf]
    kind: type[int] | type[float]
    """Of its scale."""


LAPLACE = Law(
    laplace_by_inversion,
    inversion._first_look,
    inversion._magnitudes,
    lambda m, scale: mpmath.exp(-mpmath.mpf(m) / scale),
    int,
)
GAUSSIAN = Law(
    rounded_gaussian,
    rounded._first_look,
    rounded._magnitudes,
    lambda m, scale: mpmath.erfc((m - mpmath.mpf(0.5)) / scale / mpmath.sqrt(2)),
    float,
)
LAWS = [pytest.param(LAPLACE, id="Laplace"), pytest.param(GAUSSIAN, id="Gaussian")]


def looked(law: Law, heads: Heads, scale: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """What a first look says, and where it does."""
    magnitudes, unsure = law.first((heads.astype(np.float64) + 0.5) * 2.0**-31, scale)
    sure = np.ones(len(heads), dtype=np.bool_)
    sure[unsure] = False
    return magnitudes.astype(np.int64), sure


def some_heads(seed: int = 0) -> Heads:
    """Everywhere, and at both ends, where cells are widest and narrowest."""
    rng = np.random.default_rng(seed)
    ends = np.arange(3000)
    small = (2.0 ** rng.uniform(0, 31, 3000)).astype(np.int64)
    return np.concatenate([rng.integers(0, 2**31, 5000), ends, 2**31 - 1 - ends, small]).astype(np.uint64)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("law", LAWS)
def test_a_first_look_is_right_at_both_ends_of_its_cell(law: Law, scale: int) -> None:
    """Magnitudes fall as U grows, so that what both ends agree on holds for every U between them."""
    heads = some_heads()
    magnitudes, sure = looked(law, heads, scale)
    lowest = law.second(heads[sure] * np.uint64(CELL), law.kind(scale), SeededBits(0), 2.0**-46)
    highest = law.second(heads[sure] * np.uint64(CELL) + np.uint64(CELL - 1), law.kind(scale), SeededBits(0), 2.0**-46)
    assert sure.sum() > len(heads) / 5
    assert np.array_equal(magnitudes[sure], lowest)
    assert np.array_equal(magnitudes[sure], highest)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("law", LAWS)
def test_exact_arithmetic_agrees_with_a_first_look(law: Law, scale: int) -> None:
    heads = some_heads(1)[::400]
    magnitudes, sure = looked(law, heads, scale)
    middles = heads[sure] * np.uint64(CELL) + np.uint64(CELL // 2)
    exact = law.second(middles, law.kind(scale), SeededBits(0), EVERYTHING)
    assert np.array_equal(magnitudes[sure], exact)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("law", LAWS)
def test_a_cell_that_holds_a_boundary_is_never_settled_at_once(law: Law, scale: int) -> None:
    mpmath.mp.prec = 200
    for m in (1, 2, scale // 3, scale, 2 * scale + 1, 3 * scale):
        edge = int(mpmath.floor(mpmath.mpf(2) ** 31 * law.share(m, scale)))
        assert not looked(law, np.array([edge], dtype=np.uint64), scale)[1][0]


@pytest.mark.parametrize("law", LAWS)
def test_the_smallest_heads_are_never_settled_at_once(law: Law) -> None:
    """The bound on the logarithm is for heads from 25 on."""
    for scale in SCALES:
        assert not looked(law, np.arange(25, dtype=np.uint64), scale)[1].any()


@pytest.mark.parametrize("law", LAWS)
def test_the_second_half_of_a_word_decides_where_the_first_does_not(law: Law) -> None:
    """Both ends of a cell that holds a boundary, told apart by bits that come later; the sign is that of the first."""
    mpmath.mp.prec = 200
    scale, m = 2**24, 2**23 + 5
    head = int(mpmath.floor(mpmath.mpf(2) ** 31 * law.share(m, scale)))
    for negative in (0, 1):
        first = head + negative * 2**31
        told = [int(law.draw(scale, 1, FirstHalves(first, rest))[0]) for rest in (0, CELL - 1)]
        ends = np.array([head * CELL, head * CELL + CELL - 1], dtype=np.uint64)
        expected = law.second(ends, law.kind(scale), SeededBits(0), EVERYTHING)
        assert expected[0] > expected[1]
        assert told == [int(end) * (1 - 2 * negative) for end in expected]


class FirstHalves:
    """Of each request the first half-word is listed; all others lie where a first look settles them."""

    seeded = True

    def __init__(self, *halves: int) -> None:
        self.halves = list(halves)

    def words(self, count: int) -> Words:
        made = np.full(2 * count, 2**30 + 12345, dtype=np.uint32)
        if self.halves:
            made[0] = self.halves.pop(0)
        return made.view(np.uint64)

    def spawn(self) -> FirstHalves:
        return self


@pytest.mark.parametrize("scale", [SMALLEST, 150])
def test_draws_follow_their_laws_cell_by_cell(scale: int) -> None:
    laplace, gaussian = (
        laplace_by_inversion(scale, 200_000, SecureBits()),
        rounded_gaussian(scale, 200_000, SecureBits()),
    )
    for wrong, agrees in ((1.0, True), (1.3, False)):
        assert (chance_of(laplace, np.exp(-CELLS / (wrong * scale))) > FALSE_ALARM) is agrees
        upper, lower = (CELLS + 0.5) / (wrong * scale), (CELLS - 0.5) / (wrong * scale)
        law = stats.norm.sf(lower) - stats.norm.sf(upper)
        assert (chance_of(gaussian, law) > FALSE_ALARM) is agrees


def test_zero_is_not_counted_twice() -> None:
    """At scale 64 zero has probability tanh(1/128); with negative zeros kept it would have nearly twice as much."""
    share, chance = float(np.mean(laplace_by_inversion(SMALLEST, 100_000, SecureBits()) == 0)), float(np.tanh(1 / 128))
    assert abs(share - chance) < stats.norm.isf(FALSE_ALARM / 2) * np.sqrt(chance / 100_000)


@dataclass
class Counted:
    """Secure words, and how many were asked for."""

    asked: int = 0
    seeded: bool = False

    def words(self, count: int) -> Words:
        self.asked += count
        return SecureBits().words(count)

    def spawn(self) -> Counted:
        return self


@pytest.mark.parametrize("law", LAWS)
def test_little_more_than_half_a_word_is_asked_for(law: Law) -> None:
    bits = Counted()
    law.draw(2**24 + 1, 40_000, bits)
    assert 20_000 <= bits.asked <= 22_500


def test_only_scales_for_which_it_is_proved_begin_with_half_a_word() -> None:
    assert [begins_with_half(scale) for scale in (1, 63.9, 64, 2.0**26, 2.0**26 + 1)] == [
        False,
        False,
        True,
        True,
        False,
    ]
