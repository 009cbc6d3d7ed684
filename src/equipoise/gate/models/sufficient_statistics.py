"""Sufficient statistics: release Σxxᵀ, Σxy and Σy² once, together, and solve least squares with the noise in mind.

Guarantee.  ε-DP with spherical noise (δ = 0), (ε, δ)-DP with Gaussian noise.
Assumes.    The squared loss; rows within B, labels within Y.  No ball, no ridge and no solver enter the guarantee.
Adjacency.  Replace-one, or add-remove with a public nominal size.
Numerics.   Grid of 2⁻²⁴ noise scales; the rounding of the sums is part of the sensitivity.
Reference.  docs/proofs/sufficient_statistics.md; Wang 2018 (AdaSSP, here with one joint release and another ridge).

Everything after the door is post-processing: clipping eigenvalues, the ridge of each direction, standard errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import MechanismRefused
from equipoise.gate import laws
from equipoise.gate.door import add_noise
from equipoise.gate.models.mechanism import Mechanism, Needs
from equipoise.gate.noise import Bits
from equipoise.inside import Private, Records, weighed
from equipoise.inside.tables.moments import second_moments
from equipoise.ledger import Entry
from equipoise.outside.released import Released
from equipoise.theory import family, sensitivity, triangles
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.guarantees import Budget
from equipoise.theory.mechanisms import SUFFICIENT_STATISTICS
from equipoise.theory.plan import Facts, Sensitivity, StatisticsPlan
from equipoise.theory.projection import project
from equipoise.theory.rounding import down

Array = npt.NDArray[np.float64]

NAME = SUFFICIENT_STATISTICS.name

MOST_FEATURES = 1446
"""Half the square of this many numbers is released: the most that fit the 2²⁰ dimensions of spherical noise."""

LABEL_SHARE = 0.8
"""Weight q of the labels beside rows of norm one.  The noise of Σxy is ∝ (1 + q²)/q, least at q = 1; that of Σxxᵀ
asks for a smaller q."""

USUAL_SLOPE = 0.4
"""Size of a coefficient, times the row norm, for which the ridge of each direction is set; any choice is private."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the statistics of rows of norm one and labels within one are multiplied by before noise is added."""

    product: float
    label_square: float


@dataclass(frozen=True, slots=True)
class Moments:
    """Released: Σxxᵀ, Σxy, Σy², and the root mean square error of a diagonal entry, of Σxy and of Σy²."""

    square: Array
    product: Array
    label_square: float
    square_noise: float
    product_noise: float
    label_square_noise: float
    known_corner: bool


def weights(facts: Facts) -> Weights:
    """Σy² comes as exactly as it can without raising the sensitivity (replace-one), or in the shape of a square."""
    q2 = LABEL_SHARE**2
    last = q2 if facts.adjacency is Adjacency.ADD_REMOVE else down(math.sqrt(2 * q2 * (1 + q2)))
    return Weights(LABEL_SHARE, last)


def of_moments(facts: Facts) -> Sensitivity:
    """Δ₂ of the weighted vector."""
    return sensitivity.of_moments(facts, LABEL_SHARE)


def plan(facts: Facts, budget: Budget) -> StatisticsPlan:
    """Settle weights and noise from public facts."""
    if not facts.loss.traits.quadratic:
        raise MechanismRefused(f'mechanism="{NAME}": serves the squared loss only, use "output" or "objective"')
    if facts.features > MOST_FEATURES:
        raise MechanismRefused(f'mechanism="{NAME}": {facts.features} features, at most {MOST_FEATURES}, use "output"')
    moved, numbers = of_moments(facts), triangles.numbers(facts.dim + 1)
    law, event = laws.joint(laws.spanning(moved.l2, budget.epsilon, _largest(facts)), numbers, budget)
    theorem = f"sufficient statistics, {law.noise.law.value.replace('gauss', 'Gauss')} noise"
    notes = (f"{numbers} moments are released and the coefficients computed from them",)
    return StatisticsPlan(
        mechanism=NAME,
        theorem=theorem,
        facts=facts,
        budget=budget,
        event=event,
        sensitivity=moved,
        noise=law.noise,
        norm=facts.ball,
        notes=notes,
    )


def _largest(facts: Facts) -> float:
    """No weighted moment is larger, so that none is clamped on the grid however large ε is."""
    return 2 * facts.total * facts.n


def predict_risk(plan: StatisticsPlan) -> float:
    """Excess risk over the family of problems: each direction is shrunk as `release` would shrink it."""
    facts, usual = plan.facts, _usual_slope(plan.facts)
    floor = float(_tilt(plan, np.array(usual**2 * facts.dim))) / usual
    return family.of_moments(facts, lambda height: _gain(height, floor), lambda squares: _tilt(plan, squares))


