"""Minimising over a ball around zero: find the multiplier that puts the minimiser on the sphere.

With pressure t the minimiser w(t) of J + (t/2)‖w‖² shrinks as t grows, and 1/‖w(t)‖ is close to a straight
line in t, so secant steps on it converge in a few solves, each started from the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from equipoise.inside.certificate import Certificate, exact_norm, in_ball, smooth
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.descent import Direction, Place, descend_within
from equipoise.inside.solvers.solution import Solution, certified

MOST_SOLVES = 100
FINER = 1e-2
"""The solves behind the multiplier are finer than the radius by this over the condition number, if rounding allows."""


def solve_within(
    objective: Objective, radius: float, ball: float, direction: Direction, start: Array | Place | None = None
) -> Solution:
    """Without constraint first, from the start or else the centre; on the sphere if that leaves the ball."""
    free = descend_within(objective, radius, direction, objective.centre if start is None else start)
    if math.isinf(ball) or exact_norm(free.w) <= ball:
        return certified(free.w, smooth(objective, free.w, free.gradient), radius)
    return _Sphere(objective, radius, ball, direction).solve(free.w)


@dataclass(frozen=True, eq=False, repr=False)
class _Sphere:
    """One search for the multiplier."""

    objective: Objective
    radius: float
    ball: float
    direction: Direction

    def solve(self, start: Array) -> Solution:
        low, w = 0.0, start
        below = self._excess(w)
        high, w, above = self._bracket(w)
        best = self._certify(w)
        for attempt in range(MOST_SOLVES):
            if best[1].distance <= self.radius or not low < high:
                break
            pressure = _between(low, high, below, above, attempt)
            w = self._press(pressure, w)
            best = min(best, self._certify(w), key=lambda pair: pair[1].distance)
            excess = self._excess(w)
            low, below, high, above = (pressure, excess, high, above) if excess > 0 else (low, below, pressure, excess)
        return certified(*best, self.radius)

    def _excess(self, w: Array) -> float:
        """Positive outside the ball; close to linear in the multiplier."""
        norm = exact_norm(w)
        return 1 / self.ball - 1 / norm if norm > 0 else -math.inf

    def _press(self, pressure: float, start: Array) -> Array:
        pressed = replace(self.objective, pressure=pressure)
        fine = FINER * self.objective.strong_convexity / self.objective.smoothness
        return descend_within(pressed, min(self.radius, self.ball) * fine, self.direction, start).w

    def _bracket(self, start: Array) -> tuple[float, Array, float]:
        """A multiplier large enough to pull the minimiser inside."""
        pressure, w = self.objective.penalty.strong_convexity, start
        while True:
            w = self._press(pressure, w)
            excess = self._excess(w)
            if not excess > 0:
                return pressure, w, excess
            pressure *= 8

    def _certify(self, w: Array) -> tuple[Array, Certificate]:
        """Scaled to the sphere."""
        norm = exact_norm(w)
        on_sphere = w * (self.ball / norm) if norm > 0 else w
        gradient = self.objective.gradient(on_sphere)
        return on_sphere, in_ball(self.objective, on_sphere, gradient, self.ball)


def _between(low: float, high: float, below: float, above: float, attempt: int) -> float:
    """The secant's zero, or the middle every fourth time and whenever the secant is not strictly inside."""
    middle = low + (high - low) / 2
    if attempt % 4 == 3 or not math.isfinite(above):
        return middle
    secant = low + (high - low) * below / (below - above) if below > above else middle
    return secant if low < secant < high else middle
