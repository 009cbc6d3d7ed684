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

MOST_STEPS = 300
MOST_HALVINGS = 60
PATIENCE = 20
"""Steps to a place neither lower nor flatter before rounding is blamed."""
SUFFICIENT = 1e-4
VALUE_NOISE = 1e-13
"""Near the minimum values agree to this share of themselves and cannot rank points; slopes still can."""


@dataclass(frozen=True, eq=False, repr=False)
class Place:
    """A point with what is known there."""

    w: Array
    value: float
    gradient: Array

    @cached_property
    def steepness(self) -> float:
        return float(np.linalg.norm(self.gradient))


def place(objective: Objective, w: Array) -> Place:
    return Place(w, *objective.value_and_gradient(w))


def descend(objective: Objective, finished: Callable[[Place], bool], direction: Direction, start: Array) -> Place:
    """Go down until finished or no step helps, and return the flattest place seen.  The caller certifies it."""
    here = flattest = place(objective, start)
    idle = 0
    for _ in range(MOST_STEPS):
        if finished(here) or idle > PATIENCE:
            break
        after = search(objective, here, direction(objective, here.w, here.gradient))
        if after is None:
            break
        lower = after.value < here.value - VALUE_NOISE * (1 + abs(here.value))
        idle = 0 if lower or after.steepness < 0.9 * flattest.steepness else idle + 1
        here = after
        flattest = min(flattest, here, key=lambda known: known.steepness)
    return flattest


def descend_within(objective: Objective, radius: float, direction: Direction, start: Array) -> Place:
    """Go down until the certificate holds."""
    return descend(objective, lambda here: _certified(objective, here, radius), direction, start)


def _certified(objective: Objective, here: Place, radius: float) -> bool:
    """Certified, or so flat that rounding is all that is left of the certificate."""
    distance = smooth(objective, here.w, here.gradient).distance
    return distance <= radius or distance * objective.strong_convexity <= 1.5 * objective.rounding(here.w)


def search(objective: Objective, here: Place, step: Array) -> Place | None:
    """The longest of 1, ½, ¼ … of the step that descends enough; None when rounding leaves nothing to gain."""
    slope = float(here.gradient @ step)
    if not slope < 0:
        return None
    length = 1.0
    for _ in range(MOST_HALVINGS):
        there = place(objective, here.w + length * step)
        if there.value <= here.value + SUFFICIENT * length * slope or _flat_but_lower(here, there, step, slope):
            return there
        length /= 2
    return None


def _flat_but_lower(here: Place, there: Place, step: Array, slope: float) -> bool:
    """Values too close to compare, and the slope along the step has risen no further than descent allows."""
    close = abs(there.value - here.value) <= VALUE_NOISE * (1 + abs(here.value))
    return close and float(there.gradient @ step) <= (2 * SUFFICIENT - 1) * slope
