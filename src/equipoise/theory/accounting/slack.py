"""What computer arithmetic costs: how far the laws drawn are from the laws the privacy theorems speak of.

Every bound is derived in docs/proofs/noise.md; the equation numbers below are those of that page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise._checks import fraction, not_negative, positive, shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.rounding import FORMULA, TAIL_BOUND, up

FINE_BITS = 24
FINE = 2.0**FINE_BITS
"""Steps, at least, to the scale of noise that is added to a value.  Finer grids have less slack, coarser ones a wider
range: a double holds 2⁵³ whole steps, so values up to 2²⁸ noise scales pass without being clamped."""

TILT_BITS = 30
TILT_FINE = 2.0**TILT_BITS
"""Steps to the scale of a tilt, which is added to nothing and whose rounding the second noise must cover."""

TAIL = 2.0**-100
"""Bound on each pair of chi-square tails, e^-75 a side, and on the failures of a 192-bit uniform."""

VARIANCE_ERROR = 2.0**-46
"""Relative error of the variance drawn for spherical noise, if log, log1p and sin err by at most 4 ulp."""

SMALLEST_EPSILON = 2.0**-40
"""No slack is stated smaller: subtracting it from an ε up to 2^12 must not be lost to rounding."""

SMALLEST_SIGMA = 4.0
LARGEST_RATE = 2.0**-16
SMALLEST_RATE = 2.0**-34
LARGEST_DIM = 2**20

_EXPONENT = 75.0
_SMALL_VARIANCE = 4.0


@dataclass(frozen=True, slots=True)
class Slack:
    """The drawn law Q and the ideal law P satisfy, for every set S and with η = epsilon / 2,

    Q(S) <= e^η P(S) + tail  and  P(S) <= e^η Q(S) + tail.

    So if adding noise from P is (ε, δ)-private, adding noise from Q is (ε + epsilon, δ + delta_numeric)-private,
    where delta_numeric is what the function of that name gives for ε + epsilon and δ.
    """

    epsilon: float
    tail: float


NO_SLACK = Slack(0.0, 0.0)
"""Of laws that are drawn exactly, whole-number Laplace noise among them, and where there is no noise at all."""


def spherical_on_grid(dim: int) -> Slack:
    """The slack of spherical noise at our resolution; nothing is lost in one dimension."""
    return spherical_slack(dim, 1 / FINE)


def spherical_tilt_on_grid(dim: int) -> Slack:
    """The same against the *continuous* spherical law rounded to the grid, which the tilt's theorem speaks of.

    Within a cell ‖x‖ varies by √dim/2 steps either way, so each cell's mass and the normaliser are both within a
    factor e^(±√dim/(2·TILT_FINE)) of the lattice's.
    """
    lattice = spherical_slack(dim, 1 / TILT_FINE)
    return Slack(lattice.epsilon + up(2 * math.sqrt(dim) / TILT_FINE, FORMULA), lattice.tail)


def gaussian_on_grid(dim: int) -> Slack:
    """The slack of Gaussian noise at our resolution."""
    return gaussian_slack(dim, FINE)


def gaussian_slack(dim: int, sigma: float) -> Slack:
    """Discrete Gaussian noise on Z^dim against continuous Gaussian noise rounded to whole numbers.

    For several releases, adaptive or not, count all their coordinates in `dim` and take the smallest sigma.
    """
    dim, sigma = whole(dim=dim), positive(sigma=sigma)
    if sigma < SMALLEST_SIGMA:
        raise InvalidInput(f"sigma={shown(sigma)}: must be at least 4 grid steps, use a finer grid")
    spread = chi_square_spread(dim)
    spread += math.sqrt(dim * (dim + spread)) / sigma + dim / (4 * sigma**2)
    return _slack(gaussian_log_ratio(dim, sigma, spread), TAIL)


def gaussian_log_ratio(dim: int, sigma: float, spread: float) -> float:
    """Equation (3): a bound on |log(rounded / discrete)| at every k with |‖k‖²/σ² - dim| <= spread."""
    downwards = (dim + spread) ** 2 / (960 * sigma**4)
    upwards = dim / (640 * sigma**4) + 3 * dim * math.exp(-2 * math.pi**2 * sigma**2)
    return spread / (24 * sigma**2) + max(downwards, upwards)


def spherical_slack(dim: int, rate: float) -> Slack:
    """The drawn vector against the lattice law P(k) ∝ exp(-rate · ‖k‖₂); nothing is lost in one dimension."""
    dim, rate = whole(dim=dim), positive(rate=rate)
    if dim == 1:
        return NO_SLACK
    check_lattice(rate, dim)
    spread = chi_square_spread(dim)
    spread += 2 * (dim + spread) * VARIANCE_ERROR
    eta = spread * VARIANCE_ERROR / 2 + (1.5 * dim + spread) * VARIANCE_ERROR**2 + 4 * dim * math.exp(-76.0)
    return _slack(eta, TAIL + 2 * math.exp(eta) * lattice_distance(dim, rate))


def lattice_distance(dim: int, rate: float) -> float:
    """Equation (5): total variation between the Gamma mixture of discrete Gaussians and the lattice law."""
    shape = (dim + 1) / 2
    small_variance = (
        shape * math.log(rate**2 / 2)
        - math.lgamma(shape)
        + dim * math.log(math.sqrt(_SMALL_VARIANCE) + 0.4)
        + math.log(2 * math.sqrt(_SMALL_VARIANCE))
    )
    far = math.expm1(3 * dim * math.exp(-2 * math.pi**2 * _SMALL_VARIANCE))
    return up(math.exp(small_variance) + far, TAIL_BOUND)


def chi_square_spread(dim: int) -> float:
    """A chi-square variable with `dim` degrees is further than this from `dim` with probability at most 2e^-75."""
    return 2 * math.sqrt(dim * _EXPONENT) + 2 * _EXPONENT


def check_lattice(rate: float, dim: int) -> None:
    """The range for which the spherical bounds are proved, in two dimensions and more."""
    if not SMALLEST_RATE <= rate <= LARGEST_RATE:
        raise InvalidInput(f"rate={shown(rate)}: must be from 2**-34 to 2**-16 for dim >= 2, choose another grid step")
    if dim > LARGEST_DIM:
        raise InvalidInput(f"dim={shown(dim)}: must be at most 2**20, use Gaussian noise")


def _slack(eta: float, tail: float) -> Slack:
    return Slack(max(up(2 * eta, TAIL_BOUND), SMALLEST_EPSILON), up(tail, TAIL_BOUND))


def delta_numeric(epsilon: float, slack: Slack, delta: float = 0.0) -> float:
    """What arithmetic adds to `delta` in a guarantee that claims `epsilon` in all, slack included."""
    epsilon, delta = not_negative(epsilon=epsilon), fraction(delta=delta)
    if epsilon > 700:
        return 1.0
    added = (1 + math.exp(epsilon)) * slack.tail + math.expm1(slack.epsilon / 2) * delta
    return min(1.0, max(TAIL, up(added, TAIL_BOUND)))
