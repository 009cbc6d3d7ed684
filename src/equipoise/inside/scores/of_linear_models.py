"""How well released models do on private records: losses that one record can move only so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records

RecordLoss = Callable[[Array, Array], Array]
"""From scores and labels to one number per record."""


def mean_losses(records: Private[Records], loss: RecordLoss, models: Sequence[Array], cap: float) -> Private[Array]:
    """The mean loss of each flat coefficient vector, every record's loss clipped to [0, cap].

    Replacing one record moves each mean by at most cap/n, whatever the models, plus rounding of 2⁻⁵¹·cap.
    """
    return records.map(lambda inner: np.array([mean_loss(inner, loss, w, cap) for w in models]))


def as_scores(losses: Private[Array]) -> Private[Array]:
    """Selection prefers high scores."""
    return losses.map(np.negative)


def mean_loss(records: Records, loss: RecordLoss, w: Array, cap: float) -> float:
    """For one model, within `Private.map` only.  The sum is rounded once, so its error does not grow with n."""
    columns = records.design.columns
    weights = w if w.size == columns else w.reshape(-1, columns).T
    with np.errstate(over="ignore", invalid="ignore"):
        each = loss(records.design.matvec(weights), records.labels)
    clipped = np.clip(np.nan_to_num(each, nan=cap, posinf=cap), 0.0, cap)
    return math.fsum(clipped.tolist()) / len(clipped)
