"""Gradient steps over the records, a batch at a time, in an order that was drawn without them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import data_gradient
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.losses import Loss
from equipoise.theory.regularisers import Penalty
from equipoise.theory.stability.descents import Walk
from equipoise.theory.stability.momentum import Swing

Order = npt.NDArray[np.intp]


def walked(
    records: Private[Records], loss: Loss, penalty: Penalty, walk: Walk, order: Order, ball: float
) -> Private[Array]:
    """The last point, or the mean of all points after a step.  Every batch is divided by the same number."""
    return records.map(lambda inner: _walked(inner, loss, penalty, walk, order, ball))


def _walked(records: Records, loss: Loss, penalty: Penalty, walk: Walk, order: Order, ball: float) -> Array:
    w = np.zeros(loss.outputs * records.design.columns)
    if penalty.centre is not None:
        w += np.asarray(penalty.centre)
    total = np.zeros_like(w)
    with np.errstate(all="ignore"):
        for step in range(walk.steps):
            place = step % walk.per_pass * walk.batch
            rows = order[place : place + walk.batch]
            part = Records(records.design.take(rows), records.labels[rows])
            w = w - walk.length(step + 1) * (data_gradient(loss, part, walk.batch, w) + penalty.gradient(w))
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
