"""The hinge loss without smoothing: the method of multipliers, certified by the duality gap.

Each stage minimises the hinge with its corner cushioned around the current dual point, a smooth problem for
Newton's method; the cushion's slopes are the next dual point.  The problem is piecewise quadratic, so a few
stages with sharper and sharper cushions reach the solution to rounding.  Each stage's certificate settles on which
side of the corner most rows are; the next stage works on the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from equipoise.errors import MechanismRefused
from equipoise.inside.certificate import Certificate, hinge_gap
from equipoise.inside.design.contract import Array, Rows
from equipoise.inside.objective import MARGIN, UNIT, Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import newton, rows_newton, truncated_newton
from equipoise.inside.solvers.descent import Place, descend
from equipoise.inside.solvers.solution import Solution, certified
from equipoise.theory.losses import LossFacts

MOST_STAGES = 60
SHARPER = 4.0
SHARPEST = 1e10
WARM = 64.0
"""Sharpness of the first cushion around a start that is thought to be near."""
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
        return LossFacts(slope=1.0, diameter=2.0, curvature=self.sharpness, trace=self.sharpness, rank=1)

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


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """The problem on the rows whose side of the corner is still open; the others' slopes are in its tilt."""

    objective: Objective
    dual: Array
    """Of every row of the table; only those in `rows` may still change."""
    rows: Rows

    def joined(self, dual: Array) -> Array:
        """The dual point of the whole table."""
        whole = self.dual.copy()
        whole[self.rows] = dual
        return whole


@dataclass(frozen=True, eq=False, repr=False)
class Certified:
    """A dual point's own w, how far that is from the minimiser at most, and the scores that say so."""

    point: Array
    certificate: Certificate
    dual: Array
    scores: Array


def solve(objective: Objective, radius: float, ball: float = math.inf, start: Array | None = None) -> Solution:
    """The minimiser, within `radius`; or NotCertified.  No ball: project what is released instead."""
    if math.isfinite(ball):
        raise MechanismRefused(f"coef_norm={ball!r}: the hinge is minimised without a ball, leave it infinite")
    found = approach(objective, radius, start)
    return certified(found.point, found.certificate, radius)


def approach(objective: Objective, radius: float, start: Array | None = None) -> Certified:
    """The best point that the stages reach; they stop at `radius`, which the caller must compare."""
    w = objective.centre if start is None else start
    cushion = _first_cushion(objective, start)
    part = Part(objective, cushion.dual, np.arange(len(cushion.dual)))
    best = certify(objective, cushion.dual)
    aim = best.certificate.distance
    for _ in range(MOST_STAGES):
        if best.certificate.distance <= radius:
            break
        stage = replace(part.objective, loss=cushion)
        aim = max(radius, min(aim, best.certificate.distance) / SHARPER)
        flat = flat_enough(stage, aim)
        end = descend(stage, flat, step, w)
        dual = cushion.pushed(stage.scores(end.w), stage.records.labels)
        # Rows left out were proved to be settled, but only the gap of the whole table is believed.
        w, found = end.w, certify(part.objective, dual)
        distance = found.certificate.distance
        if distance <= radius or len(part.rows) == len(part.dual):
            best = min(best, certify(objective, part.joined(dual)), key=lambda one: one.certificate.distance)
        sharper = min(SHARPEST, cushion.sharpness * (SHARPER if flat(end) else 1 / SHARPER))
        if distance <= radius < best.certificate.distance:
            part = Part(objective, part.joined(dual), np.arange(len(part.dual)))
        else:
            aim = min(aim, distance)
            part = narrowed(objective, part, found)
        cushion = Cushion(part.dual[part.rows], sharper)
    return best


def _first_cushion(objective: Objective, start: Array | None) -> Cushion:
    """Around the middle; with a start, around the dual point that it suggests and sharper already."""
    if start is None:
        return Cushion(np.full(objective.records.labels.shape, 0.5), 1.0)
    around = Cushion(np.full(objective.records.labels.shape, 0.5), WARM)
    return Cushion(around.pushed(objective.scores(start), objective.records.labels), WARM)


def narrowed(objective: Objective, part: Part, found: Certified) -> Part:
    """Leave out rows that no point within the certificate's distance could bring to the corner."""
    joined = part.joined(found.dual)
    short = 1 - part.objective.records.labels * found.scores
    near = np.abs(short) <= found.certificate.distance * objective.records.longest_row * (1 + 1e-6)
    if np.count_nonzero(near) > len(near) / 2:
        return replace(part, dual=joined)
    joined[part.rows[~near]] = np.where(short[~near] > 0, 1.0, 0.0)
    return kept_open(objective, joined, part.rows[near])


def kept_open(objective: Objective, dual: Array, rows: Rows) -> Part:
    """The problem on these rows, all others settled at their dual numbers."""
    settled = dual.copy()
    settled[rows] = 0.0
    labels, design = objective.records.labels, objective.records.design
    push = -design.rmatvec(settled * labels) / objective.divisor
    tilt = push if objective.tilt is None else objective.tilt + push
    records = Records(design.take(rows), labels[rows])
    return Part(replace(objective, records=records, tilt=tilt), dual, rows)


def flat_enough(stage: Objective, distance: float) -> Callable[[Place], bool]:
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


def certify(objective: Objective, dual: Array) -> Certified:
    """The dual point's own w(dual) = w₀ − tilt/α + Σ dual·y·x/(α·divisor), and its gap."""
    alpha, design, labels = objective.penalty.alpha, objective.records.design, objective.records.labels
    tilt = np.zeros(objective.size) if objective.tilt is None else objective.tilt
    pulled = design.rmatvec(dual * labels) / objective.divisor
    w = objective.centre + (pulled - tilt) / alpha
    data = (design.column_depth + 16) * objective.records.longest_row * design.rows / objective.divisor
    rest = float(np.linalg.norm(objective.centre)) + float(np.linalg.norm(w)) + float(np.linalg.norm(tilt)) / alpha
    offset = MARGIN * UNIT * (data / alpha + 16 * rest)
    scores = design.matvec(w)
    return Certified(w, hinge_gap(objective, w, dual, labels * scores, offset), dual, scores)
