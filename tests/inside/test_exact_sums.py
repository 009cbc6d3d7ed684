"""Sums of numbers in [0, 1] that do not depend on who adds what first."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from equipoise.inside.exact_sums import exactly, in_limbs


@pytest.mark.parametrize("seed", range(5))
def test_the_sum_is_the_same_however_it_is_cut_and_next_to_the_true_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    terms = np.concatenate([rng.random(999), rng.random(500) * 10.0 ** -rng.integers(0, 20, 500), [0.0, 1.0, 5e-324]])
    whole = in_limbs(terms)
    rng.shuffle(terms)
    parts = [in_limbs(part) for part in np.split(terms, [3, 3, 700, 1400])]
    np.testing.assert_array_equal(sum(parts[1:], parts[0]), whole)
    true = sum(map(Fraction, terms.tolist()), Fraction(0))
    assert 0 <= true - exactly(whole) <= Fraction(len(terms), 2**54)
    assert abs(float(exactly(whole)) - math.fsum(terms)) <= len(terms) * 2.0**-54 + 2.0**-43


def test_replacing_a_number_moves_the_sum_by_one_at_most_and_that_is_attained() -> None:
    terms = np.random.default_rng(1).random(1000)
    low, high = terms.copy(), terms.copy()
    low[0], high[0] = 0.0, 1.0
    assert exactly(in_limbs(high)) - exactly(in_limbs(low)) == 1
