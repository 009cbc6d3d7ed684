"""How far a point can be from the exact minimiser.  docs/proofs/certificates.md proves each bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import MARGIN, UNIT, Objective
from equipoise.theory.rounding import LONG_SUM, up

EXACT_NORM_SLACK = MARGIN * 8 * UNIT
"""The exact norm and the scaling to the sphere are each right within four units, ten times over."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """‖point − minimiser‖ ≤ `distance`, and the rule that says so."""

    distance: float
    because: str


def norm_above(v: Array) -> float:
    """‖v‖, rounded up."""
    return up(float(np.linalg.norm(v)), LONG_SUM)


def exact_norm(v: Array) -> float:
    """‖v‖ by a sum that is rounded once."""
    return math.sqrt(math.fsum(v * v))


def smooth(objective: Objective, w: Array, gradient: Array) -> Certificate:
    """No constraint, or w inside the ball: ‖∇J(w)‖/α."""
    distance = (norm_above(gradient) + objective.rounding(w)) / objective.strong_convexity
    return Certificate(_number(distance), "gradient norm over strong convexity")


def in_ball(objective: Objective, w: Array, gradient: Array, radius: float) -> Certificate:
    """Over the ball of this radius, w on its sphere up to rounding: ‖∇J(w) + t·w‖/(α + t/2) for a t ≥ 0.

    The sphere's own curvature is the t/2.  The true point on the sphere is w·radius/‖w‖; moving there changes the
    gradient by at most the smoothness times the move.
    """
    norm = exact_norm(w)
    multiplier = max(0.0, -float(gradient @ w) / norm**2) if norm > 0 else 0.0
    move = abs(norm - radius) + EXACT_NORM_SLACK * radius
    residual = norm_above(gradient + multiplier * w) + objective.rounding(w) + 8 * UNIT * multiplier * radius
    residual += (objective.smoothness + multiplier) * move
    distance = residual / (objective.strong_convexity + multiplier / 2) + move
    return Certificate(_number(distance), "normal cone of the ball")


def _number(distance: float) -> float:
    """What is not a number proves nothing."""
    return math.inf if math.isnan(distance) else distance
