"""Damped Newton: the loop that the Newton solvers share.  They differ in how they find the step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equipoise.inside.certificate import smooth
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective

Direction = Callable[[Objective, Array, Array], Array]
"""(objective, w, gradient) ↦ a step that descends."""

MOST_STEPS = 1000
MOST_HALVINGS = 60
PATIENCE = 20
"""Steps to a place neither lower nor flatter before rounding is blamed."""
SUFFICIENT = 1e-4
NEARLY = 0.1
FLATTER = 0.5
"""A step to a gradient of at most this length is taken, whatever the values: of a strongly convex function that ends at
the minimiser, and values cost time."""
VALUE_NOISE = 1e-13
"""Near the minimum values agree to this share of themselves and cannot rank points; slopes still can."""


@dataclass(frozen=True, eq=False, repr=False)
class Place:
    """A point with what is known there; its value once somebody asks."""

    objective: Objective
    w: Array
    gradient: Array
    known: float | None = None

    @cached_property
    def value(self) -> float:
        return self.objective.value(self.w) if self.known is None else self.known

    @cached_property
    def steepness(self) -> float:
        return float(np.linalg.norm(self.gradient))


def place(objective: Objective, w: Array) -> Place:
    """A point with the objective's gradient there, and its value where that comes for nothing."""
    value, gradient = objective.seen_from(w)
    return Place(objective, w, gradient, value)


def descend(
    objective: Objective, finished: Callable[[Place], bool], direction: Direction, start: Array | Place
) -> Place:
    """Go down until finished or no step helps, and return the flattest place seen.  The caller certifies it."""
    here = flattest = start if isinstance(start, Place) else place(objective, start)
    idle = 0
    for _ in range(MOST_STEPS):
        if finished(here) or idle > PATIENCE:
            break
        after = search(objective, here, direction(objective, here.w, here.gradient))
        if after is None:
            break
        idle = 0 if after.steepness < 0.9 * flattest.steepness or _lower(here, after) else idle + 1
        here = after
        flattest = min(flattest, here, key=lambda known: known.steepness)
    return flattest


def _lower(here: Place, after: Place) -> bool:
    """By more than rounding."""
    return after.value < here.value - VALUE_NOISE * (1 + abs(here.value))


def descend_within(objective: Objective, radius: float, direction: Direction, start: Array | Place) -> Place:
    """Go down until the certificate holds."""
    return descend(objective, lambda here: _certified(objective, here, radius), direction, start)


def _certified(objective: Objective, here: Place, radius: float) -> bool:
    """Certified, or so flat that rounding is all that is left of the certificate."""
    distance = smooth(objective, here.w, here.gradient).distance
    return distance <= radius or distance * objective.strong_convexity <= 1.5 * objective.rounding(here.w)


def search(objective: Objective, here: Place, step: Array) -> Place | None:
    """The whole step if it ends much flatter, or low enough; else to the lowest place along it; None when rounding is
    all there is."""
    slope = float(here.gradient @ step)
    if not slope < 0:
        return None
    there = place(objective, here.w + step)
    if there.steepness <= FLATTER * here.steepness:
        return there
    if there.value <= here.value + SUFFICIENT * slope or _flat_but_lower(here, there, step, slope):
        return there
    length = _lowest(objective.slope_along(here.w, step), slope)
    return place(objective, here.w + length * step) if length > 0 else None


def _lowest(slope_at: Callable[[float], float], slope: float) -> float:
    """Where the slope along the step, which only rises, has nearly reached zero from below."""
    low, high = 0.0, 1.0
    for _ in range(MOST_HALVINGS):
        middle = (low + high) / 2
        value = slope_at(middle)
        if value > 0:
            high = middle
        else:
            low = middle
            if value >= NEARLY * slope:
                break
    return low


def _flat_but_lower(here: Place, there: Place, step: Array, slope: float) -> bool:
    """Values too close to compare, and the slope along the step has risen no further than descent allows."""
    close = abs(there.value - here.value) <= VALUE_NOISE * (1 + abs(here.value))
    return close and float(there.gradient @ step) <= (2 * SUFFICIENT - 1) * slope
