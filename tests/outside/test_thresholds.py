"""Chances of a threshold on noisy coefficients: against the closed form and against draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.gate import bits_from, laws
from equipoise.outside.thresholds import Threshold
from equipoise.theory.noise import Law, Noise

FALSE_ALARM = 1e-6
"""Of each comparison with draws: five standard errors of a share."""


@pytest.mark.parametrize("w", [0.0, 0.3, 1.0, 1.5, 4.0])
def test_laplace_noise_has_the_three_cases_of_the_corrected_lemma(w: float) -> None:
    scale, at = 0.4, 1.0
    threshold = Threshold(at, Law.LAPLACE, 3, scale * math.sqrt(2))
    if w == 0:
        told = math.exp(-at / scale)
    elif w >= at:
        told = 0.5 * (math.exp(-(w - at) / scale) - math.exp(-(w + at) / scale))
    else:
        told = 1 - 0.5 * math.exp(-(at - w) / scale) - 0.5 * math.exp(-(at + w) / scale)
    assert threshold.disagrees(w) == pytest.approx(told, rel=1e-9)


def test_small_coefficients_are_dropped_though_they_are_not_zero() -> None:
    """Where the printed lemma promises an error that falls exponentially, selection nearly always disagrees."""
    threshold = Threshold.for_rate(0.01, Law.LAPLACE, 1, 0.1)
    assert threshold.disagrees(0.1 * threshold.value) > 0.95


@pytest.mark.parametrize(("law", "dim"), [(Law.SPHERICAL, 2), (Law.SPHERICAL, 12), (Law.GAUSSIAN, 5), (Law.LAPLACE, 4)])
@pytest.mark.parametrize("w", [0.0, 0.7, 2.0])
def test_draws_are_kept_as_often_as_stated(law: Law, dim: int, w: float) -> None:
    noise, bits, draws = Noise(law, 1.0, 2.0**-20, dim), bits_from(7), 4000
    threshold = Threshold.for_rate(0.2, law, dim, noise.rms)
    steps = np.array([laws.draw(noise, bits) for _ in range(draws // dim + 1)]).ravel() * noise.step
    share = float(np.mean(np.abs(w * noise.rms + steps) > threshold.value))
    chance = threshold.kept(w * noise.rms)
    spread = math.sqrt(max(chance * (1 - chance), 1e-4) * dim / draws)  # coordinates of one vector hang together
    assert abs(share - chance) < 5 * spread
    assert threshold.kept(0.0) == pytest.approx(0.2, rel=1e-6)
