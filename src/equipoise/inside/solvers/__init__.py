"""Solvers: one file each.  The fast ones are tried first and believed by their certificate; the last cannot fail."""

from __future__ import annotations

import math

import numpy as np

from equipoise.errors import NotCertified
from equipoise.inside.design import gram_pairs
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.parted_objective import PartedObjective
from equipoise.inside.solvers import last_resort, newton, rows_newton, truncated_newton
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.descent import Direction, Place
from equipoise.inside.solvers.head_start import rough_start, start_by_products
from equipoise.inside.solvers.solution import Solution

__all__ = ["STUCK", "Solution", "solve"]

STUCK = (NotCertified, ArithmeticError, np.linalg.LinAlgError)
"""How a fast solver may end without a solution: none of it leaves this folder."""

FACTORABLE = 3000
"""Largest system that is solved by a Cholesky factor."""

FACTOR_WORK = 1e12
"""Most rows × size² for which building the Hessian is still cheap."""

DEAR_PAIRS, FEW_PRODUCTS = 5e6, 100
"""With more products of two entries behind a Hessian of sparse rows, products with the table are tried first: where
problems are mostly round some ten or forty do, and a hundred cost about as much as that Hessian."""

PER_PAIR = 50
"""Operations of a dense factor in the time of such a product: with a thousand columns the factor is dearer than its
entries."""

FEW_ROWS = 2000


def solve(
    objective: Objective, radius: float, ball: float = math.inf, start: Array | None = None, chord: Chord | None = None
) -> Solution:
    """Within `radius` of the minimiser over the ball, whatever the records, for every radius that a plan asks for.

    `start` is where to begin, if a place near the minimiser is known; `chord` what was learnt from related problems.
    """
    begin: Array | Place | None = start
    with np.errstate(all="ignore"):
        for direction in (*_directions(objective, chord or Chord()), truncated_newton.step):
            try:
                if isinstance(direction, Chord) and begin is None:
                    begin = rough_start(objective, direction)
                if isinstance(direction, truncated_newton.Frugal) and begin is None:
                    begin = start_by_products(objective)
                return solve_within(objective, radius, ball, direction, begin)
            except STUCK:
                begin = None  # The slower method that comes next may still make it, from the centre.
        return last_resort.solve(objective, radius, ball)


def _directions(objective: Objective, chord: Chord) -> tuple[Direction, ...]:
    """The fastest first."""
    rows, size = objective.records.design.rows, objective.size
    plain = objective.penalty.bend == 0  # a penalty with corners has another Hessian at every step
    parted = isinstance(objective, PartedObjective)  # then a pass is dear, whatever is summed in it
    if size <= FACTORABLE and (parted or rows * size**2 <= FACTOR_WORK):
        if not plain:
            return (newton.step,)
        pairs = 0 if parted else gram_pairs(objective.records.design) * objective.loss.outputs**2
        dear = pairs > 0 and pairs + size**3 / PER_PAIR > DEAR_PAIRS
        return (truncated_newton.Frugal(FEW_PRODUCTS), chord, newton.step) if dear else (chord, newton.step)
    if not parted and rows <= FEW_ROWS and objective.loss.outputs == 1 and plain:
        return (rows_newton.step,)
    return ()
