"""What an event planned for some neighbours costs in an account about others; refused where no theorem is known.

Proofs: docs/proofs/accounting.md, section 6.
"""

from __future__ import annotations

import math

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.theory.accounting.convert import renyi_curve
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    ConcentratedRelease,
    Event,
    GaussianRelease,
    PureRelease,
    RenyiRelease,
)
from equipoise.theory.guarantees import Renyi
from equipoise.theory.rounding import ONE_STEP, up

_UP = up(1.0, ONE_STEP)


def as_charged(event: Event, planned: Neighbours, account: Neighbours) -> Event:
    """The event that an account about `account` must count for one that was planned for `planned`."""
    if not isinstance(planned, Neighbours):
        raise InvalidInput("neighbours: must be Neighbours, those that the event was planned for")
    if planned.unit is Unit.ROW and account.unit is Unit.PERSON:
        raise MechanismRefused(
            "unit: the account protects persons and this release single rows; give groups=, or use a row account"
        )
    if planned.adjacency is account.adjacency:
        return event
    if account.adjacency is Adjacency.ADD_REMOVE:
        raise MechanismRefused(
            'adjacency: a replace-one release says nothing about added rows; plan it with adjacency="add-remove",'
            " or use a replace-one account"
        )
    return replaced(event)


def replaced(event: Event) -> Event:
    """From one record added or removed to one replaced: two steps, one record out and one in."""
    match event:
        case PureRelease():
            return PureRelease(_twice(event.epsilon), _twice_leaked(event.epsilon, event.delta_numeric), event.steps)
        case GaussianRelease():
            return GaussianRelease(2 * event.mu, event.steps, event.delta_numeric, 2 * event.epsilon_numeric)
        case ApproximateRelease():
            delta, numeric = (_twice_leaked(event.epsilon, leak) for leak in (event.delta, event.delta_numeric))
            return ApproximateRelease(_twice(event.epsilon), delta, numeric)
        case BoundedRangeRelease():
            return BoundedRangeRelease(_twice(event.eta), event.steps, event.delta_numeric)
        case ConcentratedRelease():
            return ConcentratedRelease(4 * event.rho, event.delta_numeric)
        case RenyiRelease():
            return _renyi_replaced(event)
        case Composed():
            return Composed(tuple(replaced(part) for part in event.parts))


def _twice(epsilon: float) -> float:
    """2ε, if there is such a double."""
    if math.isinf(2 * epsilon):
        raise MechanismRefused("epsilon: a replaced row costs twice that, which is no number; lower it")
    return 2 * epsilon


def _twice_leaked(epsilon: float, leak: float) -> float:
    """δ(1 + e^ε), rounded up; a δ of one or more promises nothing and is refused."""
    twice = leak * (1 + math.exp(min(epsilon, 700.0))) * _UP * _UP
    if twice >= 1:
        raise MechanismRefused(
            "adjacency: nothing is left of this add-remove release for a replaced row; use an add-remove account"
        )
    return twice


def _renyi_replaced(event: RenyiRelease) -> RenyiRelease:
    """D_α(P‖R) ≤ 2α/(2α−1)·D_{2α−1}(P‖Q) + D_{2α}(Q‖R), at half of every known order above 2."""
    import numpy as np

    orders = np.array([order for order in event.orders if order > 2.000001])
    if not orders.size:
        raise MechanismRefused(
            "adjacency: this add-remove release is known at no Rényi order above 2; use an add-remove account"
        )
    known = Renyi(event.orders, event.epsilons)
    first = renyi_curve(known, orders - 2)  # D of order 2α − 1
    second = renyi_curve(known, orders - 1)  # D of order 2α
    total = up(orders / (orders - 1) * first + second, 8 * ONE_STEP)
    return RenyiRelease(tuple(map(float, orders / 2)), tuple(map(float, total)), event.delta_numeric)
