"""Newton's method with conjugate gradients: for many coefficients, in memory proportional to their number."""

from __future__ import annotations

import math

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.solution import Solution, not_certified

MOST_PRODUCTS = 2000
LOOSEST = 0.1
TIGHTEST = 1e-8


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; or NotCertified."""
    return solve_within(objective, radius, ball, step)


def step(objective: Objective, w: Array, gradient: Array) -> Array:
    """Conjugate gradients on ∇²J·step = −∇J, the more exact the smaller the gradient."""
    return _conjugate(objective, w, gradient, MOST_PRODUCTS)[0]


class Frugal:
    """The same direction as long as it takes few products: where a Hessian is dear and problems are mostly round, for
    whoever has one to fall back on.  One for each problem."""

    def __init__(self, products: int) -> None:
        self._left = products

    def __call__(self, objective: Objective, w: Array, gradient: Array) -> Array:
        if self._left <= 0:
            raise not_certified()
        found, taken = _conjugate(objective, w, gradient, self._left)
        self._left -= max(1, taken)
        return found


def _conjugate(objective: Objective, w: Array, gradient: Array, most: int) -> tuple[Array, int]:
    """The step and how many products it took.  Every iterate from zero is a descent direction, so stopping early is
    safe."""
    product = objective.hessian_product(w)
    size = float(np.linalg.norm(gradient))
    target = size * min(LOOSEST, max(TIGHTEST, math.sqrt(size / objective.smoothness)))
    result = np.zeros_like(gradient)
    residual = -gradient
    heading = residual.copy()
    square = float(residual @ residual)
    taken = 0
    while taken < most and math.sqrt(square) > target:
        bent = product(heading)
        taken += 1
        length = square / float(heading @ bent)
        result += length * heading
        residual -= length * bent
        before, square = square, float(residual @ residual)
        heading *= square / before
        heading += residual
    return result, taken
