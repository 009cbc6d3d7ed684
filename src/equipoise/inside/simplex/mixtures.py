"""The mean loss of a mixture of corners, and its gradient in the weights: corners are never written out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design import Design, Matrix, as_design
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import coded_labels
from equipoise.rows.entries import EntryBound
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Facts
from equipoise.theory.simplex.corners import Corners


@dataclass(frozen=True, eq=False, repr=False)
class Mixtures:
    """Scores are `scale`·(folded weights)·row; a constant column has `entry` in every row."""

    design: Design
    labels: Array
    loss: Loss
    corners: Corners
    entry: float
    scale: float
    n: int

    def gradient(self, weights: Array) -> Array:
        """Of the mean loss, in the weights."""
        folded = self.corners.folded(weights)
        scores = self.design.matvec(folded[: self.corners.columns])
        if self.corners.constant:
            scores = scores + self.entry * folded[-1]
        slopes = self.loss.slope(self.scale * scores, self.labels)
        found = self.design.rmatvec(slopes)
        if self.corners.constant:
            found = np.append(found, self.entry * _paired_sum(slopes))
        return self.corners.unfolded(found * (self.scale / self.n))


def enter_mixtures(
    X: Matrix, y: npt.NDArray[np.generic], bounds: Bounds, facts: Facts, corners: Corners, *, ours: bool = False
) -> Private[Mixtures]:
    """Copy, clip every entry, code the labels, wrap.  A table that is `ours` is clipped in place."""
    rows = EntryBound(bounds.row_norm).brought_within(X, ours=ours)
    labels = coded_labels(np.asarray(y), bounds)
    return Private(Mixtures(as_design(rows), labels, facts.loss, corners, bounds.row_norm, facts.ball, facts.n))


def pulls(records: Private[Mixtures], weights: Array, rate: float) -> Private[Array]:
    """−rate·gradient at public weights: how strongly each corner is asked for."""
    return records.map(lambda inner: -rate * inner.gradient(weights))


def _paired_sum(slopes: Array) -> float:
    """numpy adds in pairs, as deep as the logarithm of their number."""
    return float(np.sum(slopes))
