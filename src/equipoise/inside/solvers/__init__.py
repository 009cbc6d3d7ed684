"""Solvers: one file each.  Every one returns a point with its certificate, or raises NotCertified."""

from __future__ import annotations

import math

from equipoise.errors import NotCertified
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import newton, truncated_newton
from equipoise.inside.solvers.solution import Solution

__all__ = ["Solution", "solve"]

FACTORABLE = 3000
"""Largest system that is solved by a Cholesky factor."""


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """Chosen by public facts: the loss's smoothness and the shape of the design."""
    if objective.size <= FACTORABLE:
        try:
            return newton.solve(objective, radius, ball)
        except NotCertified:
            pass
    return truncated_newton.solve(objective, radius, ball)
