"""Solvers: one file each.  Every one returns a point with its certificate, or raises NotCertified."""

from __future__ import annotations

import math

from equipoise.errors import NotCertified
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import absolute, dual, newton, rows_newton, truncated_newton
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.descent import Direction
from equipoise.inside.solvers.solution import Solution
from equipoise.theory.losses import Absolute

__all__ = ["Solution", "solve"]

FACTORABLE = 3000
"""Largest system that is solved by a Cholesky factor."""

FACTOR_WORK = 1e12
"""Most rows × size² for which building the Hessian is still cheap."""

FEW_ROWS = 2000


def solve(
    objective: Objective, radius: float, ball: float = math.inf, start: Array | None = None, chord: Chord | None = None
) -> Solution:
    """Chosen by public facts: the loss's smoothness and the shape of the design.

    `start` is where to begin, if a place near the minimiser is known; `chord` what was learnt from related problems.
    """
    if isinstance(objective.loss, Absolute):
        return absolute.solve(objective, radius, ball)
    if not objective.loss.smooth:
        return dual.solve(objective, radius, ball, start)
    for direction in _directions(objective, chord or Chord()):
        try:
            return solve_within(objective, radius, ball, direction, start)
        except NotCertified:
            continue  # The slower method that comes next may still make it.
    return truncated_newton.solve(objective, radius, ball)


def _directions(objective: Objective, chord: Chord) -> tuple[Direction, ...]:
    """The fastest first."""
    rows, size = objective.records.design.rows, objective.size
    if size <= FACTORABLE and rows * size**2 <= FACTOR_WORK:
        return chord, newton.step
    if rows <= FEW_ROWS and objective.loss.outputs == 1:
        return (rows_newton.step,)
    return (truncated_newton.step,)
