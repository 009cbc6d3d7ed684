"""Which sampler a law is drawn by: the discrete Gaussian, for very many numbers the rounded one that it stands for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.gate import laws
from equipoise.gate.noise import OpenDPBits, SecureBits, SeededBits, discrete_gaussian
from equipoise.gate.noise.rounded import LARGEST_SCALE, rounded_gaussian
from equipoise.theory.noise import Law, Noise

DRAWS = 4000
STEP = 2.0**-30


def gaussian(dim: int, in_steps: float = 2.0**24) -> Noise:
    return Noise(Law.GAUSSIAN, in_steps * STEP, STEP, dim)


@pytest.mark.parametrize("dim", [1, 63, 70_000])
def test_gaussian_noise_is_drawn_by_inversion(dim: int) -> None:
    by_inversion = rounded_gaussian(2.0**24, dim, SeededBits(1))
    np.testing.assert_array_equal(laws.draw(gaussian(dim), SeededBits(1)), by_inversion)


@pytest.mark.parametrize("in_steps", [0.5, LARGEST_SCALE])
def test_on_other_grids_it_is_discrete(in_steps: float) -> None:
    """Coarser than inversion is proved for, or finer than its doubles tell apart."""
    as_ever = discrete_gaussian(in_steps, 50, SeededBits(1))
    np.testing.assert_array_equal(laws.draw(gaussian(50, in_steps), SeededBits(1)), as_ever)


@pytest.mark.parametrize("in_steps", [0.5, 4.0, 2.0**24, 2.0**39, LARGEST_SCALE])
def test_on_every_grid_the_deviation_is_the_planned_one(in_steps: float) -> None:
    """Up to 6 per cent, five standard errors of so many draws; a discrete law of half a step has .89 of its scale."""
    drawn = laws.draw(gaussian(DRAWS, in_steps), SecureBits()).astype(float)
    told = float(np.sqrt(np.mean(drawn**2))) / in_steps
    assert told == pytest.approx(0.89 if in_steps < 1 else 1.0, rel=0.06 if in_steps > 1 else 0.1)


def test_a_strangers_sampler_is_asked_for_all_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def zeros(bits: OpenDPBits, sigma: float, size: int) -> npt.NDArray[np.int64]:
        asked.append(size)
        return np.zeros(size, dtype=np.int64)

    monkeypatch.setattr(OpenDPBits, "gaussian", zeros)
    for dim in (3, laws.MANY):
        laws.draw(gaussian(dim), OpenDPBits())
    assert asked == [3, laws.MANY]
