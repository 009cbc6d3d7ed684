"""From a sensitivity and a budget to a noise law on a grid, and draws from it.

A value is rounded to the grid first, which can move two neighbours apart by step·√dim more; the noise is then
whole steps.  What the laws drawn leave of ε and add to δ is reckoned in theory/accounting/room.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate.noise import Bits, Grid, OpenDPBits, discrete_gaussian, discrete_laplace, spherical_lattice
from equipoise.gate.noise.rounded import LARGEST_SCALE, rounded_gaussian
from equipoise.theory.accounting.prices import gaussian_release, pure_release
from equipoise.theory.accounting.room import LARGEST_EPSILON, gaussian_room, shift_for, spherical_room
from equipoise.theory.accounting.slack import FINE, FINE_BITS, TILT_BITS
from equipoise.theory.events import Event
from equipoise.theory.extremes import SMALLEST_DELTA, of_use
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.rounding import FORMULA, up


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A law and what arithmetic adds to the δ it was calibrated for."""

    noise: Noise
    delta_numeric: float


MANY = 2**16
"""Numbers from which on drawing them is a good part of a fit."""

MOST_STEPS = {Law.LAPLACE: 2.0**40, Law.GAUSSIAN: 2.0**40 - 1, Law.SPHERICAL: 2.0**34}
"""Of a noise's scale: every sampler of its law draws noise of so many."""

LARGEST_NOISE = 2.0**800
"""Of noise: wider has no grid."""

WIDEST = 4096.0
"""Coefficients, times the row norm, that must pass a grid without being clamped."""


def spanning(l2: float, rate: float, span: float) -> float:
    """The sensitivity, or a larger one if noise l2/rate would put the value on a grid too fine to hold `span`.

    More noise than needed is still private; it is a 2⁻²⁷ part of the span.
    """
    return max(l2, span / (8 * FINE) * of_use(rate))


def pure(l2: float, dim: int, epsilon: float) -> Calibrated:
    """Noise for an ε-private release with this L2 sensitivity: spherical, or Laplace where that is as good or exact."""
    epsilon = of_use(epsilon)
    room = None if dim == 1 else spherical_room(epsilon, dim)
    if room is None:  # the L1 sensitivity is at most √dim times the L2 one, and Laplace noise has no slack
        return Calibrated(laplace(math.sqrt(dim) * l2, dim, epsilon), 0.0)
    step = _step(l2 / epsilon, FINE_BITS)
    scale = up((l2 + step * math.sqrt(dim)) / room.epsilon, FORMULA)
    return Calibrated(drawable(Noise(Law.SPHERICAL, scale, step, dim)), room.delta_numeric)


def laplace(l1: float, dim: int, epsilon: float) -> Noise:
    """Laplace noise in every coordinate; rounding to the grid moves neighbours apart by a step in each."""
    epsilon = of_use(epsilon)
    step = _step(l1 / epsilon, FINE_BITS)
    return drawable(Noise(Law.LAPLACE, up((l1 + step * dim) / epsilon, FORMULA), step, dim))


def gaussian(l2: float, dim: int, epsilon: float, delta: float) -> Calibrated:
    """Gaussian noise for an (ε, δ)-private release with this L2 sensitivity: the analytic calibration."""
    room = gaussian_room(epsilon, delta, dim)
    return Calibrated(gaussian_of(l2, dim, shift_for(room.epsilon, delta)), room.delta_numeric)


def joint(l2: float, dim: int, budget: Budget) -> tuple[Calibrated, Event]:
    """The law for numbers released together, and its event: Gaussian noise where δ allows it; beyond the ε it is
    calibrated for, pure noise as soon as that is smaller."""
    without = pure(l2, dim, budget.epsilon)
    if budget.delta >= SMALLEST_DELTA:
        law = gaussian(l2, dim, budget.epsilon, budget.delta)
        if budget.epsilon <= LARGEST_EPSILON or law.noise.rms < without.noise.rms:
            return law, gaussian_release(budget.epsilon, budget.delta, dim)
    return without, pure_release(budget.epsilon, without.delta_numeric)


def gaussian_of(l2: float, dim: int, mu: float) -> Noise:
    """Gaussian noise that makes a release with this L2 sensitivity μ-GDP, the grid included."""
    mu = of_use(mu)
    step = _step(l2 / mu, FINE_BITS)
    return drawable(Noise(Law.GAUSSIAN, up((l2 + step * math.sqrt(dim)) / mu, FORMULA), step, dim))


def spherical_tilt(rate: float, dim: int) -> Noise:
    """Noise ∝ exp(−rate·‖b‖) that is not added to a rounded value."""
    scale = up(1.0, FORMULA) / rate
    law = Law.LAPLACE if dim == 1 else Law.SPHERICAL
    return drawable(Noise(law, scale, _step(scale, TILT_BITS), dim))


def gaussian_tilt(sigma: float, dim: int) -> Noise:
    """Gaussian noise that is not added to a rounded value."""
    scale = up(sigma, FORMULA)
    return drawable(Noise(Law.GAUSSIAN, scale, _step(scale, TILT_BITS), dim))


def drawable(noise: Noise) -> Noise:
    """The noise, if every sampler of its law can draw it: whoever asks for next to no ε is told when it is planned,
    before the debit.  All noise that is planned comes through here, so what is in a plan can be drawn."""
    if not noise.scale / noise.step <= MOST_STEPS[noise.law]:
        raise _too_small()
    return noise


def _step(scale: float, bits: int) -> float:
    """Of the grid for noise of about this scale."""
    if not scale <= LARGEST_NOISE:
        raise _too_small()
    return Grid.for_scale(scale, bits).step


def _too_small() -> MechanismRefused:
    return MechanismRefused("epsilon: too small for noise on a grid, raise it")


def clamped(values: npt.NDArray[np.float64], most: float) -> npt.NDArray[np.float64]:
    """The vector, or each row of a matrix, shortened to this length."""
    norms = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.where(norms <= most, values, values * (most / np.maximum(norms, most)))


def draw(noise: Noise, bits: Bits) -> npt.NDArray[np.int64]:
    """One vector of the law, in whole grid steps."""
    in_steps = noise.scale / noise.step
    match noise.law:
        case Law.GAUSSIAN:
            return _gaussian_steps(in_steps, noise.dim, bits)
        case Law.SPHERICAL:
            return spherical_lattice(1 / in_steps, noise.dim, bits)
        case Law.LAPLACE:
            return discrete_laplace(math.ceil(in_steps), noise.dim, bits)
    raise MechanismRefused(f"law={noise.law.value}: has no sampler here")


def _gaussian_steps(sigma: float, dim: int, bits: Bits) -> npt.NDArray[np.int64]:
    """Rounded, on grids that are fine but not too fine for it; else, and by OpenDP, discrete, which takes several times
    as long.  The rounded law is what the discrete one's slack is measured against, so the plan covers both
    (docs/proofs/noise.md, section 6)."""
    if 1 <= sigma < LARGEST_SCALE and not isinstance(bits, OpenDPBits):
        return rounded_gaussian(sigma, dim, bits)
    return discrete_gaussian(sigma, dim, bits)
