"""The hinge loss without smoothing: the method of multipliers, certified by the duality gap.

Each stage minimises the hinge with its corner cushioned around the current dual point, a smooth problem for
Newton's method; the cushion's slopes are the next dual point.  The problem is piecewise quadratic, so a few
stages with sharper and sharper cushions reach the solution to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import MechanismRefused
from equipoise.inside.certificate import Certificate, hinge_gap
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import MARGIN, UNIT, Objective
from equipoise.inside.solvers import newton, rows_newton, truncated_newton
from equipoise.inside.solvers.descent import Place, descend
from equipoise.inside.solvers.solution import Solution, certified
from equipoise.theory.losses import LossFacts

MOST_STAGES = 60
SHARPER = 4.0
SHARPEST = 1e10
FACTORABLE = 3000


@dataclass(frozen=True, eq=False, repr=False)
class Cushion:
    """max over β in [0, 1] of β(1 − m) − (β − dual)²/(2·sharpness), one dual number per row."""

    dual: Array
    sharpness: float
    name: str = "cushion"
    outputs: int = 1
    smooth: bool = True

    def facts(self, reach: float) -> LossFacts:
        return LossFacts(
            slope=1.0, diameter=2.0, curvature=self.sharpness, trace=self.sharpness, rank=1, one_signed=True
        )

    def pull(self, start: float) -> float:
        return 1.0 + start + 1 / self.sharpness

    def pushed(self, score: Array, label: Array) -> Array:
        """The maximising β: the next dual point."""
        return np.clip(self.dual + self.sharpness * (1 - label * score), 0.0, 1.0)

    def value(self, score: Array, label: Array) -> Array:
        beta = self.pushed(score, label)
        return beta * (1 - label * score) - (beta - self.dual) ** 2 / (2 * self.sharpness)

    def slope(self, score: Array, label: Array) -> Array:
        return -label * self.pushed(score, label)

    def curvature(self, score: Array, label: Array) -> Array:
        beta = self.dual + self.sharpness * (1 - label * score)
        return np.where((beta > 0) & (beta < 1), self.sharpness, 0.0)


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser, within `radius`; or NotCertified.  No ball: project what is released instead."""
    if math.isfinite(ball):
        raise MechanismRefused(f"coef_norm={ball!r}: the hinge is minimised without a ball, leave it infinite")
    labels, w = objective.records.labels, objective.centre
    cushion = Cushion(np.full(labels.shape, 0.5), 1.0)
    best = certify(objective, cushion.dual)
    aim = best[1].distance
    for _ in range(MOST_STAGES):
        if best[1].distance <= radius:
            break
        stage = replace(objective, loss=cushion)
        aim = max(radius, min(aim, best[1].distance) / SHARPER)
        flat = _flat_enough(stage, aim)
        end = descend(stage, flat, step, w)
        w, dual = end.w, cushion.pushed(stage.scores(end.w), labels)
        best = min(best, certify(objective, dual), key=lambda pair: pair[1].distance)
        cushion = Cushion(dual, min(SHARPEST, cushion.sharpness * (SHARPER if flat(end) else 1 / SHARPER)))
    return certified(*best, radius)


def _flat_enough(stage: Objective, distance: float) -> Callable[[Place], bool]:
    """Ends a stage when what it leaves in the gap, one move of w on each curved row, suits the distance wanted."""

    def flat(here: Place) -> bool:
        curved = 1 + int(np.count_nonzero(stage.curvature(here.w)))
        alpha, longest = stage.penalty.alpha, stage.records.longest_row
        wanted = distance**2 * alpha * stage.divisor / (64 * curved * max(longest, 1e-300))
        return here.steepness <= alpha * min(wanted, distance / 4)

    return flat


def step(stage: Objective, w: Array, gradient: Array) -> Array:
    """The cheapest exact Newton step; few rows lie on the cushion once the dual point has settled."""
    curved = int(np.count_nonzero(stage.curvature(w)))
    if curved < stage.size and curved <= FACTORABLE:
        return rows_newton.step(stage, w, gradient)
    if stage.size <= FACTORABLE:
        return newton.step(stage, w, gradient)
    return truncated_newton.step(stage, w, gradient)


def certify(objective: Objective, dual: Array) -> tuple[Array, Certificate]:
    """The dual point's own w(dual) = w₀ − tilt/α + Σ dual·y·x/(α·divisor), and its gap."""
    alpha, design, labels = objective.penalty.alpha, objective.records.design, objective.records.labels
    tilt = np.zeros(objective.size) if objective.tilt is None else objective.tilt
    pulled = design.rmatvec(dual * labels) / objective.divisor
    w = objective.centre + (pulled - tilt) / alpha
    data = (design.column_depth + 16) * objective.records.longest_row * design.rows / objective.divisor
    rest = float(np.linalg.norm(objective.centre)) + float(np.linalg.norm(w)) + float(np.linalg.norm(tilt)) / alpha
    offset = MARGIN * UNIT * (data / alpha + 16 * rest)
    return w, hinge_gap(objective, w, dual, labels * design.matvec(w), offset)
