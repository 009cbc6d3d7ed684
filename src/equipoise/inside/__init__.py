"""Everything that sees records.  What leaves this package is wrapped in Private."""

from __future__ import annotations

import math

from equipoise.inside.certificate import Certificate
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective, data_gradient
from equipoise.inside.private import Private
from equipoise.inside.records import Records, enter
from equipoise.inside.solvers import Solution, solve
from equipoise.theory.losses import Loss
from equipoise.theory.regularisers import L2

__all__ = ["Certificate", "Private", "Records", "Solution", "enter", "mean_gradient", "minimise"]


def minimise(
    records: Private[Records],
    loss: Loss,
    penalty: L2,
    divisor: float,
    radius: float,
    ball: float = math.inf,
    tilt: Array | None = None,
) -> Private[Solution]:
    """The minimiser of Σ loss/divisor + penalty + tilt·w over the ball, within `radius`; or NotCertified."""
    return records.map(lambda inner: solve(Objective(loss, penalty, inner, divisor, tilt), radius, ball))


def mean_gradient(records: Private[Records], loss: Loss, divisor: float, w: Array) -> Private[Array]:
    """∇ of Σ loss/divisor at w: the data's part alone."""
    return records.map(lambda inner: data_gradient(loss, inner, divisor, w))
