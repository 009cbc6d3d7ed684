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

from equipoise._checks import whole
from equipoise.errors import MechanismRefused
from equipoise.gate.noise import Bits, Grid, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.numeric import (
    LARGEST_DIM,
    Slack,
    chi_square_spread,
    delta_numeric,
    gaussian_slack,
    spherical_slack,
)
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.rounding import FORMULA, WELL_CLEAR, down, up

FINE_BITS = 24
FINE = 2.0**FINE_BITS
"""Steps, at least, to the scale of noise that is added to a value.  Finer grids have less slack, coarser ones a wider
range: a double holds 2⁵³ whole steps, so values up to 2²⁸ noise scales pass without being clamped."""

TILT_BITS = 30
TILT_FINE = 2.0**TILT_BITS
"""Steps to the scale of a tilt, which is added to nothing and whose rounding the second noise must cover."""

MOST_NUMERIC = 2.0**-41
"""No single law adds more than this to δ."""

LARGEST_EPSILON = 24.0
"""Arithmetic costs δ about e^ε times a tiny tail.  Beyond this ε, laws with a tail are calibrated as if for this one,
which is more noise than asked for; Laplace noise has none and follows any ε."""

LARGEST_JOINT_DELTA = 2.0**-10
"""What arithmetic adds to the δ of many answers is stated for totals at any δ up to this."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A law and what arithmetic adds to the δ it was calibrated for."""

    noise: Noise
    delta_numeric: float


WIDEST = 4096.0
"""Coefficients, times the row norm, that must pass a grid without being clamped."""


def spanning(l2: float, rate: float, span: float) -> float:
    """The sensitivity, or a larger one if noise l2/rate would put the value on a grid too fine to hold `span`.

    More noise than needed is still private; it is a 2⁻²⁷ part of the span.
    """
    return max(l2, span / (8 * FINE) * rate)


def spherical_room(dim: int) -> Slack:
    """The slack of spherical noise at our resolution; nothing is lost in one dimension."""
    return spherical_slack(dim, 1 / FINE)


def tilt_room(dim: int) -> Slack:
    """The same against the *continuous* spherical law rounded to the grid, which the tilt's theorem speaks of.

    Within a cell ‖x‖ varies by √dim/2 steps either way, so each cell's mass and the normaliser are both within a
    factor e^(±√dim/(2·TILT_FINE)) of the lattice's.
    """
    lattice = spherical_slack(dim, 1 / TILT_FINE)
    return Slack(lattice.epsilon + up(2 * math.sqrt(dim) / TILT_FINE, FORMULA), lattice.tail)


def gaussian_room(dim: int) -> Slack:
    """The slack of Gaussian noise at our resolution."""
    return gaussian_slack(dim, FINE)


def left_after(epsilon: float, slack: Slack, times: int = 1) -> float:
    """ε less the slack of this many draws, rounded down."""
    left = down(epsilon - times * slack.epsilon)
    if left <= epsilon / 2:
        raise MechanismRefused(f"epsilon={epsilon!r}: too small for noise on a grid, raise it")
    return left


@lru_cache(maxsize=256)
def shift_for(epsilon: float, delta: float) -> float:
    """The largest μ whose Gaussian release is (ε, δ)-private."""
    return gaussian_shift(Budget(epsilon, delta))


def pure(l2: float, dim: int, epsilon: float) -> Calibrated:
    """Noise for an ε-private release with this L2 sensitivity: spherical, or Laplace where that is as good or exact."""
    if dim == 1 or dim > LARGEST_DIM:
        return Calibrated(_laplace(l2, dim, epsilon), 0.0)
    slack = spherical_room(dim)
    numeric = delta_numeric(epsilon, slack)
    if numeric > MOST_NUMERIC:
        return Calibrated(_laplace(l2, dim, epsilon), 0.0)
    step = Grid.for_scale(l2 / epsilon, FINE_BITS).step
    scale = up((l2 + step * math.sqrt(dim)) / left_after(epsilon, slack), FORMULA)
    return Calibrated(Noise(Law.SPHERICAL, scale, step, dim), numeric)


def _laplace(l2: float, dim: int, epsilon: float) -> Noise:
    """Laplace noise in every coordinate: the L1 sensitivity is at most √dim times the L2 one, and it has no slack."""
    l1 = math.sqrt(dim) * l2
    step = Grid.for_scale(l1 / epsilon, FINE_BITS).step
    return Noise(Law.LAPLACE, up((l1 + step * dim) / epsilon, FORMULA), step, dim)


def gaussian(l2: float, dim: int, epsilon: float, delta: float) -> Calibrated:
    """Gaussian noise for an (ε, δ)-private release with this L2 sensitivity: the analytic calibration."""
    slack = gaussian_room(dim)
    noise = gaussian_of(l2, dim, shift_for(left_after(epsilon, slack), delta))
    return Calibrated(noise, delta_numeric(epsilon, slack, delta))