def _tilt(plan: StatisticsPlan, squared_norm: Array) -> Array:
    """Noise of each entry of the mean objective's gradient at coefficients of this squared norm."""
    size = plan.facts.bounds.norm
    within = np.minimum(squared_norm, plan.facts.ball**2)
    return np.asarray(plan.noise.rms * size * np.sqrt(2 * (within * size**2 + 1 / LABEL_SHARE**2)) / plan.facts.n)


def release(records: Private[Records], plan: StatisticsPlan, entry: Entry, bits: Bits) -> Released:
    """One trip through the door; the rest is arithmetic on released numbers."""
    facts, by = plan.facts, weights(plan.facts)
    size = facts.bounds.norm
    square, product = triangles.stretch(facts.dim) / size**2, math.sqrt(2) * by.product / size
    statistics = second_moments(weighed(records, facts), square, product, by.label_square)
    moments = _read(add_noise(statistics, plan.noise, plan.event, entry, bits), plan)
    value, covariance = solve(moments, facts)
    return Released(project(value, facts.ball), plan.event, plan.guarantee(bits.seeded), covariance)


def _read(numbers: Array, plan: StatisticsPlan) -> Moments:
    """The released vector in the units of the records."""
    facts, by, rms = plan.facts, weights(plan.facts), plan.noise.rms
    size, cut = facts.bounds.norm, triangles.numbers(facts.dim)
    square = triangles.matrix(numbers[:cut], facts.dim) * size**2
    known = facts.bounds.intercept > 0 and facts.adjacency is Adjacency.REPLACE_ONE
    if known:  # the constant column's square is the same for every table of n rows
        square[-1, -1] = facts.n * facts.bounds.intercept**2
    to_product = size / (math.sqrt(2) * by.product)
    return Moments(
        square,
        numbers[cut:-1] * to_product,
        float(numbers[-1]) / by.label_square,
        rms * size**2,
        rms * to_product,
        rms / by.label_square,
        known,
    )


def solve(moments: Moments, facts: Facts) -> tuple[Array, Array]:
    """Coefficients, and the covariance of their error: sampling, privacy noise and what the ridge holds back."""
    centre = np.zeros(facts.dim) if facts.penalty.centre is None else np.asarray(facts.penalty.centre)
    height, axes = np.linalg.eigh(moments.square)
    height = np.maximum(height, 0.0)
    ridge, usual = facts.penalty.strong_convexity * facts.n / 2, _usual_slope(facts)
    noise = math.sqrt(moments.square_noise**2 * usual**2 * facts.dim / 2 + moments.product_noise**2)
    gain = (axes * _gain(height + ridge, noise / usual)) @ axes.T
    square = (axes * height) @ axes.T
    offset = gain @ (moments.product - square @ centre)
    held = (np.eye(facts.dim) - gain @ (square + ridge * np.eye(facts.dim))) @ offset
    privacy = _privacy_noise(moments, centre + offset)
    spread = _residual_variance(moments, centre + offset, facts, float(np.sum(gain * privacy))) * square + privacy
    return centre + offset, gain @ spread @ gain + np.outer(held, held)


def _gain(height: Array, floor: float) -> Array:
    """h/(h² + f²): one over h where a direction stands above the noise, towards nothing where it drowns in it.

    It is the ridge f²/h, direction by direction: the least mean squared error when the right-hand side has noise f
    times the usual coefficient."""
    return height / (height**2 + floor**2)


def _usual_slope(facts: Facts) -> float:
    return USUAL_SLOPE / facts.bounds.norm


def _privacy_noise(moments: Moments, w: Array) -> Array:
    """Covariance of (noise in Σxy) − (noise in Σxxᵀ)·w."""
    half = moments.square_noise**2 / 2
    total = half * (float(w @ w) * np.eye(len(w)) + np.outer(w, w)) + moments.product_noise**2 * np.eye(len(w))
    if moments.known_corner:
        total[-1, -1] -= 2 * half * w[-1] ** 2
    return total


def _residual_variance(moments: Moments, w: Array, facts: Facts, fitted_noise: float) -> float:
    """From the noisy moments; never below their own noise.  Fitting to noise makes residuals look smaller than they
    are, by `fitted_noise` on average."""
    cross = moments.square @ w
    squares = moments.label_square - 2 * float(w @ moments.product) + float(w @ cross) + fitted_noise
    size = float(w @ w)
    floor = moments.label_square_noise**2 + 4 * size * moments.product_noise**2 + (size * moments.square_noise) ** 2
    return max(squares, math.sqrt(floor)) / max(1, facts.n - facts.dim)


MECHANISM = Mechanism(
    about=SUFFICIENT_STATISTICS,
    needs=Needs(ball=False, quadratic=True, most_features=MOST_FEATURES, least_delta=0.0),
    plan=plan,
    release=release,
    predict_risk=predict_risk,
)
