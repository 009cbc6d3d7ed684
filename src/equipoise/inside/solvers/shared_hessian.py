"""Many ridges at once: one pass over the records gives the gradient of every problem that is still open.

All problems share one Hessian of the data, which serves every ridge (inverses.py); each corrects it by pairs of its
own, as in chord.py.  Only gradients are looked at: whole steps are taken for as long as they flatten, and a
problem for which they stop doing so is left to a solver that searches along its steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equipoise.inside.certificate import smooth
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.chord import Pairs, enough_for_a_pass
from equipoise.inside.solvers.inverses import EIGEN_LARGEST, Inverse, inverse_of
from equipoise.inside.solvers.solution import Solution

MOST_PASSES = 60
MOST_FAILURES = 3
"""Steps to steeper places before a problem is given up."""
MOST_ENTRIES = 2**23
"""Scores held at once: problems beyond that are done in groups."""

LARGEST = 3000
"""Most coefficients for which a factor for each ridge is cheap beside fits one by one."""

LARGEST_WORK = 1e12
"""Most rows × coefficients² for which building the Hessian is."""

MOST_FACTOR_ENTRIES = 2**26
"""Held at once, in singles."""


@dataclass(eq=False, repr=False)
class Open:
    """A problem on its way."""

    place: int
    objective: Objective
    radius: float
    w: Array
    gradient: Array
    steepness: float = math.inf
    slow: bool = False
    failures: int = 0
    pairs: Pairs = field(default_factory=Pairs)


def group_width(objective: Objective) -> int:
    """How many problems fit the allowances; 0 where this way does not pay."""
    rows, size = objective.records.design.rows, objective.size
    if size > LARGEST or rows * size**2 > LARGEST_WORK:
        return 0
    by_scores = MOST_ENTRIES // max(1, rows * objective.loss.outputs)
    return min(by_scores, MOST_FACTOR_ENTRIES // size**2) if size > EIGEN_LARGEST else by_scores


def solve_together(
    objectives: Sequence[Objective], radii: Sequence[float]
) -> tuple[list[Solution | None], list[Array]]:
    """What was certified, and where each problem ended.  The same records, loss and divisor throughout."""
    pairs = enumerate(zip(objectives, radii, strict=True))
    everyone = [Open(place, objective, radius, objective.centre, np.empty(0)) for place, (objective, radius) in pairs]
    found: list[Solution | None] = [None] * len(everyone)
    look(everyone)
    remaining = [one for one in everyone if not finished(one, found)]
    shared: Inverse | None = None
    for _ in range(MOST_PASSES):
        if not remaining:
            break
        if shared is None or 2 * sum(one.slow for one in remaining) > len(remaining):
            shared = _inverse(remaining[len(remaining) // 2])
            for one in remaining:
                one.pairs, one.slow = Pairs(), False
        moved = [_moved(one, shared) for one in remaining]
        look(moved)
        kept = [_kept(before, after) for before, after in zip(remaining, moved, strict=True)]
        remaining = [one for one in kept if one is not None and not finished(one, found)]
        for one in remaining:
            everyone[one.place] = one
    return found, [one.w for one in everyone]


def look(problems: Sequence[Open]) -> None:
    """The gradient of each, from one product with the records in each direction."""
    first = problems[0].objective
    records, outputs, count = first.records, first.loss.outputs, len(problems)
    stacked = np.concatenate([one.w.reshape(outputs, -1) for one in problems])
    scores = records.design.matvec(np.ascontiguousarray(stacked.T))
    flat = scores.reshape(-1) if outputs == 1 else scores.reshape(-1, outputs)
    slopes = first.loss.slope(flat, np.repeat(records.labels, count)).reshape(scores.shape)
    pulled = records.design.rmatvec(records.counted(slopes, first.evened)).T.reshape(count, -1) / first.divisor
    for one, data in zip(problems, pulled, strict=True):
        one.gradient = one.objective.with_penalty(data, one.w)
        one.steepness = float(np.linalg.norm(one.gradient))


def finished(one: Open, found: list[Solution | None]) -> bool:
    """Whether the point is certified within its radius; if so, its solution is entered in `found`."""
    certificate = smooth(one.objective, one.w, one.gradient)
    if certificate.distance <= one.radius:
        found[one.place] = Solution(one.w, certificate)
        return True
    return False


def _inverse(one: Open) -> Inverse:
    """Of the data's part of the Hessian."""
    curvature = one.objective.hessian(one.w)
    curvature[np.diag_indices(one.objective.size)] -= one.objective.strong_convexity
    return inverse_of(curvature)


def _moved(one: Open, shared: Inverse) -> Open:
    ridge = one.objective.strong_convexity
    step = one.pairs.divided(ridge, one.gradient, lambda rest: shared.divide(ridge, rest))
    return Open(one.place, one.objective, one.radius, one.w - step, np.empty(0), pairs=one.pairs)


def _kept(before: Open, after: Open) -> Open | None:
    """The new place if it is flatter; else the old one, wiser by what the step showed; None after too many of those."""
    ridge = after.objective.strong_convexity
    before.pairs.learn(after.w - before.w, after.gradient - before.gradient, ridge)
    if not after.steepness < before.steepness:
        before.failures, before.slow = before.failures + 1, True
        return before if before.failures <= MOST_FAILURES else None
    after.failures = before.failures
    after.slow = after.steepness > enough_for_a_pass(after.objective.size) * before.steepness
    return after
