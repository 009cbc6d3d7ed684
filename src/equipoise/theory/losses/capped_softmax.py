"""Multinomial logistic loss whose slope is capped: the true class's probability counts as 1 − c at least.

The loss is the largest of ⟨p, u⟩ + entropy(p) − u_y over the probabilities p with p_y ≥ 1 − c, so it is convex, and
smooth because entropy bends everywhere.  Coordinates are those of softmax.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.capped_logistic import capped_pull, checked_cap
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.softmax import Softmax, exponentials, missing, steepest, zero_sum_basis
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits


@dataclass(frozen=True, slots=True)
class CappedSoftmax:
    """‖slope‖ ≤ √2·cap, curvature ≤ ½."""

    classes: int
    cap: float = 0.5
    name: ClassVar[str] = "capped-softmax"
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_cap(self.cap)

    @property
    def traits(self) -> Traits:
        return Traits(
            "mean multinomial logistic loss with capped slopes",
            Coding.PLACES,
            Link.CAPPED_SOFTMAX,
            replace(OF_CLASSES, curvature=OF_CLASSES.curvature * (0.25 + 0.75 * self.cap)),
            ObjectiveLaw.SOFTMAX,
            cap=self.cap,
        )

    @property
    def outputs(self) -> int:
        return self.classes - 1

    def stand_in(self) -> CappedSoftmax:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        slope = steepest(self.classes, reach, min(self.cap, missing(self.classes, reach)))
        return LossFacts(slope, 2 * slope, curvature=0.5, trace=1 - 1 / self.classes, rank=self.classes - 1)

    def pull(self, start: float) -> float:
        return capped_pull(math.sqrt(2) * start + math.log(self.classes - 1), self.cap)

    def _chances(self, logits: Array, label: Array) -> tuple[Array, npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """(K, n), the maximising p of each row; its class's place, and whether the cap holds it."""
        rows, own = np.arange(logits.shape[1]), label.astype(np.intp)
        each, _ = exponentials(logits)
        mine = each[own, rows]
        each[own, rows] = 0.0
        others = each.sum(axis=0)
        whole = others + mine
        held = np.asarray(mine < (1 - self.cap) * whole)
        each *= np.where(held, self.cap, 1.0) / np.where(held, others, whole)
        each[own, rows] = np.where(held, 1 - self.cap, mine / whole)
        return each, own, held

    def value(self, score: Array, label: Array) -> Array:
        logits = Softmax(self.classes).by_class(score)
        p, own, _ = self._chances(logits, label)
        away = logits - logits[own, np.arange(len(own))]
        logs = np.where(p > 0, np.log(np.where(p > 0, p, 1.0)), 0.0)
        away = np.where(p > 0, away, 0.0)
        return np.asarray(np.sum(p * (away - logs), axis=0), dtype=float)

    def slope(self, score: Array, label: Array) -> Array:
        p, own, _ = self._chances(Softmax(self.classes).by_class(score), label)
        p[own, np.arange(len(own))] -= 1
        return np.reshape(p.T @ zero_sum_basis(self.classes).T, np.shape(score))

    def curvature(self, score: Array, label: Array) -> Array:
        """(n, K−1, K−1): diag p − ppᵀ; where the cap holds, the others' alone, diag p − ppᵀ/c."""
        basis = zero_sum_basis(self.classes)
        by_class, own, held = self._chances(Softmax(self.classes).by_class(score), label)
        by_class[own[held], np.flatnonzero(held)] = 0.0
        p = by_class.T
        turned = p @ basis.T / np.sqrt(np.where(held, self.cap, 1.0))[:, None]
        full = np.einsum("aj,nj,bj->nab", basis, p, basis) - turned[:, :, None] * turned[:, None, :]
        return full if np.ndim(score) == 2 else np.reshape(full, -1)
