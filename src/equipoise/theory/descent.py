"""How close to a minimiser accelerated gradient descent comes in doubles, whatever the records.

The numbers are bounds on a problem, so a plan can work them out before a record is seen; the solver runs with its own,
which are no larger.  docs/proofs/certificates.md, section 6, proves each line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from equipoise.theory.losses import Loss
from equipoise.theory.rounding import FORMULA, LONG_SUM, WELL_CLEAR, down, up

MOST_STEPS = 2**18
"""Passes over the records that the last resort may take."""

MACHINE = 2.0**-53


@dataclass(frozen=True, slots=True)
class Course:
    """A minimum of a strongly convex function over a ball around zero, searched from a public start."""

    alpha: float
    """Strong convexity."""
    smoothness: float
    """Largest eigenvalue of the Hessian, at most."""
    steepness: float
    """Length of the gradient at the start, at most."""
    strays: float
    """Distance from the start to the minimiser, at most."""
    norm: float
    """Radius of a ball that holds the start and the minimiser."""
    error: float
    """Of a gradient computed in doubles anywhere in that ball, at most."""

    @classmethod
    def of(
        cls,
        loss: Loss,
        alpha: float,
        row_norm: float,
        total: float,
        start: float,
        push: float,
        ball: float,
        error: Callable[[float], float],
        bend: float = 0.0,
        most: float = 1.0,
    ) -> Course:
        """From a start at this norm: `total` records over the divisor, within `row_norm`, and a `push` beside them.

        `error` says how far a gradient computed within a distance of zero can be from the true one, `bend` by how much
        the penalty's curvature exceeds α, `most` what a record can count while its gradient stays that of a long row.
        """
        steepness = up(total * row_norm * loss.facts(row_norm * start).slope + push, LONG_SUM)
        strayed = push / alpha + math.sqrt(total * most * loss.pull(row_norm * start) / alpha)
        strays = up(min(strayed, steepness / alpha, 2 * ball), LONG_SUM)
        norm = min(ball, up(start + strays, LONG_SUM))
        smoothness = up(total * loss.facts(math.inf).curvature * (row_norm * row_norm) + alpha + bend, LONG_SUM)
        return cls(alpha, smoothness, steepness, strays, norm, up(error(norm), LONG_SUM))

    @property
    def share(self) -> float:
        """θ = √(α/(2L + α)), rounded down: what a step takes off."""
        return down(math.sqrt(self.alpha / (2 * self.smoothness + self.alpha)), FORMULA)

    @property
    def floor(self) -> float:
        """What rounding leaves after however many steps: 4E/(α√θ) and the rounding of the point itself."""
        return 4 * self.error / self.alpha / math.sqrt(self.share) + 16 * MACHINE * self.norm

    @property
    def _first(self) -> float:
        return math.sqrt(2.5 * self.steepness / self.alpha) * math.sqrt(self.strays)

    def after(self, steps: int) -> float:
        """The distance that is left after so many steps, at most."""
        return self.floor + up(self._first * math.exp(-self.share * steps / 2), LONG_SUM)

    @property
    def reach(self) -> float:
        """A distance that is always reached: a start that is near enough is left where it is."""
        return up(min(self.strays, max(1.25 * self.floor, self.after(MOST_STEPS))), LONG_SUM)

    def steps_to(self, radius: float) -> int | None:
        """How many steps get within `radius`; none if the start is, None if no number up to the most is enough."""
        if self.strays <= radius:
            return 0
        room = radius - self.floor
        if not (room > 0 and self.after(MOST_STEPS) <= radius):
            return None
        wanted = 2 / self.share * math.log(max(1.0, up(self._first, WELL_CLEAR) / room))
        return min(MOST_STEPS, math.ceil(wanted))
