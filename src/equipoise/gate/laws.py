"""From a sensitivity and a budget to a noise law on a grid, and draws from it.

A value is rounded to the grid first, which can move two neighbours apart by step·√dim more; the noise is then
whole steps.  The laws drawn differ from the laws of the theorems by a slack that docs/proofs/noise.md bounds; it is
taken out of ε before calibrating, and its tail is reported as `delta_numeric`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate.noise import Bits, Grid, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.numeric import Slack, delta_numeric, gaussian_slack, spherical_slack
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Noise

FINE_BITS = 24
FINE = 2.0**FINE_BITS
"""Steps, at least, to the scale of noise that is added to a value.  Finer grids have less slack, coarser ones a wider
range: a double holds 2⁵³ whole steps, so values up to 2²⁸ noise scales pass without being clamped."""

TILT_BITS = 30
TILT_FINE = 2.0**TILT_BITS
"""Steps to the scale of a tilt, which is added to nothing and whose rounding the second noise must cover."""

UP = 1 + 1e-12
"""Rounds scales up, by thousands of ulps."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A law and what arithmetic adds to the δ it was calibrated for."""

    noise: Noise
    delta_numeric: float


def spherical_room(dim: int) -> Slack:
    """The slack of spherical noise at our resolution; nothing is lost in one dimension."""
    return spherical_slack(dim, 1 / FINE)


def tilt_room(dim: int) -> Slack:
    """The same against the *continuous* spherical law rounded to the grid, which the tilt's theorem speaks of.

    Within a cell ‖x‖ varies by √dim/2 steps either way, so each cell's mass and the normaliser are both within a
    factor e^(±√dim/(2·TILT_FINE)) of the lattice's.
    """
    lattice = spherical_slack(dim, 1 / TILT_FINE)
    return Slack(lattice.epsilon + 2 * math.sqrt(dim) / TILT_FINE * UP, lattice.tail)


def gaussian_room(dim: int) -> Slack:
    """The slack of Gaussian noise at our resolution."""
    return gaussian_slack(dim, FINE)


def left_after(epsilon: float, slack: Slack, times: int = 1) -> float:
    """ε less the slack of this many draws, rounded down."""
    left = (epsilon - times * slack.epsilon) * (1 - 1e-15)
    if left <= epsilon / 2:
        raise MechanismRefused(f"epsilon={epsilon!r}: too small for noise on a grid, raise it")
    return left


@lru_cache(maxsize=256)
def shift_for(epsilon: float, delta: float) -> float:
    """The largest μ whose Gaussian release is (ε, δ)-private."""
    return gaussian_shift(Budget(epsilon, delta))


def pure(l2: float, dim: int, epsilon: float) -> Calibrated:
    """Spherical noise, in one dimension Laplace, for an ε-private release with this L2 sensitivity."""
    slack = spherical_room(dim)
    step = Grid.for_scale(l2 / epsilon, FINE_BITS).step
    scale = (l2 + step * math.sqrt(dim)) / left_after(epsilon, slack) * UP
    return Calibrated(Noise(_pure_law(dim), scale, step, dim), delta_numeric(epsilon, slack))


def gaussian(l2: float, dim: int, epsilon: float, delta: float) -> Calibrated:
    """Gaussian noise for an (ε, δ)-private release with this L2 sensitivity: the analytic calibration."""
    slack = gaussian_room(dim)
    noise = gaussian_of(l2, dim, shift_for(left_after(epsilon, slack), delta))
    return Calibrated(noise, delta_numeric(epsilon, slack, delta))


def gaussian_of(l2: float, dim: int, mu: float) -> Noise:
    """Gaussian noise that makes a release with this L2 sensitivity μ-GDP, the grid included."""
    step = Grid.for_scale(l2 / mu, FINE_BITS).step
    return Noise("gaussian", (l2 + step * math.sqrt(dim)) / mu * UP, step, dim)


def spherical_tilt(rate: float, dim: int) -> Noise:
    """Noise ∝ exp(−rate·‖b‖) that is not added to a rounded value."""
    scale = UP / rate
    return Noise(_pure_law(dim), scale, Grid.for_scale(scale, TILT_BITS).step, dim)


def gaussian_tilt(sigma: float, dim: int) -> Noise:
    """Gaussian noise that is not added to a rounded value."""
    scale = UP * sigma
    return Noise("gaussian", scale, Grid.for_scale(scale, TILT_BITS).step, dim)


def _pure_law(dim: int) -> str:
    return "laplace" if dim == 1 else "spherical"


def draw(noise: Noise, bits: Bits) -> npt.NDArray[np.int64]:
    """One vector of the law, in whole grid steps."""
    in_steps = noise.scale / noise.step
    if noise.law == "gaussian":
        return discrete_gaussian(in_steps, noise.dim, bits)
    if noise.law == "spherical":
        return spherical_lattice(1 / in_steps, noise.dim, bits)
    return discrete_laplace(math.ceil(in_steps), noise.dim, bits)
