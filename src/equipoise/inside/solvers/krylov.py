"""Many ridges in one small space: for more coefficients than a factor can take.

The gradients met on the way to the minimiser of the weakest ridge span a space that nearly holds the minimisers of the
others too, since their gradients differ by little but the ridge's part.  So the space is grown for that one, a gradient
at a time, then by the little that the next ones need; inside it a problem is a table of few columns.  Only then is each
problem looked at with all its coefficients, and certified there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.shared_hessian import Open, finished, look
from equipoise.inside.solvers.solution import Solution
from equipoise.inside.solvers.subspace import Space

MOST_DIRECTIONS = 80
MOST_ENTRIES = 2**25
"""Held for the directions, at most."""
FEWEST_DIRECTIONS = 16
"""With room for fewer the space is of little use."""

MOST_LOOKS = 3
"""At all problems; those left after that are for a solver of their own."""
MOST_STEPS = 20
MOST_HALVINGS = 20
"""Newton's method inside the space."""

LOOSE = 0.5
"""A growing space is searched until this share of the gradient that sticks out of it is left inside."""
STRICTER = 0.9
"""Inside the space the gradient is made shorter than the radius asks for by this."""
SURE = 0.8
"""When the gradient, shrinking as it did before, will be this share of what is wanted, it is not computed once more."""
STALE = 0.3
"""A step that leaves more than this share of the gradient inside the space asks for the Hessian of where it led."""


def room_for(objectives: Sequence[Objective]) -> int:
    """Directions that the problems may use; 0 where this way does not pay: something but rows and ridges pulls."""
    first = objectives[0]
    plain = all(one.tilt is None and one.pressure == 0 and not np.any(one.centre) for one in objectives)
    room = min(MOST_DIRECTIONS, MOST_ENTRIES // max(1, first.records.design.rows, first.records.design.columns))
    return room if plain and first.loss.outputs == 1 and room >= FEWEST_DIRECTIONS else 0


def solve_in_span(
    objectives: Sequence[Objective], radii: Sequence[float], room: int
) -> tuple[list[Solution | None], list[Array]]:
    """What was certified, and where each problem ended.  The same records, loss and divisor throughout."""
    found: list[Solution | None] = [None] * len(objectives)
    ends = [objective.centre for objective in objectives]
    space = Space(objectives[0].records.design, room)
    places = sorted(range(len(objectives)), key=lambda place: objectives[place].penalty.strong_convexity)
    for attempt in range(MOST_LOOKS):
        inside = settled(
            space, [objectives[place] for place in places], [radii[place] / 2**attempt for place in places]
        )
        tried = [
            Open(place, objectives[place], radii[place], w, np.empty(0))
            for place, w in zip(places, space.points(inside), strict=True)
        ]
        look(tried)
        for one in tried:
            ends[one.place] = one.w
        places = [one.place for one in tried if not finished(one, found)]
        if not places or space.directions == room:
            break
    return found, ends


def settled(space: Space, objectives: Sequence[Objective], radii: Sequence[float]) -> Array:
    """The point of each in the space, one row each.  The space grows until a problem does not need it to."""
    known: list[Array] = []
    inside, calm = np.zeros(space.directions), False
    for objective, radius in zip(objectives, radii, strict=True):
        target = STRICTER * radius * objective.strong_convexity
        before = space.directions
        if calm:
            inside = lowest(space, objective, target / 2, inside).point
        else:
            inside = grow(space, objective, target, inside)
            calm = bool(known) and space.directions == before
        known.append(inside)
    return np.array([np.pad(one, (0, space.directions - len(one))) for one in known])


def grow(space: Space, objective: Objective, target: float, inside: Array) -> Array:
    """The lowest point of the space, which gets the gradient there until it is short enough, or is sure to be."""
    here, before = lowest(space, objective, target / 2, inside), 0.0
    while True:
        gradient = space.gradient(here.slopes, objective.strong_convexity, here.point)
        steepness = gradient.length
        if steepness <= target or not space.add(gradient):
            return here.point
        here = lowest(space, objective, max(target / 2, LOOSE * steepness), np.append(here.point, 0.0))
        if steepness**2 <= SURE * target * before:
            return here.point
        before = steepness


@dataclass(frozen=True, eq=False, repr=False)
class Inside:
    """A point of the space with what is known there."""

    point: Array
    scores: Array
    slopes: Array
    gradient: Array

    @cached_property
    def steepness(self) -> float:
        return float(np.linalg.norm(self.gradient))


def _at(space: Space, objective: Objective, point: Array) -> Inside:
    scores = point @ space.scores
    slopes = objective.slopes(scores) / objective.divisor
    return Inside(point, scores, slopes, space.scores @ slopes + objective.strong_convexity * point)


def lowest(space: Space, objective: Objective, flat: float, start: Array) -> Inside:
    """The lowest point of the space, or as flat as asked for, by Newton's method with a Hessian that is kept."""
    here, kept = _at(space, objective, start), space.bent
    for _ in range(MOST_STEPS):
        if not here.steepness > flat:
            break
        if not kept:
            space.bend(objective.bends(here.scores) / objective.divisor)
        step = space.divide(objective.strong_convexity, here.gradient)
        there = _at(space, objective, here.point - step)
        for _ in range(0 if kept else MOST_HALVINGS):
            if there.steepness < here.steepness:
                break
            step = step / 2
            there = _at(space, objective, here.point - step)
        better = there.steepness < here.steepness
        if not (better or kept):
            break
        kept = better and there.steepness <= STALE * here.steepness
        here = there if better else here
    return here
