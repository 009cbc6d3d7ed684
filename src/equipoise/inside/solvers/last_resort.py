"""Accelerated gradient descent in a ball, for a number of steps that is known to be enough.

It asks nothing of the records but what every table obeys, so it cannot fail: after `steps_to(radius)` steps the point
is within the radius whatever was computed on the way, by docs/proofs/certificates.md, section 6.  It is slow, and runs
only where a faster solver did not arrive.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.inside.certificate import Certificate, exact_norm, in_ball, smooth
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.solution import Solution, not_certified
from equipoise.theory.descent import Course
from equipoise.theory.rounding import FORMULA, down

LOOK_EVERY = 64
"""Steps between two looks at whether a certificate holds already."""

BECAUSE = "as many steps as are always enough"


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; NotCertified only for a radius below what a plan may ask for."""
    start = _project(objective.centre, ball)
    way = course(objective, start, ball)
    steps = way.steps_to(radius)
    if steps is None:
        raise not_certified()
    found = _walk(objective, way, start, steps, radius, ball)
    return found or Solution(start, Certificate(min(radius, way.strays), "no minimiser is further from the centre"))


def course(objective: Objective, start: Array, ball: float) -> Course:
    """The bounds of this very problem: none is above what the plan took for it."""
    alpha, most = objective.penalty.strong_convexity, objective.heaviest
    at, away = float(np.linalg.norm(start)), float(np.linalg.norm(start - objective.centre))
    total, push = objective.records.design.rows / objective.divisor, objective.push + alpha * away
    error, bend = objective.rounding_nearby, objective.penalty.bend
    return Course.of(objective.loss, alpha, objective.longest_row, total, at, push, ball, error, bend, most)


@dataclass(eq=False, repr=False)
class _Average:
    """x, as a sum of two vectors: the small one holds what rounding would take from the large one."""

    large: Array
    small: Array

    def towards(self, z: Array, share: float) -> None:
        """x + share·(z − x), with an error that does not add up over the steps."""
        step = share * ((z - self.large) - self.small) + self.small
        total = self.large + step
        moved = total - self.large
        # The rounding of the sum, exactly (Knuth's two-sum).
        self.small = (self.large - (total - moved)) + (step - moved)
        self.large = total


def _walk(objective: Objective, way: Course, start: Array, steps: int, radius: float, ball: float) -> Solution | None:
    """Momentum from z, gradients at y between x and z, and x the running average that is handed over."""
    share, pace = way.share, 2 * way.share / way.alpha
    x, z = _Average(start, np.zeros_like(start)), start
    for step in range(1, steps + 1):
        y = (x.large + share * z) / (1 + share)
        gradient = objective.gradient(y)
        if step % LOOK_EVERY == 0:
            early = _certified(objective, y, gradient, radius, ball)
            if early is not None:
                return early
        z = _project(z + share * (y - z) - pace * gradient, way.norm)
        x.towards(z, share)
    return Solution(x.large, Certificate(min(radius, way.after(steps)), BECAUSE)) if steps else None


def _certified(objective: Objective, w: Array, gradient: Array, radius: float, ball: float) -> Solution | None:
    """The point, if its own certificate holds already."""
    if math.isinf(ball) or exact_norm(w) <= down(ball, FORMULA):
        certificate = smooth(objective, w, gradient)
    else:
        certificate = in_ball(objective, w, gradient, ball)
    return Solution(w, certificate) if certificate.distance <= radius else None


def _project(w: Array, ball: float) -> Array:
    """The nearest point of the ball, within a few ulp."""
    norm = exact_norm(w)
    return w if norm <= ball else w * (ball / norm)
