"""Newton's method that keeps its Hessian for many steps and corrects it by what the gradients show on the way.

The kept matrix is the data's part alone, so the same one serves every ridge and every pressure of a ball.  The pairs
(step, change of gradient) are those of limited-memory BFGS, again of the data's part; the Cholesky factor takes the
place of its starting matrix.  A step costs one pass over the records instead of a Hessian.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.ball import solve_within
from equipoise.inside.solvers.solution import Solution

PAIRS = 24
"""Most pairs kept."""

PASSES_PER_COLUMN = 1 / 25
"""A Hessian costs about this many gradients for each coefficient."""

HESSIAN_GAIN = 5.0
"""What a fresh Hessian brings, in powers of e; a chord step must do its share of that for its cost."""


def enough_for_a_pass(size: int) -> float:
    """The share of the gradient that a step may leave before a fresh Hessian is the better buy."""
    return math.exp(-HESSIAN_GAIN / (1 + PASSES_PER_COLUMN * size))


class Pairs:
    """Steps, and how much the data's part of the gradient changed over each."""

    def __init__(self) -> None:
        self._steps: list[Array] = []
        self._changes: list[Array] = []

    def learn(self, step: Array, turn: Array, ridge: float) -> None:
        """`turn` is the change of the whole gradient; what bends the wrong way in rounding is passed over."""
        change = turn - ridge * step
        if float(change @ step) > 0:
            self._steps = [*self._steps, step][-PAIRS:]
            self._changes = [*self._changes, change][-PAIRS:]

    def divided(self, ridge: float, gradient: Array, divide: Callable[[Array], Array]) -> Array:
        """The inverse of the corrected Hessian times the gradient: the two loops of limited-memory BFGS."""
        bends = [change + ridge * step for step, change in zip(self._steps, self._changes, strict=True)]
        rest, lengths = gradient.copy(), []
        for step, bend in zip(reversed(self._steps), reversed(bends), strict=True):
            length = float(step @ rest) / float(step @ bend)
            rest -= length * bend
            lengths.append(length)
        found = divide(rest)
        for step, bend, length in zip(self._steps, bends, reversed(lengths), strict=True):
            found = found + (length - float(bend @ found) / float(step @ bend)) * step
        return found


class Chord:
    """A direction for `descend`: hand the same one to related problems, on the same records, one after the other."""

    def __init__(self) -> None:
        self._curvature: Array | None = None
        self._pairs = Pairs()
        self._factor: Any = None
        self._factor_for = math.nan
        self._before: tuple[Objective, Array, Array] | None = None

    def __call__(self, objective: Objective, w: Array, gradient: Array) -> Array:
        if self._curvature is None or self._slow(objective, w, gradient):
            self.learn(objective, w)
        self._before = (objective, w, gradient)
        ridge = objective.strong_convexity
        try:
            factor = self._factored(ridge)
        except np.linalg.LinAlgError:
            self._curvature = None
            return -gradient / objective.smoothness
        return -self._pairs.divided(
            ridge, gradient, lambda rest: np.asarray(cho_solve(factor, rest, check_finite=False))
        )

    def _slow(self, objective: Objective, w: Array, gradient: Array) -> bool:
        """Learn from the last step, and say whether it brought too little for what a pass costs."""
        if self._before is None or self._before[0] is not objective:
            return False
        _, there, its_gradient = self._before
        self._pairs.learn(w - there, gradient - its_gradient, objective.strong_convexity)
        allowed = enough_for_a_pass(objective.size) * float(np.linalg.norm(its_gradient))
        return float(np.linalg.norm(gradient)) > allowed

    def learn(self, objective: Objective, w: Array) -> None:
        """The Hessian there, from all of its records."""
        self.keep(objective, objective.hessian(w))

    def keep(self, objective: Objective, curvature: Array) -> None:
        """Its Hessian, which is changed."""
        curvature[np.diag_indices(objective.size)] -= objective.strong_convexity
        self._curvature, self._pairs, self._factor_for = curvature, Pairs(), math.nan
        self._before = None  # nor are its records held any longer

    def _factored(self, ridge: float) -> Any:
        if self._factor_for != ridge and self._curvature is not None:
            matrix = self._curvature.copy()
            matrix[np.diag_indices(len(matrix))] += ridge
            self._factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
            self._factor_for = ridge
        return self._factor


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser over the ball, within `radius`; or NotCertified."""
    return solve_within(objective, radius, ball, Chord())
