"""Coin flips with probability exp(-x): the fast path, the exact path, and the bounds that the exact path trusts."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.gate.noise.bernoulli import bernoulli_exp
from equipoise.gate.noise.bits import SeededBits, Words
from equipoise.gate.noise.enclosure import exp_minus

DEVIATIONS = 6.2  # standard deviations of a count; false alarm below 1e-9


class FixedBits:
    """Hands out the words it was given, in order."""

    def __init__(self, *words: int) -> None:
        self._words = list(words)

    @property
    def seeded(self) -> bool:
        return True

    def words(self, count: int) -> Words:
        taken, self._words = self._words[:count], self._words[count:]
        return np.array(taken, dtype=np.uint64)

    def spawn(self) -> FixedBits:
        return self


@given(
    numerator=st.integers(0, 10**30), denominator=st.integers(1, 10**30), precision=st.sampled_from([64, 128, 192, 320])
)
def test_the_enclosure_contains_exp_and_is_tight(numerator: int, denominator: int, precision: int) -> None:
    x = Fraction(numerator, denominator)
    low, high = exp_minus(x, precision)
    with mpmath.workprec(precision + 400):
        truth = mpmath.exp(-mpmath.mpf(numerator) / denominator) * mpmath.mpf(2) ** precision
        assert low <= truth <= high
    assert high - low <= 2


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1), Fraction(63), Fraction(64), Fraction(65), Fraction(1, 2**80)])
def test_the_enclosure_holds_at_the_edges(x: Fraction) -> None:
    low, high = exp_minus(x, 64)
    with mpmath.workprec(600):
        assert low <= mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator) * 2**64 <= high


def test_exact_arithmetic_decides_the_same_way_as_doubles() -> None:
    # Forced by a margin above one; the same words lead both paths.
    x = np.linspace(0.0, 8.0, 4000)
    fast = bernoulli_exp(x, lambda i: Fraction(float(x[i])), SeededBits(1))
    slow = bernoulli_exp(x, lambda i: Fraction(float(x[i])), SeededBits(1), margin=2.0)
    assert np.array_equal(fast, slow)
    assert 0 < fast.sum() < fast.size


def test_a_flip_too_close_to_call_reads_further_bits() -> None:
    low, _ = exp_minus(Fraction(1), 64)  # the first 64 bits of 1/e: only bits beyond them can tell
    continuation, _ = exp_minus(Fraction(1), 128)
    next_word = continuation - (low << 64)
    for word, below in ((next_word - 2, True), (next_word + 2, False)):
        flip = bernoulli_exp(np.ones(1), lambda _: Fraction(1), FixedBits(low, word))
        assert bool(flip[0]) is below


def test_the_exact_exponent_counts_when_the_double_is_deceptive() -> None:
    count = 20_000
    flips = bernoulli_exp(np.zeros(count), lambda _: Fraction(1), SeededBits(2), margin=2.0)
    assert abs(flips.mean() - np.exp(-1)) < DEVIATIONS * 0.49 / np.sqrt(count)


def test_exp_on_this_machine_is_as_precise_as_the_fast_path_assumes() -> None:
    x = np.concatenate([np.linspace(0.0, 5.0, 1500), np.geomspace(1e-12, 60.0, 500)])
    with mpmath.workprec(200):
        worst = max(abs(mpmath.exp(-mpmath.mpf(float(a))) - float(b)) for a, b in zip(x, np.exp(-x), strict=True))
    assert worst <= 2.0**-50


@pytest.mark.parametrize("margin", [2.0**-40, 0.25])
@pytest.mark.parametrize("x", [0.0, 0.1, 1.0, 3.0])
def test_success_has_probability_exp_minus_x_whatever_the_margin(x: float, margin: float) -> None:
    count = 20_000
    flips = bernoulli_exp(np.full(count, x), lambda _: Fraction(x), SeededBits(3), margin=margin)
    p = np.exp(-x)
    assert abs(flips.mean() - p) <= DEVIATIONS * np.sqrt(p * (1 - p) / count)


def test_certain_and_hopeless_flips_are_settled() -> None:
    top = 2**64 - 1
    assert bernoulli_exp(np.zeros(1), lambda _: Fraction(0), FixedBits(top, 5)).all()
    assert not bernoulli_exp(np.array([1e6]), lambda _: Fraction(10**6), FixedBits(0, 0, 5)).any()
