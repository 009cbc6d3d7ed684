"""Exact audits: how much two neighbouring data sets can be told apart, from laws that are computed and not sampled.

A lower bound from samples leaves room; here there is none.  For the neighbours given, the answer is exact up to
quadrature, whose error is checked: both laws must come out with mass one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import fraction, not_negative
from equipoise._docs import documented
from equipoise.audit.exact.densities import Density, Table, as_seen, claimed_by, density_of
from equipoise.audit.exact.quadrature import weighed
from equipoise.errors import InvalidInput
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]
Records = Table | tuple[npt.ArrayLike, npt.ArrayLike]

MASS = 1e-4
"""How far from one the mass of a computed law may be."""

FINER = 1, 4
"""How many times the usual cells are taken, where fewer miss the mass: between rays nothing is cut up."""

QUADRATURE = 1e-3
"""How far, as a part of itself, a δ may come out too large: straight lines lie above the corner of the integrand."""


class TooFarApart(InvalidInput):
    """A pair of laws that the quadrature does not resolve."""


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Exact:
    """What one pair of neighbours shows, beside what the plan claims for this law."""

    epsilon: float
    """The least ε that holds for this pair at the claimed δ."""
    delta: float
    """The least δ that holds for it at the claimed ε."""
    claim: Budget

    @property
    def ratio(self) -> float:
        """Of the claim: of its δ where there is one, otherwise of its ε."""
        return self.delta / self.claim.delta if self.claim.delta > 0 else self.epsilon / self.claim.epsilon

    @property
    def holds(self) -> bool:
        """Whether the claim stands for this pair, the error of the quadrature allowed for."""
        return self.ratio <= 1 + (QUADRATURE if self.claim.delta > 0 else MASS)


@documented(returns="Exact: What the pair shows, beside the claim.")
def exact_audit(plan: Plan, left: Records, right: Records, points: npt.ArrayLike | None = None) -> Exact:
    """Both figures for one pair of neighbours.  `points` are looked at besides those of the quadrature."""
    claim = claimed_by(plan)
    losses = _losses(plan, left, right, points)
    return Exact(losses.epsilon(claim.delta), losses.delta(claim.epsilon), claim)


@documented(returns="float: ε.")
def exact_epsilon(
    plan: Plan, left: Records, right: Records, delta: float = 0.0, points: npt.ArrayLike | None = None
) -> float:
    """The least ε that holds for this pair at δ; at δ = 0 the largest log-ratio of the densities, either way."""
    return _losses(plan, left, right, points).epsilon(fraction(delta=delta))


@documented(returns="float: δ.")
def exact_delta(plan: Plan, left: Records, right: Records, epsilon: float) -> float:
    """The least δ that holds for this pair at ε: the hockey-stick divergence in the worse direction."""
    return _losses(plan, left, right, None).delta(not_negative(epsilon=epsilon))


@dataclass(frozen=True, slots=True)
class Losses:
    """Log-ratios of two laws, own over other, with their weights: once under each law, left first."""

    sides: tuple[tuple[Array, Array], tuple[Array, Array]]
    unbounded: bool
    extra: float = 0.0
    """The largest |log-ratio| at points given by the caller."""

    def delta(self, epsilon: float) -> float:
        return max(_hockey_stick(weights, losses, epsilon) for weights, losses in self.sides)

    def epsilon(self, delta: float) -> float:
        """By bisection: δ falls as ε grows."""
        if delta == 0:
            seen = max(float(np.abs(losses).max()) for _, losses in self.sides)
            return math.inf if self.unbounded and seen > 0 else max(seen, self.extra)
        low, high = 0.0, max(float(losses.max()) for _, losses in self.sides)
        if self.delta(0.0) <= delta:
            return 0.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return high


def _hockey_stick(weights: Array, losses: Array, epsilon: float) -> float:
    """E[(1 − e^(ε − loss))₊]: what one law has above e^ε times the other."""
    above = losses > epsilon
    return float(np.sum(weights[above] * -np.expm1(epsilon - losses[above])))


def _losses(plan: Plan, left: Records, right: Records, points: npt.ArrayLike | None) -> Losses:
    here, there = (density_of(plan, _table(side, plan)) for side in (left, right))
    first, second = _under(here, there), _under(there, here)
    extra = 0.0
    if points is not None:
        given = np.asarray(points, dtype=np.float64).reshape(-1, plan.facts.dim)
        extra = float(np.abs(here.log(given) - there.log(given)).max())
    return Losses((first, second), here.noise.law is Law.GAUSSIAN, extra)


def _table(records: Records, plan: Plan) -> Table:
    return records if isinstance(records, Table) else as_seen(*records, plan.facts.bounds)


def _under(own: Density, other: Density) -> tuple[Array, Array]:
    """The log-ratio where each value of the noise leads; the other law's mass must be one, seen from here."""

    def losses(values: Array) -> Array:
        points = own.released(values)
        return own.log(points) - other.log(points)

    mass = math.nan
    for times in FINER:
        weights, found = weighed(own.noise, losses, times)
        mass = float(np.sum(weights * np.exp(-found)))
        if abs(mass - 1) <= MASS:
            return weights, found
    raise TooFarApart(f"plan: the computed law has mass {mass:.6f}, the neighbours are too far apart to integrate")


@documented(returns="float: ε.")
def exact_discrete(left_probabilities: npt.ArrayLike, right_probabilities: npt.ArrayLike, delta: float = 0.0) -> float:
    """The least ε with which two discrete laws are (ε, δ)-close both ways; infinite if none is."""
    here, there = _probabilities(left_probabilities), _probabilities(right_probabilities)
    if here.shape != there.shape:
        raise InvalidInput("left_probabilities, right_probabilities: must list the same outcomes")
    return max(_one_way(here, there, fraction(delta=delta)), _one_way(there, here, delta))


def _one_way(here: Array, there: Array, delta: float) -> float:
    """Outcomes by falling ratio: the set of the first k shows log((P − δ)/Q), and one of these sets is the worst."""
    with np.errstate(divide="ignore"):
        order = np.argsort(-np.where(here > 0, here / there, 0.0), kind="stable")
    top, bottom = np.cumsum(here[order]) - delta, np.cumsum(there[order])
    shown = top > 1e-15 * (delta > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(shown, np.log(np.where(shown, top, 1.0)) - np.log(bottom), -math.inf)
    if delta == 0:  # each outcome by itself, without the rounding of sums
        with np.errstate(divide="ignore"):
            kept = here > 0
            ratios = np.log(here[kept]) - np.log(there[kept])
    return max(0.0, float(ratios.max()))


def _probabilities(numbers: npt.ArrayLike) -> Array:
    array = np.asarray(numbers, dtype=np.float64)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (array < 0).any():
        raise InvalidInput("probabilities: must be one flat list of numbers, none below 0")
    if abs(math.fsum(array.tolist()) - 1) > 1e-9:
        raise InvalidInput("probabilities: must add up to 1")
    return array
