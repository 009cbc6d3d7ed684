"""How well released models do on private records: losses that one record can move only so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.exact_sums import exactly, in_limbs
from equipoise.inside.parted import Parted
from equipoise.inside.private import Private
from equipoise.inside.records import Records

RecordLoss = Callable[[Array, Array], Array]
"""From scores and labels to one number per record."""


def mean_losses(records: Private[Records], loss: RecordLoss, models: Sequence[Array], cap: float) -> Private[Array]:
    """The mean loss of each flat coefficient vector, every record's loss clipped to [0, cap].

    Replacing one record moves each mean by at most cap/n, whatever the models, plus rounding of 2⁻⁵¹·cap.
    """
    return records.map(lambda inner: np.array(losses_in(inner, loss, models, cap)))


def as_scores(losses: Private[Array]) -> Private[Array]:
    """Selection prefers high scores."""
    return losses.map(np.negative)


def losses_in(records: Records, loss: RecordLoss, models: Sequence[Array], cap: float) -> list[float]:
    """The mean loss of each model, within `Private.map` only.  Every sum is rounded once, so its error does not grow
    with n; over records in parts it is exact, and asked for all models at once."""
    if not isinstance(records, Parted):
        return [mean_loss(records, loss, w, cap) for w in models]
    sums = records.summed(Losses(loss, np.array(models), cap))
    return [float(exactly(each) * Fraction(cap) / records.design.rows) for each in sums]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Losses:
    """Σ loss/cap of each model, clipped to [0, 1], in whole numbers: one row for each model."""

    loss: RecordLoss
    models: Array
    cap: float

    def __call__(self, part: Records) -> Array:
        return np.array([in_limbs(_clipped(part, self.loss, w, self.cap) / self.cap) for w in self.models])


def mean_loss(records: Records, loss: RecordLoss, w: Array, cap: float) -> float:
    """For one model and records in memory."""
    clipped = _clipped(records, loss, w, cap)
    return math.fsum(clipped.tolist()) / len(clipped)


def _clipped(records: Records, loss: RecordLoss, w: Array, cap: float) -> Array:
    """For each record."""
    columns = records.design.columns
    weights = w if w.size == columns else w.reshape(-1, columns).T
    with np.errstate(over="ignore", invalid="ignore"):
        each = loss(records.design.matvec(weights), records.labels)
    clipped = np.clip(np.nan_to_num(each, nan=cap, posinf=cap), 0.0, cap)
    return np.asarray(clipped)
