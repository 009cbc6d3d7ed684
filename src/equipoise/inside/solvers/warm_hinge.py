"""The hinge for one ridge after another: rows that the neighbours leave far from the corner are checked last.

The start is the best point in the span of the last minimisers.  The rows whose margins it puts nearest to the corner
are worked on, the others stay on the side where it has them; how many are near enough is learnt from how far margins
moved the last time.  Whether the others were on the right side is seen in the gap of the whole table, the only thing
that is believed: those that were not join the work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array, Rows
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import dual, newton
from equipoise.inside.solvers.descent import descend
from equipoise.inside.solvers.dual import Certified, Cushion
from equipoise.inside.solvers.solution import Solution, certified
from equipoise.theory.regularisers import L2

LOOK_BACK = 4
"""Minimisers whose span is searched for the start."""

BLUNT = 16.0
"""Sharpness of the one cushion with which that search makes do."""

DEPENDENT = 1e-6
"""A minimiser this close to the span of the others, in units of itself, adds nothing to it."""

FIRST_SHARE, SMALLEST_SHARE = 0.25, 0.02
"""Of all rows, those worked on before anything is known, and at the least."""

LARGEST_SHARE = 0.6
"""With more rows than that the whole table is worked on at once."""

SPARE = 1.5
"""How many more rows are worked on than the last ridge turned out to need."""

STRICTER = 0.75
"""The part is solved to this share of the radius: the whole table has more rounding."""

MOST_ROUNDS = 4


@dataclass(frozen=True, eq=False, repr=False)
class Start:
    """A point with its scores."""

    w: Array
    scores: Array


class Neighbours:
    """Hand the same one to related problems, on the same records, one after the other."""

    def __init__(self) -> None:
        self._known: list[Start] = []
        self._share = FIRST_SHARE

    def solve(self, objective: Objective, radius: float) -> Solution:
        """The minimiser, within `radius`; or NotCertified."""
        start = best_in_span(objective, self._known) if self._known else None
        found = None if start is None else self._check_last(objective, radius, start)
        if found is None:
            found = dual.approach(objective, radius, None if start is None else start.w)
        if found.certificate.distance > radius and start is not None:
            found = dual.approach(objective, radius)  # A bad start is no reason to refuse.
        solution = certified(found.point, found.certificate, radius)
        if start is not None:
            labels = objective.records.labels
            self._learn(1 - labels * start.scores, 1 - labels * found.scores)
        self._known = [*self._known, Start(found.point, found.scores)][-LOOK_BACK:]
        return solution

    def _check_last(self, objective: Objective, radius: float, start: Start) -> Certified | None:
        """Work on the nearest rows until none of the others objects; None where that does not pay."""
        labels = objective.records.labels
        short = 1 - labels * start.scores
        w, rows = start.w, nearest(short, self._share)
        for _ in range(MOST_ROUNDS):
            if len(rows) > LARGEST_SHARE * len(short):
                break
            part = dual.kept_open(objective, np.where(short > 0, 1.0, 0.0), rows)
            inner = dual.approach(part.objective, STRICTER * radius, w)
            found = dual.certify(objective, part.joined(inner.dual))
            now = 1 - labels * found.scores
            if found.certificate.distance <= radius:
                return found
            wrong = ~open_rows(rows, len(short)) & ((now > 0) != (short > 0))
            if not np.any(wrong):
                break
            deepest = float(np.max(np.abs(short[wrong])))
            rows = np.union1d(rows, np.flatnonzero(wrong | (np.abs(now) <= deepest / 2)))
            w, short = found.point, np.where(open_rows(rows, len(short)), short, now)
        return None

    def _learn(self, before: Array, after: Array) -> None:
        """The share of rows that were at least as near to the corner as any that crossed it."""
        crossed = (before > 0) != (after > 0)
        deepest = float(np.max(np.abs(before[crossed]), initial=0.0))
        needed = np.count_nonzero(np.abs(before) <= deepest) / max(1, len(before))
        self._share = max(SMALLEST_SHARE, SPARE * needed, self._share / 2)


def open_rows(rows: Rows, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    mask = np.zeros(count, dtype=bool)
    mask[rows] = True
    return mask


def nearest(short: Array, share: float) -> Rows:
    """The rows nearest to the corner, in their order."""
    count = min(len(short), math.ceil(share * len(short)))
    if count == len(short):
        return np.arange(len(short))
    return np.sort(np.argpartition(np.abs(short), count)[:count])


def best_in_span(objective: Objective, known: list[Start]) -> Start | None:
    """The lowest point, about, among the combinations of known ones: a problem with a handful of coefficients."""
    basis, scores = independent(known)
    if not len(basis):
        return None
    labels, tilt = objective.records.labels, objective.tilt
    small = Objective(
        Cushion(np.full(labels.shape, 0.5), BLUNT),
        L2(objective.penalty.alpha, tuple((basis @ objective.centre).tolist())),
        Records(DenseDesign(scores), labels),
        objective.divisor,
        None if tilt is None else basis @ tilt,
    )
    begin = basis @ known[-1].w
    rough = 1e-3 * float(np.linalg.norm(small.gradient(begin)))
    end = descend(small, lambda here: here.steepness <= rough, newton.step, begin)
    return Start(end.w @ basis, scores @ end.w)


def independent(known: list[Start]) -> tuple[Array, Array]:
    """Orthonormal directions (as rows) that span the known points, the latest first, and their scores (as columns)."""
    basis: list[Array] = []
    columns: list[Array] = []
    for one in reversed(known):
        w, scores, size = one.w.copy(), one.scores.copy(), float(np.linalg.norm(one.w))
        for direction, column in zip(basis, columns, strict=True):
            share = float(direction @ w)
            w -= share * direction
            scores -= share * column
        left = float(np.linalg.norm(w))
        if left > DEPENDENT * size:
            basis.append(w / left)
            columns.append(scores / left)
    return np.array(basis), np.column_stack(columns) if columns else np.empty((0, 0))
