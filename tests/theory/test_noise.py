"""Noise laws are types: a misspelt one cannot be planned with, and each knows its own spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise.errors import InvalidInput
from equipoise.gate import bits_from, laws
from equipoise.theory.noise import Law, Noise

DRAWS = 4000
ROOM = 0.06
"""Of the root mean square of so many draws: more than five of its standard errors, a false alarm in a million."""


@pytest.mark.parametrize("law", ["gausian", "gaussian", "laplace", "", None, 3])
def test_a_law_that_is_not_a_law_is_refused(law: Any) -> None:
    with pytest.raises(InvalidInput, match="must be a Law"):
        Noise(law, 1.0, 1.0, 1)


@pytest.mark.parametrize("dim", [1, 4])
@pytest.mark.parametrize("law", Law)
def test_the_stated_spread_is_that_of_the_draws(law: Law, dim: int) -> None:
    noise, bits = Noise(law, 3.0, 3.0 * 2.0**-20, dim), bits_from(1)
    drawn = np.array([laws.draw(noise, bits) for _ in range(DRAWS // dim)]) * noise.step
    assert np.sqrt(np.mean(drawn**2)) == pytest.approx(noise.rms, rel=ROOM)


def test_sizes_are_in_the_norm_of_the_law() -> None:
    rows = np.array([[3.0, -4.0], [0.0, 1.0]])
    assert Law.LAPLACE.sizes(rows).tolist() == [7.0, 1.0]
    assert Law.GAUSSIAN.sizes(rows).tolist() == Law.SPHERICAL.sizes(rows).tolist() == [5.0, 1.0]


def test_words_of_a_sentence() -> None:
    assert [law.words for law in Law] == ["Laplace", "spherical", "Gaussian"]
