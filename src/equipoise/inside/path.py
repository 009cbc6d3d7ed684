"""Minimisers for many ridges on the same records: all at once where that pays, else each from the ones before.

Nothing about the certificates changes.  A start only decides how soon a solver arrives; what it returns is certified
to its own radius by the same rule as a single fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from equipoise.inside.certificate import exact_norm
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.parted_objective import PartedObjective
from equipoise.inside.solvers import STUCK, Solution, solve
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.krylov import room_for, solve_in_span
from equipoise.inside.solvers.shared_hessian import group_width, solve_together

LOOK_BACK = 3
"""Minimisers behind a forecast: a parabola in log alpha."""

SHARPEST = 2.0
"""A loss that bends more than this does so in a few places; one ridge's Hessian then says little about another's."""

ALIKE = 0.25
"""Tilts further apart than this share of themselves move the minimiser too erratically to be forecast."""


def solve_path(objectives: Sequence[Objective], radii: Sequence[float], ball: float = math.inf) -> list[Solution]:
    """One solution for each objective, in their order; all with the same records, loss and divisor."""
    with np.errstate(all="ignore"):
        try:
            found, ends = _together(objectives, radii, ball)
        except STUCK:
            found, ends = {}, {}
    chord = Chord()
    for place in sorted(range(len(objectives)), key=lambda place: -objectives[place].penalty.strong_convexity):
        if place in found:
            continue
        objective, radius = objectives[place], radii[place]
        known = [(objectives[before], solution.point) for before, solution in found.items()]
        start = ends[place] if place in ends else forecast(objective, known)
        found[place] = solve(objective, radius, ball, start, chord)
    return [found[place] for place in range(len(objectives))]


def _together(
    objectives: Sequence[Objective], radii: Sequence[float], ball: float
) -> tuple[dict[int, Solution], dict[int, Array]]:
    """What is certified by working on all at once, and where the others got to; nothing where that does not pay."""
    found: dict[int, Solution] = {}
    ends: dict[int, Array] = {}
    if len(objectives) < 2 or objectives[0].loss.facts(math.inf).curvature > SHARPEST:
        return found, ends
    if isinstance(objectives[0], PartedObjective):  # which has no scores to work on
        return found, ends
    if any(objective.penalty.bend for objective in objectives):  # their Hessians differ by more than a ridge
        return found, ends
    width = group_width(objectives[0])
    room = 0 if width else room_for(objectives)
    if room:
        return _kept(*solve_in_span(objectives, radii, room), 0, ball)
    for first in range(0, len(objectives) if width > 1 else 0, max(1, width)):
        part = slice(first, first + width)
        more, further = _kept(*solve_together(objectives[part], radii[part]), first, ball)
        found |= more
        ends |= further
    return found, ends


def _kept(
    solutions: Sequence[Solution | None], points: Sequence[Array], first: int, ball: float
) -> tuple[dict[int, Solution], dict[int, Array]]:
    """By place, which starts at `first`: the solutions in the ball, and the ends."""
    pairs = enumerate(solutions, start=first)
    free = math.isinf(ball)
    found = {place: one for place, one in pairs if one is not None and (free or exact_norm(one.point) <= ball)}
    return found, dict(enumerate(points, start=first))


def forecast(objective: Objective, known: Sequence[tuple[Objective, Array]]) -> Array | None:
    """Where the minimiser should be: the curve through the last ones, as far as they are comparable."""
    if not known:
        return None
    last, point = known[-1]
    places, points = [math.log(last.penalty.strong_convexity)], [point]
    for before, w in reversed(known[-LOOK_BACK:-1]):
        place = math.log(before.penalty.strong_convexity)
        if place <= places[-1] or not (_alike(objective.tilt, last.tilt) and _alike(last.tilt, before.tilt)):
            break
        places.append(place)
        points.append(w)
    target = math.log(objective.penalty.strong_convexity)
    if target >= places[0]:
        return point
    return np.asarray(sum(_weight(target, places, index) * w for index, w in enumerate(points)))


def _alike(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return float(np.linalg.norm(one - other)) <= ALIKE * float(np.linalg.norm(one))


def _weight(target: float, places: Sequence[float], index: int) -> float:
    """Lagrange's."""
    here = places[index]
    return math.prod((target - other) / (here - other) for at, other in enumerate(places) if at != index)
