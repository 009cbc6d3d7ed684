"""Bounded range: exponential mechanisms, whose log-ratio of output laws varies within an interval of length η.

Such a pair is dominated by the two-point pair with losses t and t − η, for some t in [0, η]; the worst t has a closed
form for one draw and for every Rényi order.  Proofs: docs/proofs/accounting.md.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from equipoise._checks import not_negative, positive, shown, whole
from equipoise.errors import InvalidInput
from equipoise.theory.rounding import LONG_SUM, ONE_STEP, up

Array = npt.NDArray[np.float64]

_CELLS = 2000  # cells into which the unknown t is cut; costs about one part in fifty of δ
_LARGEST = 5_000  # draws whose outcomes are enumerated


def range_to_rho(eta: float) -> float:
    """η-bounded range is η²/8-zCDP, rounded up."""
    return up(eta * eta / 8, ONE_STEP)


def range_curve(eta: float, orders_less_one: Array) -> Array:
    """Largest Rényi divergence of an η-bounded-range pair at each order 1 + `orders_less_one`, rounded up.

    With s = α − 1: (s·ln s − α·ln α + α·ln(1 − e^{−αη}) − s·ln(1 − e^{−sη}) − ln(1 − e^{−η}) + sη)/s.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is no bound, and η is one at every order
        return np.fmin(np.fmin(_exact_curve(eta, orders_less_one), range_to_rho(eta) * (1 + orders_less_one)), eta)


def _exact_curve(eta: float, orders_less_one: Array) -> Array:
    """Terms cancel near order 1 and for small η, where the line of its ρ is less."""
    if eta < 1e-150:
        return np.full_like(orders_less_one, math.inf)
    step, order = orders_less_one, 1 + orders_less_one
    parts = np.array(
        [
            step * np.log(step),
            -order * np.log1p(step),
            order * _log_gap(order * eta),
            -step * _log_gap(step * eta),
            np.broadcast_to(-_log_gap(np.array(eta)), step.shape),
            step * eta,
        ]
    )
    exact: Array = (np.sum(parts, axis=0) + 4 * ONE_STEP * (order + np.sum(np.abs(parts), axis=0))) / step
    return exact


def delta_bounded_range(eta: float, epsilon: float) -> float:
    """Exact δ at ε of one η-bounded-range release, rounded up: (1 − e^{(ε−η)/2})²/(1 − e^{−η})."""
    eta, epsilon = not_negative(eta=eta), not_negative(epsilon=epsilon)
    if epsilon >= eta:
        return 0.0
    # the difference may have lost digits: one rounding of η moves it by as much
    gap = -math.expm1((epsilon - eta) / 2 - ONE_STEP * (eta + epsilon))
    return min(1.0, gap * gap / -math.expm1(-eta) * (1 + 10 * ONE_STEP))


def delta_bounded_range_iid(eta: float, count: int, epsilon: float) -> float:
    """δ at ε of `count` independent draws from *one* η-bounded-range pair, rounded up.

    Not for releases that may differ or depend on each other: `total_delta` composes those.
    """
    eta, count, epsilon = positive(eta=eta), whole(count=count), not_negative(epsilon=epsilon)
    if count > _LARGEST:
        raise InvalidInput(
            f"count={shown(count)}: at most {_LARGEST} draws are enumerated, use total_delta beyond that"
        )
    if epsilon >= count * eta:
        return 0.0
    width = eta / _CELLS
    length = (eta + width) * (1 + 20 * ONE_STEP)  # covers the rounding of the cells' ends too
    low = np.arange(count + 1, dtype=np.float64)
    ways = gammaln(count + 1) - gammaln(low + 1) - gammaln(count - low + 1)
    ways += 4 * ONE_STEP * (2 + 3 * gammaln(count + 1))
    tops = width * np.arange(1, _CELLS + 1) * (1 + 4 * ONE_STEP)
    return min(1.0, max(_cell_delta(float(top), length, low, ways, epsilon) for top in tops))


def _cell_delta(top: float, length: float, low: Array, ways: Array, epsilon: float) -> float:
    """δ of draws with losses `top` and `top − length`, which dominates every pair of the cell below `top`.

    `low` counts the draws with the lower loss, `ways` is the logarithm of the number of orders, rounded up.
    """
    count = len(low) - 1
    excess = count * top - low * length - epsilon + 8 * ONE_STEP * (1 + epsilon + count * length)
    likely = int(np.count_nonzero(excess > 0))  # the loss falls in `low`, so these come first
    if not likely:
        return 0.0
    low, ways, excess = low[:likely], ways[:likely], excess[:likely]
    log_high = float(_log_gap(np.array(length - top)) - _log_gap(np.array(length)))  # Pr of the loss `top` under P
    log_low = float(top - length + _log_gap(np.array(top)) - _log_gap(np.array(length)))
    chance = (count - low) * log_high + low * log_low
    masses = np.exp(np.minimum(ways + chance + 8 * ONE_STEP * (1 + count * (1 + length) - chance), 0.0))
    return up(float(np.sum(masses * -np.expm1(-excess))), LONG_SUM)


def _log_gap(values: Array) -> Array:
    """log(1 − e^{−x}) for x > 0, with full relative accuracy at both ends."""
    with np.errstate(divide="ignore"):
        result: Array = np.where(values > 0.7, np.log1p(-np.exp(-values)), np.log(-np.expm1(-np.minimum(values, 0.7))))
    return result
