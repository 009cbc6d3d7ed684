"""One pass of projected gradient steps over the rows, in their order: the average of the iterates."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from equipoise.inside.design.contract import Array, Design
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.theory.losses import Loss

BLOCK_ENTRIES = 2**22
"""Written out at once: thirty-two megabytes."""


def one_pass(records: Private[Records], loss: Loss, step_size: float, ball: float) -> Private[Array]:
    """(w₁ + … + w_n)/n with w₁ = 0 and w_{t+1} the projection of w_t − η∇loss_t(w_t).  One score per row only."""
    return records.map(lambda inner: _average(inner, loss, step_size, ball))


def _average(records: Records, loss: Loss, step_size: float, ball: float) -> Array:
    w, total = np.zeros(records.design.columns), np.zeros(records.design.columns)
    labels = records.labels
    for place, row in enumerate(_rows(records.design)):
        total += w
        score = np.array([row @ w])
        w = w - (step_size * float(loss.slope(score, labels[place : place + 1])[0])) * row
        square = float(w @ w)
        if square > ball * ball:
            w *= ball / math.sqrt(square)
    return total / records.design.rows


def _rows(design: Design) -> Iterator[Array]:
    """Every row in doubles, the constant column included, from whatever storage."""
    height = max(1, min(64, BLOCK_ENTRIES // design.columns))
    for start in range(0, design.rows, height):
        part = np.arange(start, min(start + height, design.rows))
        yield from np.ascontiguousarray(design.take(part).rmatvec(np.eye(len(part))).T)
