"""The absolute loss without smoothing: the method of multipliers, certified by the duality gap.

As for the hinge (dual.py): each stage cushions the kink around the current dual point, one number in [−1, 1] per
row, and the cushion's slopes are the next dual point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import MechanismRefused
from equipoise.inside.certificate import NORM_SLACK, Certificate, margin_rounding, norm_above
from equipoise.inside.design.contract import Array
from equipoise.inside.objective import MARGIN, UNIT, Objective
from equipoise.inside.solvers.descent import Place, descend
from equipoise.inside.solvers.dual import MOST_STAGES, SHARPER, SHARPEST, flat_enough, step
from equipoise.inside.solvers.solution import Solution, certified
from equipoise.theory.losses import LossFacts

HIGHEST = 1e8
"""Sharpness up to which a stage that rounding kept from being flat is still worth climbing from."""


@dataclass(frozen=True, eq=False, repr=False)
class Cushion:
    """max over β in [−1, 1] of β(score − label) − (β − dual)²/(2·sharpness), one dual number per row."""

    dual: Array
    sharpness: float
    name: str = "cushion"
    outputs: int = 1
    smooth: bool = True

    def facts(self, reach: float) -> LossFacts:
        bend = self.sharpness
        return LossFacts(slope=1.0, diameter=2.0, curvature=bend, trace=bend, rank=1)

    def pull(self, start: float) -> float:
        return 1.0 + start + 1 / self.sharpness

    def pushed(self, score: Array, label: Array) -> Array:
        """The maximising β: the next dual point."""
        return np.clip(self.dual + self.sharpness * (score - label), -1.0, 1.0)

    def value(self, score: Array, label: Array) -> Array:
        beta = self.pushed(score, label)
        return beta * (score - label) - (beta - self.dual) ** 2 / (2 * self.sharpness)

    def slope(self, score: Array, label: Array) -> Array:
        return self.pushed(score, label)

    def curvature(self, score: Array, label: Array) -> Array:
        beta = self.dual + self.sharpness * (score - label)
        return np.where(np.abs(beta) < 1, self.sharpness, 0.0)


def solve(objective: Objective, radius: float, ball: float = math.inf) -> Solution:
    """The minimiser, within `radius`; or NotCertified.  No ball: project what is released instead."""
    if math.isfinite(ball):
        raise MechanismRefused(f"coef_norm={ball!r}: the absolute loss is minimised without a ball, leave it infinite")
    labels, w = objective.records.labels, objective.centre
    cushion, ceiling = Cushion(np.zeros(labels.shape), 1.0), HIGHEST
    best = certify(objective, cushion.dual)
    aim = best[1].distance
    for _ in range(MOST_STAGES):
        if best[1].distance <= radius:
            break
        stage = replace(objective, loss=cushion)
        aim = max(radius, min(aim, best[1].distance) / SHARPER)
        flat, noise = flat_enough(stage, aim), stage.rounding(w) / MARGIN
        end = descend(stage, _either(flat, noise), step, w)
        w, dual = end.w, cushion.pushed(stage.scores(end.w), labels)
        best = min(best, certify(objective, dual), key=lambda pair: pair[1].distance)
        sharper, ceiling = _next_sharpness(cushion.sharpness, flat(end), end.steepness <= noise, ceiling)
        cushion = Cushion(dual, sharper)
    return certified(*best, radius)


def _either(flat: Callable[[Place], bool], noise: float) -> Callable[[Place], bool]:
    """A stage ends when it is flat enough, or as flat as rounding allows."""
    return lambda here: here.steepness <= noise or flat(here)


def _next_sharpness(now: float, flat: bool, nearly: bool, ceiling: float) -> tuple[float, float]:
    """Sharper after a good stage, and after a noisy one too until the ceiling, which then comes down.

    Where many residuals are exactly zero, only sharp cushions move the dual point far, and only blunt ones leave little
    noise in it: climb first, then come down.
    """
    if flat:
        return min(SHARPEST, now * SHARPER), ceiling
    if nearly and now < ceiling:
        return now * SHARPER, ceiling
    return now / SHARPER, ceiling / SHARPER if now >= ceiling else ceiling


def certify(objective: Objective, dual: Array) -> tuple[Array, Certificate]:
    """The dual point's own w(dual) = w₀ − (tilt + Σ dual·x/divisor)/α, and √(gap/α) from the minimiser.

    The gap is Σ(|r| − dual·r)/divisor over the residuals r: terms that are never negative, so nothing cancels.  Each
    is taken at its worst over the rounding of its residual.
    """
    alpha, design, labels = objective.penalty.alpha, objective.records.design, objective.records.labels
    tilt = np.zeros(objective.size) if objective.tilt is None else objective.tilt
    pulled = design.rmatvec(dual) / objective.divisor
    w = objective.centre - (pulled + tilt) / alpha
    data = (design.column_depth + 16) * objective.records.longest_row * design.rows / objective.divisor
    rest = float(np.linalg.norm(objective.centre)) + float(np.linalg.norm(w)) + float(np.linalg.norm(tilt)) / alpha
    offset = MARGIN * UNIT * (data / alpha + 16 * rest)
    wobble = margin_rounding(design.row_depth, objective.records.longest_row * norm_above(w))
    residual = design.matvec(w) - labels
    terms = np.maximum((1 - dual) * (residual + wobble), (1 + dual) * (wobble - residual))
    gap = float(np.sum(np.maximum(terms, 0.0))) * NORM_SLACK / objective.divisor
    distance = math.sqrt(gap / alpha) + offset
    return w, Certificate(math.inf if math.isnan(distance) else distance, "duality gap")
