"""What noise on our grids leaves of a budget for the theorem that it is calibrated by.

The laws drawn differ from those of the theorems by a slack (slack.py).  Its ε is taken out of the budget before
calibrating, its tail is added to δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from equipoise._checks import shown
from equipoise.errors import MechanismRefused
from equipoise.theory.accounting.calibrate import gaussian_shift
from equipoise.theory.accounting.slack import (
    LARGEST_DIM,
    Slack,
    chi_square_spread,
    delta_numeric,
    gaussian_on_grid,
    spherical_on_grid,
    spherical_tilt_on_grid,
)
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.rounding import WELL_CLEAR, down, up

MOST_NUMERIC = 2.0**-41
"""No single law adds more than this to δ."""

LARGEST_EPSILON = 24.0
"""Arithmetic costs δ about e^ε times a tiny tail.  Beyond this ε, laws with a tail are calibrated as if for this one,
which is more noise than asked for; Laplace noise has none and follows any ε."""

TILT_TAIL = 2.0**-100
"""Bound on the chance that a tilt is longer than `longest`, at least a hundredfold."""


@dataclass(frozen=True, slots=True)
class Room:
    """The ε that is left for the theorem, what the grid took of it, and what arithmetic adds to δ."""

    epsilon: float
    epsilon_numeric: float
    delta_numeric: float


def within_reach(epsilon: float) -> float:
    """ε, or the largest for which the laws with a tail are calibrated."""
    return min(epsilon, LARGEST_EPSILON)


def spherical_room(epsilon: float, dim: int) -> Room | None:
    """Of spherical noise in several dimensions; None where its arithmetic would cost too much."""
    if dim > LARGEST_DIM:
        return None
    slack = spherical_on_grid(dim)
    numeric = delta_numeric(epsilon, slack)
    return None if numeric > MOST_NUMERIC else Room(_left_after(epsilon, slack), slack.epsilon, numeric)


def tilt_room(epsilon: float, delta: float, dim: int) -> Room:
    """Of a tilt whose draws are shortened to `longest`: spherical for δ = 0, else Gaussian."""
    epsilon = within_reach(epsilon)
    slack = spherical_tilt_on_grid(dim) if delta == 0 else gaussian_on_grid(dim)
    shortened = Slack(slack.epsilon, slack.tail + TILT_TAIL)
    return Room(_left_after(epsilon, slack), slack.epsilon, delta_numeric(epsilon, shortened, delta))


def gaussian_room(epsilon: float, delta: float, dim: int, times: int = 1) -> Room:
    """Of Gaussian noise on `dim` numbers, so many times within one (ε, δ)."""
    epsilon, slack = within_reach(epsilon), gaussian_on_grid(dim)
    left, numeric = _left_after(epsilon, slack, times), delta_numeric(epsilon, slack, delta)
    return Room(left, times * slack.epsilon, times * numeric)


def gaussian_rate(epsilon: float, delta: float, dim: int) -> float:
    """The μ that one release of `dim` numbers may have within (ε, δ), the grid's slack set aside."""
    return shift_for(gaussian_room(epsilon, delta, dim).epsilon, delta)


@lru_cache(maxsize=256)
def shift_for(epsilon: float, delta: float) -> float:
    """The largest μ whose Gaussian release is (ε, δ)-private."""
    return gaussian_shift(Budget(epsilon, delta))


def longest(noise: Noise) -> float:
    """A length that a tilt of this law exceeds with probability below 2⁻¹⁰⁰ (docs/proofs/objective_perturbation.md).

    Sub-gamma tails at e⁻⁷⁵: of χ² with dim degrees for Gaussian noise, else of a Gamma variable of that shape.
    """
    if noise.law is Law.GAUSSIAN:
        units = math.sqrt(noise.dim + chi_square_spread(noise.dim))
    else:
        units = noise.dim + math.sqrt(150 * noise.dim) + 75
    return up(units * noise.scale + noise.step * math.sqrt(noise.dim), WELL_CLEAR)


def _left_after(epsilon: float, slack: Slack, times: int = 1) -> float:
    """ε less the slack of this many draws, rounded down."""
    left = down(epsilon - times * slack.epsilon)
    if left <= epsilon / 2:
        raise MechanismRefused(f"epsilon={shown(epsilon)}: too small for noise on a grid, raise it")
    return left
