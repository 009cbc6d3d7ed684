"""Joint multinomial logistic loss for K classes; the label is the class's index.

Adding the same vector to every class's coefficients changes no prediction and the ridge forbids it, so the
minimiser lives where the K coefficient rows sum to zero.  Scores are coordinates in an orthonormal basis of that
space: K − 1 per row.  Norms, sensitivities and noise are those of the K × d matrix, in (K − 1)·d dimensions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.linalg import helmert

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.logistic import lambert_exp
from equipoise.theory.losses.traits import CAPS, OF_CLASSES, Coding, Link, Traits
from equipoise.theory.rounding import ONE_STEP, up


@lru_cache
def zero_sum_basis(classes: int) -> Array:
    """(K − 1) × K, orthonormal rows, each summing to zero."""
    basis: Array = np.asarray(helmert(classes), dtype=float)
    basis.setflags(write=False)
    return basis


def missing(classes: int, reach: float) -> float:
    """The largest probability that the true class can lack."""
    others = classes - 1
    return up(others / (others + math.exp(-math.sqrt(2) * reach)), ONE_STEP)


def steepest(classes: int, reach: float, lacking: float) -> float:
    """‖p − e_y‖ where the true class lacks at most this: √2 of it, and less where the others still share it."""
    alone = 1 / (1 + (classes - 2) * math.exp(-math.sqrt(2) * reach))
    return up(lacking * math.sqrt(1 + alone))


def exponentials(logits: Array) -> tuple[Array, Array]:
    """Of (K, n) logits, class after class: e to the power of each less the largest of its column, and the largest.

    Sums over few classes are quickest along whole rows of memory.
    """
    top = logits.max(axis=0)
    return np.exp(logits - top), top


@dataclass(frozen=True, slots=True)
class Softmax:
    """‖slope‖ ≤ √2·q with q the largest probability missing from the true class; curvature ≤ ½."""

    classes: int
    name: ClassVar[str] = "softmax"
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean multinomial logistic loss", Coding.PLACES, Link.SOFTMAX, OF_CLASSES, ObjectiveLaw.SOFTMAX
    )

    @property
    def outputs(self) -> int:
        return self.classes - 1

    def stand_in(self) -> Softmax:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        from equipoise.theory.losses.capped_softmax import CappedSoftmax  # which are made of this one's parts
        from equipoise.theory.losses.clipped_softmax import ClippedSoftmax

        return tuple(kind(self.classes, cap) for kind in (ClippedSoftmax, CappedSoftmax) for cap in CAPS)

    def facts(self, reach: float) -> LossFacts:
        slope = steepest(self.classes, reach, missing(self.classes, reach))
        return LossFacts(slope, 2 * slope, curvature=0.5, trace=1 - 1 / self.classes, rank=self.classes - 1)

    def pull(self, start: float) -> float:
        return lambert_exp(math.sqrt(2) * start - 1 + math.log(self.classes - 1))

    def logits(self, score: Array) -> Array:
        """(n, K): one number per class, summing to zero."""
        return self.by_class(score).T

    def by_class(self, score: Array) -> Array:
        """(K, n): the same."""
        return np.asarray(zero_sum_basis(self.classes).T @ np.reshape(score, (-1, self.outputs)).T)

    def _chances(self, score: Array) -> Array:
        """(K, n)."""
        each, _ = exponentials(self.by_class(score))
        each /= each.sum(axis=0)
        return each

    def value(self, score: Array, label: Array) -> Array:
        logits = self.by_class(score)
        each, top = exponentials(logits)
        own = logits[label.astype(np.intp), np.arange(logits.shape[1])]
        return np.asarray(top + np.log(each.sum(axis=0)) - own, dtype=float)

    def slope(self, score: Array, label: Array) -> Array:
        residual = self._chances(score)
        residual[label.astype(np.intp), np.arange(residual.shape[1])] -= 1
        return np.reshape(residual.T @ zero_sum_basis(self.classes).T, np.shape(score))

    def curvature(self, score: Array, label: Array) -> Array:
        """(n, K−1, K−1): Q(diag p − ppᵀ)Qᵀ; for two classes (n,)."""
        basis, p = zero_sum_basis(self.classes), self._chances(score).T
        turned = p @ basis.T
        full = np.einsum("aj,nj,bj->nab", basis, p, basis) - turned[:, :, None] * turned[:, None, :]
        return full if np.ndim(score) == 2 else np.reshape(full, -1)
