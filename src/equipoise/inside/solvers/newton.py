"""Newton's method with a Cholesky factor of the Hessian: for up to a few thousand coefficients."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.solution import Solution


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; or NotCertified."""
    return solve_within(objective, radius, ball, step)


def step(objective: Objective, w: Array, gradient: Array) -> Array:
    """−∇²J⁻¹∇J; a short gradient step should the factorisation break down in rounding."""
    try:
        factor = cho_factor(objective.hessian(w), lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return -gradient / objective.smoothness
    return -np.asarray(cho_solve(factor, gradient, check_finite=False))
