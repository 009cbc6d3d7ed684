"""What a fit asks of records in parts: sums, each a function of the records of one part that can be sent to where they
lie.  docs/proofs/certificates.md counts the additions behind them.

Every record counts once or, where records are `evened` to a norm, by the length of its row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.objective import data_gradient, data_value_and_gradient, scores
from equipoise.inside.records import Records
from equipoise.theory.evening import Evening
from equipoise.theory.losses import Loss


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gradient:
    """Σ ∇loss at w, flat."""

    loss: Loss
    w: Array
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        return data_gradient(self.loss, part, 1.0, self.w, self.evened)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueAndGradient:
    """Σ loss at w, and then Σ ∇loss: one pass for both."""

    loss: Loss
    w: Array
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        value, gradient = data_value_and_gradient(self.loss, part, 1.0, self.w, self.evened)
        return np.concatenate([[value], gradient])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hessian:
    """Σ ∇²loss at w, size × size."""

    loss: Loss
    w: Array
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        return bent(self.loss, part, scores(self.loss, part, self.w), self.evened)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GradientAndHessian:
    """Σ ∇loss at w, and below it Σ ∇²loss: one pass for both, size + 1 rows of size."""

    loss: Loss
    w: Array
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        there = scores(self.loss, part, self.w)
        gradient = pulled(part, part.counted(self.loss.slope(there, part.labels), self.evened))
        return np.concatenate([gradient[None], bent(self.loss, part, there, self.evened)])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HessianTimes:
    """Σ ∇²loss at w, times v."""

    loss: Loss
    w: Array
    v: Array
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        curvature = part.counted(self.loss.curvature(scores(self.loss, part, self.w), part.labels), self.evened)
        moved = scores(self.loss, part, self.v)
        bent = curvature * moved if self.loss.outputs == 1 else np.einsum("nab,nb->na", curvature, moved)
        return pulled(part, bent)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SlopeAlong:
    """d/dt Σ loss at w + t·step."""

    loss: Loss
    w: Array
    step: Array
    t: float
    evened: Evening | None = None

    def __call__(self, part: Records) -> Array:
        start, change = scores(self.loss, part, self.w), scores(self.loss, part, self.step)
        slopes = part.counted(self.loss.slope(start + self.t * change, part.labels), self.evened)
        return np.array([np.sum(slopes * change)])


def bent(loss: Loss, part: Records, there: Array, evened: Evening | None) -> Array:
    """Σ ∇²loss at these scores, size × size."""
    outputs, columns = loss.outputs, part.design.columns
    curvature = part.counted(loss.curvature(there, part.labels), evened).reshape(-1, outputs, outputs)
    result = np.empty((outputs, columns, outputs, columns))
    for a in range(outputs):
        for b in range(a + 1):
            result[a, :, b, :] = part.design.weighted_gram(np.ascontiguousarray(curvature[:, a, b]))
            result[b, :, a, :] = result[a, :, b, :].T
    return result.reshape(outputs * columns, outputs * columns)


def pulled(part: Records, per_score: Array) -> Array:
    """Xᵀ(per score), flat."""
    return part.design.rmatvec(per_score).T.reshape(-1)
