"""Newton's method with conjugate gradients: for many coefficients, in memory proportional to their number."""

from __future__ import annotations

import math

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.solution import Solution

MOST_PRODUCTS = 2000
LOOSEST = 0.1
TIGHTEST = 1e-8


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; or NotCertified."""
    return solve_within(objective, radius, ball, step)


def step(objective: Objective, w: Array, gradient: Array) -> Array:
    """Conjugate gradients on ∇²J·step = −∇J, the more exact the smaller the gradient.

    Every iterate from zero is a descent direction, so stopping early is safe.
    """
    product = objective.hessian_product(w)
    size = float(np.linalg.norm(gradient))
    target = size * min(LOOSEST, max(TIGHTEST, math.sqrt(size / objective.smoothness)))
    result = np.zeros_like(gradient)
    residual = -gradient
    heading = residual.copy()
    square = float(residual @ residual)
    for _ in range(MOST_PRODUCTS):
        if math.sqrt(square) <= target:
            break
        bent = product(heading)
        length = square / float(heading @ bent)
        result += length * heading
        residual -= length * bent
        before, square = square, float(residual @ residual)
        heading *= square / before
        heading += residual
    return result
