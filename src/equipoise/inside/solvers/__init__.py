"""Solvers: one file each.  Every one returns a point with its certificate, or raises NotCertified."""

from __future__ import annotations

import math

from equipoise.errors import NotCertified
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import dual, newton, rows_newton, truncated_newton
from equipoise.inside.solvers.solution import Solution

__all__ = ["Solution", "solve"]

FACTORABLE = 3000
"""Largest system that is solved by a Cholesky factor."""

FACTOR_WORK = 1e12
"""Most rows × size² for which building the Hessian is still cheap."""

FEW_ROWS = 2000


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """Chosen by public facts: the loss's smoothness and the shape of the design."""
    if not objective.loss.smooth:
        return dual.solve(objective, radius, ball)
    rows, size = objective.records.design.rows, objective.size
    try:
        if size <= FACTORABLE and rows * size**2 <= FACTOR_WORK:
            return newton.solve(objective, radius, ball)
        if rows <= FEW_ROWS and objective.loss.outputs == 1:
            return rows_newton.solve(objective, radius, ball)
    except NotCertified:
        pass  # The slower method below may still make it.
    return truncated_newton.solve(objective, radius, ball)
