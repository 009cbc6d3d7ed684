"""Newton's method through the rows: for fewer curved rows than coefficients.

With S = √curvature·X/√divisor over the rows that curve, ∇²J = αI + SᵀS, and the matrix inversion lemma turns the
big system into one with as many unknowns as there are such rows: ∇²J⁻¹g = (g − Sᵀ(αI + SSᵀ)⁻¹Sg)/α.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.solution import Solution


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; or NotCertified.  One score per row only."""
    return solve_within(objective, radius, ball, step)


def step(objective: Objective, w: Array, gradient: Array) -> Array:
    """−∇²J⁻¹∇J; a short gradient step should the factorisation break down in rounding."""
    design, curvature, alpha = objective.records.design, objective.curvature(w), objective.strong_convexity
    rows = np.flatnonzero(curvature)
    part = design if len(rows) == design.rows else design.take(rows)
    root = np.sqrt(curvature[rows] / objective.divisor)
    inner = part.gram_of_rows() * root[:, None] * root
    inner[np.diag_indices(len(rows))] += alpha
    try:
        factor = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return -gradient / objective.smoothness
    lifted = np.asarray(cho_solve(factor, root * part.matvec(gradient), check_finite=False))
    return (part.rmatvec(root * lifted) - gradient) / alpha
