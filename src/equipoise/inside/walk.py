"""Gradient steps over the records, a batch at a time, in an order that was drawn without them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.design.masked import masked
from equipoise.inside.objective import pull_back, scores
from equipoise.inside.parted import in_pairs
from equipoise.inside.private import Private
from equipoise.inside.records import Records, Shuffle
from equipoise.inside.sums import Gradient
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Penalty
from equipoise.theory.stability.descents import Walk
from equipoise.theory.stability.momentum import Swing

Masks = npt.NDArray[np.bool_]
"""One row for each step, one column for each feature but the constant."""

TOLD = 64
"""After so many steps whoever shows a walk's progress hears of it."""


def walked(
    records: Private[Records], facts: Facts, walk: Walk, shuffle: Shuffle, masks: Masks | None = None
) -> Private[Array]:
    """The last point, or the mean of all points after a step.  Every batch is divided by the same number."""
    return records.map(lambda inner: _walked(inner.in_full(), facts, walk, shuffle, masks))


def pieces(records: Records, walk: Walk, shuffle: Shuffle) -> Iterator[tuple[Records, bool]]:
    """All passes, batch after batch, a batch in as many pieces as the parts it lies in; and whether one ends its batch.

    Records that are left when no whole batch is are not used, but read: what is read is read to its end and checked.
    """
    for _ in range(walk.passes):
        left, missing = walk.used, walk.batch
        for part, order in records.visited(shuffle):
            at = 0
            while left and at < len(order):
                rows = order[at : at + missing]
                at, left, missing = at + len(rows), left - len(rows), missing - len(rows)
                yield part.take(rows), not missing
                missing = missing or walk.batch


def _walked(records: Records, facts: Facts, walk: Walk, shuffle: Shuffle, masks: Masks | None) -> Array:
    loss, penalty, ball = facts.loss, facts.penalty, facts.ball
    w = np.zeros(loss.outputs * records.design.columns)
    if penalty.centre is not None:
        w += np.asarray(penalty.centre)
    total, sums, step = np.zeros_like(w), list[Array](), 0
    with np.errstate(all="ignore"):
        for piece, ends in pieces(records, walk, shuffle):
            mask = None if masks is None else masks[step]
            sums.append(piece.summed(Slopes(loss, w, walk, facts.bounds.row_norm, mask)))
            if not ends:
                continue
            pulled, sums, step = in_pairs(sums), [], step + 1
            assert pulled is not None
            w = w - walk.length(step) * (pulled / walk.batch + penalty.gradient(w))
            length = math.sqrt(float(w @ w))
            w = w if length <= ball else w * (ball / length)
            if walk.average:
                total += w
            if step % TOLD == 0 or step == walk.steps:
                records.told(step, walk.steps)
    return total / walk.steps if walk.average else w


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slopes:
    """Σ ∇loss at w over the records of a batch, slopes clipped, flat; of what the step's mask leaves of the rows."""

    loss: Loss
    w: Array
    walk: Walk
    row_norm: float
    mask: npt.NDArray[np.bool_] | None

    def __call__(self, piece: Records) -> Array:
        cap = self.walk.slope_cap
        seen = piece if self.mask is None else self._masked(piece, self.mask)
        slopes = self.loss.slope(scores(self.loss, seen, self.w), seen.labels)
        return pull_back(seen, 1.0, slopes if cap == math.inf else np.clip(slopes, -cap, cap))

    def _masked(self, piece: Records, mask: npt.NDArray[np.bool_]) -> Records:
        """Clipped anew."""
        keep = self.walk.keep
        return Records(masked(piece.design, mask, keep * self.row_norm, keep), piece.labels)


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
            slope = records.summed(Gradient(loss, point)) / divisor + penalty.gradient(point)
            before, now = now, ahead - swing.step * slope
    return now
