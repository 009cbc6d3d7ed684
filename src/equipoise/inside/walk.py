"""Gradient steps over the records, a batch at a time, in an order that was drawn without them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.design.masked import masked
from equipoise.inside.objective import data_gradient, pull_back, scores
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Penalty
from equipoise.theory.stability.descents import Walk
from equipoise.theory.stability.momentum import Swing

Order = npt.NDArray[np.intp]
Masks = npt.NDArray[np.bool_]
"""One row for each step, one column for each feature but the constant."""


def walked(
    records: Private[Records], facts: Facts, walk: Walk, order: Order, masks: Masks | None = None
) -> Private[Array]:
    """The last point, or the mean of all points after a step.  Every batch is divided by the same number."""
    return records.map(lambda inner: _walked(inner, facts, walk, order, masks))


def _walked(records: Records, facts: Facts, walk: Walk, order: Order, masks: Masks | None) -> Array:
    loss, penalty, ball = facts.loss, facts.penalty, facts.ball
    w = np.zeros(loss.outputs * records.design.columns)
    if penalty.centre is not None:
        w += np.asarray(penalty.centre)
    total, cap = np.zeros_like(w), walk.slope_cap
    with np.errstate(all="ignore"):
        for step in range(walk.steps):
            place = step % walk.per_pass * walk.batch
            rows = order[place : place + walk.batch]
            part = Records(records.design.take(rows), records.labels[rows])
            if masks is not None:
                short = walk.keep * facts.bounds.row_norm
                part = Records(masked(part.design, masks[step], short, walk.keep), part.labels)
            slopes = loss.slope(scores(loss, part, w), part.labels)
            slopes = slopes if cap == math.inf else np.clip(slopes, -cap, cap)
            w = w - walk.length(step + 1) * (pull_back(part, walk.batch, slopes) + penalty.gradient(w))
            length = math.sqrt(float(w @ w))
            w = w if length <= ball else w * (ball / length)
            if walk.average:
                total += w
    return total / walk.steps if walk.average else w


def swung(records: Private[Records], loss: Loss, penalty: Penalty, swing: Swing, divisor: int) -> Private[Array]:
    """The last point of gradient steps with momentum on all records.  No point is projected: the proof is linear."""
    return records.map(lambda inner: _swung(inner, loss, penalty, swing, divisor))


def _swung(records: Records, loss: Loss, penalty: Penalty, swing: Swing, divisor: int) -> Array:
    now = np.zeros(loss.outputs * records.design.columns)
    if penalty.centre is not None:
        now += np.asarray(penalty.centre)
    before = now
    with np.errstate(all="ignore"):
        for step in range(swing.steps):
            ahead = now + swing.kept(step) * (now - before)
            point = ahead if swing.ahead else now
            slope = data_gradient(loss, records, divisor, point) + penalty.gradient(point)
            before, now = now, ahead - swing.step * slope
    return now