def joint(l2: float, dim: int, budget: Budget) -> tuple[Calibrated, GaussianRelease | PureRelease]:
    """The law for numbers released together, and its event: Gaussian noise where δ allows it; beyond the ε it is
    calibrated for, pure noise as soon as that is smaller."""
    without = pure(l2, dim, budget.epsilon)
    if budget.delta > 0:
        epsilon, slack = within_reach(budget.epsilon), gaussian_room(dim)
        law = gaussian(l2, dim, epsilon, budget.delta)
        if epsilon == budget.epsilon or law.noise.rms < without.noise.rms:
            mu = shift_for(left_after(epsilon, slack), budget.delta)
            return law, GaussianRelease(mu, 1, law.delta_numeric, slack.epsilon)
    return without, PureRelease(budget.epsilon, without.delta_numeric)


def gaussian_of(l2: float, dim: int, mu: float) -> Noise:
    """Gaussian noise that makes a release with this L2 sensitivity μ-GDP, the grid included."""
    step = Grid.for_scale(l2 / mu, FINE_BITS).step
    return Noise(Law.GAUSSIAN, up((l2 + step * math.sqrt(dim)) / mu, FORMULA), step, dim)


def gaussian_rate(epsilon: float, delta: float, dim: int) -> float:
    """The μ that one answer of `dim` numbers may have within (ε, δ), the grid's slack set aside."""
    return shift_for(left_after(within_reach(epsilon), gaussian_room(dim)), delta)


def gaussian_answers(epsilon: float, delta: float, dim: int, count: int) -> GaussianRelease:
    """What `count` such answers cost: Gaussian privacy composes exactly, the slack is that of all numbers jointly."""
    slack, mu = gaussian_room(whole(count=count) * dim), gaussian_rate(epsilon, delta, dim)
    numeric = delta_numeric(within_reach(epsilon), slack, max(delta, LARGEST_JOINT_DELTA))
    return GaussianRelease(mu, count, numeric, slack.epsilon)


def within_reach(epsilon: float) -> float:
    """ε, or the largest for which the laws with a tail are calibrated."""
    return min(epsilon, LARGEST_EPSILON)


def spherical_tilt(rate: float, dim: int) -> Noise:
    """Noise ∝ exp(−rate·‖b‖) that is not added to a rounded value."""
    scale = up(1.0, FORMULA) / rate
    law = Law.LAPLACE if dim == 1 else Law.SPHERICAL
    return Noise(law, scale, Grid.for_scale(scale, TILT_BITS).step, dim)


def gaussian_tilt(sigma: float, dim: int) -> Noise:
    """Gaussian noise that is not added to a rounded value."""
    scale = up(sigma, FORMULA)
    return Noise(Law.GAUSSIAN, scale, Grid.for_scale(scale, TILT_BITS).step, dim)


TILT_TAIL = 2.0**-100
"""Bound on the chance that a tilt is longer than `longest`, at least a hundredfold."""


def longest(noise: Noise) -> float:
    """A length that a tilt of this law exceeds with probability below 2⁻¹⁰⁰ (docs/proofs/objective_perturbation.md).

    Sub-gamma tails at e⁻⁷⁵: of χ² with dim degrees for Gaussian noise, else of a Gamma variable of that shape.
    """
    if noise.law is Law.GAUSSIAN:
        units = math.sqrt(noise.dim + chi_square_spread(noise.dim))
    else:
        units = noise.dim + math.sqrt(150 * noise.dim) + 75
    return up(units * noise.scale + noise.step * math.sqrt(noise.dim), WELL_CLEAR)


def with_clamp(slack: Slack) -> Slack:
    """The slack of a law whose draws are shortened to `longest`."""
    return Slack(slack.epsilon, slack.tail + TILT_TAIL)


def clamped(values: npt.NDArray[np.float64], most: float) -> npt.NDArray[np.float64]:
    """The vector, or each row of a matrix, shortened to this length."""
    norms = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.where(norms <= most, values, values * (most / np.maximum(norms, most)))


def draw(noise: Noise, bits: Bits) -> npt.NDArray[np.int64]:
    """One vector of the law, in whole grid steps."""
    in_steps = noise.scale / noise.step
    match noise.law:
        case Law.GAUSSIAN:
            return discrete_gaussian(in_steps, noise.dim, bits)
        case Law.SPHERICAL:
            return spherical_lattice(1 / in_steps, noise.dim, bits)
        case Law.LAPLACE:
            return discrete_laplace(math.ceil(in_steps), noise.dim, bits)
    raise MechanismRefused(f"law={noise.law!r}: has no sampler here")
