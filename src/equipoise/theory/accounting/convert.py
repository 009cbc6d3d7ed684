"""From one way of measuring privacy to another.  δ and ε are rounded up.  Proofs: docs/proofs/accounting.md."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

from equipoise._checks import fraction, not_negative, shown
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.bounded_range import delta_bounded_range, range_curve
from equipoise.theory.accounting.search import least_within
from equipoise.theory.guarantees import Approximate, BoundedRange, Concentrated, Gaussian, Measure, Pure, Renyi
from equipoise.theory.rounding import ONE_STEP, up

Array = npt.NDArray[np.float64]

TINY = sys.float_info.min  # a δ that underflows must not turn into "no risk at all"

ORDERS_LESS_ONE: Array = np.logspace(-4, 12, 4001)
"""α − 1 of the Rényi orders tried.  Every order gives a valid bound; a fixed grid keeps the best one monotone."""


def _logs_of(step: Array) -> tuple[Array, Array]:
    """step·log(1 + 1/step) and log(1 + step), which a conversion of moments takes off."""
    return step * np.log1p(1 / step), np.log1p(step)


_USUAL_LOGS = _logs_of(ORDERS_LESS_ONE)
"""Reckoned once: a search asks at the same orders again and again."""


def gaussian_curve(epsilons: Array, shift: float) -> Array:
    """δ of a Gaussian shift of `shift` > 0 standard deviations at each ε, which may be negative; rounded up."""
    if shift > 1e100:
        return np.ones_like(epsilons)
    ratio = np.clip(epsilons / shift, -1e100, 1e100)
    here, there = shift / 2 - ratio, -shift / 2 - ratio
    upper, lower = log_ndtr(here), epsilons + log_ndtr(there)
    reach = shift / 2 + np.abs(ratio)
    high = upper + _log_slack(here, reach)
    low = lower - _log_slack(there, reach) - ONE_STEP * np.abs(epsilons)
    curve: Array = np.exp(np.minimum(high, 0.0)) * -np.expm1(np.minimum(low - high, 0.0))
    return curve


def _log_slack(argument: Array, reach: Array) -> Array:
    """How far rounding can move log Φ(argument): the argument is off by `reach` roundings, log Φ steep on the left."""
    steepness = np.where(argument > 0, np.exp(-(np.clip(argument, 0.0, 40.0) ** 2) / 2), 1 + np.abs(argument))
    slack: Array = ONE_STEP * (2 + reach * steepness)
    return slack


def delta_gaussian(epsilon: float, shift: float) -> float:
    """Exact δ of N(0, 1) against N(shift, 1), rounded up (Balle & Wang 2018, theorem 8)."""
    epsilon, shift = not_negative(epsilon=epsilon), not_negative(shift=shift)
    if shift == 0:
        return 0.0
    return max(TINY, _gaussian_point(epsilon, shift))


def _gaussian_point(epsilon: float, shift: float) -> float:
    """`gaussian_curve` at one ε, to the last bit: calibrations ask thousands of times, and an array of one is slow."""
    if shift > 1e100:
        return 1.0
    ratio = min(max(epsilon / shift, -1e100), 1e100)
    here, there = shift / 2 - ratio, -shift / 2 - ratio
    reach = shift / 2 + abs(ratio)
    high = float(log_ndtr(here)) + _point_slack(here, reach)
    low = epsilon + float(log_ndtr(there)) - _point_slack(there, reach) - ONE_STEP * abs(epsilon)
    return float(np.exp(min(high, 0.0))) * -float(np.expm1(min(low - high, 0.0)))


def _point_slack(argument: float, reach: float) -> float:
    """`_log_slack` of one argument."""
    right = min(argument, 40.0)
    steepness = float(np.exp(-(right * right) / 2)) if argument > 0 else 1 + abs(argument)
    return ONE_STEP * (2 + reach * steepness)


def delta_pure(epsilon_pure: float, epsilon: float) -> float:
    """Tight δ of an ε₀-DP mechanism at a smaller ε: that of randomised response."""
    epsilon_pure, epsilon = not_negative(epsilon_pure=epsilon_pure), not_negative(epsilon=epsilon)
    if epsilon >= epsilon_pure:
        return 0.0
    return min(1.0, up(-math.expm1(epsilon - epsilon_pure) / (1 + math.exp(-epsilon_pure)), ONE_STEP))


def delta_moments(orders_less_one: Array, divergences: Array, epsilon: float) -> float:
    """δ at ε from Rényi divergences at several orders: the best order counts (Canonne, Kamath & Steinke 2020)."""
    step = orders_less_one
    lessened, growth = _USUAL_LOGS if step is ORDERS_LESS_ONE else _logs_of(step)
    with np.errstate(over="ignore", invalid="ignore"):
        exponent = step * (divergences - epsilon)
        slack = ONE_STEP * (2 + step * (divergences + epsilon) + growth)
        logs = exponent - lessened - growth + slack
    best = float(np.fmin.reduce(logs, initial=math.inf))  # an order at which doubles overflow says nothing
    return max(TINY, math.exp(min(0.0, best)))


def delta_concentrated(rho: float, epsilon: float) -> float:
    """δ at ε of a ρ-zCDP mechanism."""
    rho, epsilon = not_negative(rho=rho), not_negative(epsilon=epsilon)
    if rho == 0:
        return 0.0
    return delta_moments(ORDERS_LESS_ONE, renyi_curve(Concentrated(rho), ORDERS_LESS_ONE), epsilon)


def delta_renyi(orders: Sequence[float], epsilons: Sequence[float], epsilon: float) -> float:
    """δ at ε of a mechanism with Rényi divergence `epsilons[i]` at order `orders[i]`."""
    known = Renyi(tuple(orders), tuple(epsilons))
    if 0.0 in known.epsilons:  # no divergence at one order: the two laws are equal
        return 0.0
    return delta_moments(np.array(known.orders) - 1, np.array(known.epsilons), not_negative(epsilon=epsilon))


def delta_of(measure: Measure, epsilon: float) -> float:
    """The smallest δ we can prove for `measure` at `epsilon`."""
    match measure:
        case Pure(epsilon_pure):
            return delta_pure(epsilon_pure, epsilon)
        case Approximate(epsilon_pure, delta):
            return with_leak(delta, delta_pure(epsilon_pure, epsilon))
        case Concentrated(rho):
            return delta_concentrated(rho, epsilon)
        case Gaussian(mu):
            return delta_gaussian(epsilon, mu)
        case BoundedRange(eta):
            return delta_bounded_range(eta, epsilon)
        case Renyi(orders, epsilons):
            return delta_renyi(orders, epsilons, epsilon)
    raise unknown(measure)


def epsilon_of(measure: Measure, delta: float) -> float:
    """The smallest ε we can prove for `measure` at `delta`, checked; inf when no ε will do."""
    delta = fraction(delta=delta)
    ceiling = _ceiling(measure)
    if delta_of(measure, 0.0) <= delta:
        return 0.0
    if math.isfinite(ceiling) and delta_of(measure, ceiling) > delta:
        return math.inf
    if delta == 0:
        return ceiling
    return min(ceiling, least_within(lambda epsilon: delta_of(measure, epsilon), delta))


def _ceiling(measure: Measure) -> float:
    """An ε beyond which δ does not fall any more, if there is one."""
    match measure:
        case Pure(epsilon) | Approximate(epsilon, _) | BoundedRange(epsilon):
            return epsilon
    return math.inf


def with_leak(leak: float, delta: float) -> float:
    """δ when everything leaks with probability `leak` and otherwise `delta` holds."""
    return min(1.0, leak + up((1 - leak) * delta, ONE_STEP))


def pure_to_concentrated(measure: Pure) -> Concentrated:
    """ε-DP is ε·tanh(ε/2)-zCDP: attained by randomised response, at most ε²/2."""
    return Concentrated(_rho_of_pure(measure.epsilon))


def _rho_of_pure(epsilon: float) -> float:
    """Infinite where doubles overflow."""
    return up(epsilon * math.tanh(epsilon / 2), ONE_STEP)


def gaussian_to_concentrated(measure: Gaussian) -> Concentrated:
    """μ-GDP is μ²/2-zCDP."""
    return Concentrated(up(measure.mu * measure.mu / 2, ONE_STEP))


def to_renyi(measure: Measure, orders: Sequence[float]) -> Renyi:
    """The Rényi divergences of `measure` at the given orders."""
    if not orders or not all(math.isfinite(order) and order > 1 for order in orders):
        raise InvalidInput("orders: give at least one, each finite and > 1")
    curve = renyi_curve(measure, np.array(orders, dtype=float) - 1)
    if not np.all(np.isfinite(curve)):
        raise InvalidInput("orders: one is above every order this measure knows, ask for smaller ones")
    return Renyi(tuple(orders), tuple(float(value) for value in curve))


def renyi_curve(measure: Measure, orders_less_one: Array) -> Array:
    """Rényi divergence at each order 1 + `orders_less_one`, rounded up; inf where nothing is known."""
    match measure:
        case Pure(epsilon):
            return _response_curve(epsilon, orders_less_one)
        case Gaussian():
            return renyi_curve(gaussian_to_concentrated(measure), orders_less_one)
        case Concentrated(rho):
            with np.errstate(over="ignore"):
                line: Array = up(rho * (1 + orders_less_one), ONE_STEP)
            return line
        case BoundedRange(eta):
            return range_curve(eta, orders_less_one)
        case Renyi():
            return _known_curve(measure, orders_less_one)
    raise unknown(measure)


def _response_curve(epsilon: float, step: Array) -> Array:
    """Randomised response, which every ε-DP mechanism is a processing of: log(cosh((2α−1)ε/2)/cosh(ε/2))/(α−1)."""
    half = epsilon / 2
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is no bound, and ε is one at every order
        rise = _log_cosh((1 + 2 * step) * half) - _log_cosh(np.array(half))
        exact = (rise + ONE_STEP * (2 + 2 * (1 + step) * epsilon)) / step
        line = _rho_of_pure(epsilon) * (1 + step)  # safe near order 1, where `rise` cancels
    curve: Array = np.fmin(np.fmin(exact, line), epsilon)
    return curve


def _log_cosh(values: Array) -> Array:
    result: Array = values + np.log1p(np.exp(-2 * values)) - math.log(2)
    return result


def _known_curve(measure: Renyi, step: Array) -> Array:
    """A divergence bounds those of all smaller orders: take the best known at this order or above."""
    curve = np.full_like(step, math.inf)
    for order, epsilon in zip(measure.orders, measure.epsilons, strict=True):
        curve = np.where(step <= order - 1, np.minimum(curve, epsilon), curve)
    return curve


def advantage(epsilon: float, delta: float) -> float:
    """Most by which any attack's true positive rate exceeds its false positive rate: (e^ε − 1 + 2δ)/(e^ε + 1)."""
    epsilon, delta = not_negative(epsilon=epsilon), fraction(delta=delta)
    rare = math.exp(-epsilon)
    return min(1.0, up(math.tanh(epsilon / 2) + 2 * delta * rare / (1 + rare), ONE_STEP))


def tpr_at_fpr(epsilon: float, delta: float, fpr: float) -> float:
    """Highest true positive rate of any attack whose false positive rate is `fpr`."""
    epsilon, delta, fpr = not_negative(epsilon=epsilon), fraction(delta=delta), not_negative(fpr=fpr)
    if fpr > 1:
        raise InvalidInput(f"fpr={shown(fpr)}: must be in [0, 1]")
    steep = delta + (math.exp(min(0.0, epsilon + math.log(fpr))) if fpr > 0 else 0.0)
    flat = 1 - math.exp(-epsilon) * (1 - delta - fpr)
    return min(1.0, steep * (1 + ONE_STEP * (2 + epsilon)), flat + ONE_STEP)


def unknown(measure: object) -> InvalidInput:
    """The refusal of anything we have no theorem for."""
    return InvalidInput(f"measure of type {type(measure).__name__}: not known to this version, update equipoise")
