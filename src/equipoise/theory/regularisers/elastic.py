"""(α/2)‖w‖² + λ·Σ|w_j|, the corner of each |w_j| rounded: the elastic net.

The corner is rounded over ±ω when the plan is made (docs/proofs/certificates.md, section 7), so that every solver and
every certificate of the ridge serves it.  ω is a part of what one record can move a minimiser: what noise hides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from equipoise._checks import moderate, not_negative
from equipoise.theory.regularisers.contract import Vector

CORNER_ROWS = 2**17
"""The corner is as wide as for so many records where there are more: narrower ones cost the solver digits."""


@dataclass(frozen=True, slots=True)
class Elastic:
    """`alpha`-strongly convex.  λ = `ratio`·α and ω = `corner`/α, so that a change of strength keeps their meaning."""

    alpha: float
    ratio: float
    corner: float
    spared: bool = False
    """Whether the last coefficient, the constant column's, is left out of the L1 part."""

    def __post_init__(self) -> None:
        moderate(2, alpha=self.alpha)
        moderate(2, corner=self.corner)
        if not_negative(ratio=self.ratio) > 0:
            moderate(ratio=self.ratio)

    @classmethod
    def of(cls, alpha: float, ratio: float, row_norm: float, n: int, *, spared: bool) -> Elastic:
        """For n records of this norm: the corner is half of B/(αn), a fraction of the sensitivity."""
        return cls(alpha, ratio, row_norm / (2 * min(n, CORNER_ROWS)), spared)

    @property
    def l1(self) -> float:
        """λ, the weight of ‖w‖₁."""
        return self.ratio * self.alpha

    @property
    def width(self) -> float:
        """ω, the half-width of the rounded corner."""
        return self.corner / self.alpha

    @property
    def strong_convexity(self) -> float:
        return self.alpha

    @property
    def centre(self) -> None:
        return None

    @property
    def centre_norm(self) -> float:
        return 0.0

    def _weights(self, w: Vector) -> Vector:
        weights = np.full(w.shape, self.l1)
        if self.spared:
            weights[-1] = 0.0
        return weights

    def value(self, w: Vector) -> float:
        size = np.abs(w)
        near = np.minimum(size, self.width)
        rounded = near * near / (2 * self.width) + (size - near)
        return 0.5 * self.alpha * float(w @ w) + float(self._weights(w) @ rounded)

    def gradient(self, w: Vector) -> Vector:
        return self.alpha * w + self._weights(w) * np.clip(w / self.width, -1.0, 1.0)

    @property
    def bend(self) -> float:
        return self.l1 / self.width

    def bent(self, w: Vector) -> Vector:
        return np.where(np.abs(w) < self.width, self._weights(w) / self.width, 0.0)

    def steepness(self, norm: float, size: int) -> float:
        return self.alpha * norm + self.l1 * math.sqrt(size)

    def constants(self) -> dict[str, float]:
        return {"alpha": self.alpha, "l1": self.l1, "l1 corner": self.width}

    def of_strength(self, strong_convexity: float) -> Elastic:
        return replace(self, alpha=strong_convexity)
