"""α·Σθ_i log θ_i over the simplex: strongly convex in the L1 norm, and so in the L2 norm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from equipoise._checks import moderate
from equipoise.theory.regularisers.contract import Vector


@dataclass(frozen=True, slots=True)
class Entropy:
    """`alpha`-strongly convex in the L1 norm (Pinsker), which is never below the L2 norm."""

    alpha: float
    centre: ClassVar[None] = None
    centre_norm: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        moderate(2, alpha=self.alpha)

    @property
    def strong_convexity(self) -> float:
        return self.alpha

    def value(self, w: Vector) -> float:
        return self.alpha * float(np.sum(xlogy(w, w)))

    def gradient(self, w: Vector) -> Vector:
        return self.alpha * (np.log(w) + 1)

    @property
    def bend(self) -> float:
        """Without bound towards the simplex's edge."""
        return math.inf

    def bent(self, w: Vector) -> Vector:
        return self.alpha / w - self.alpha

    def steepness(self, norm: float, size: int) -> float:
        """Without bound, as the curvature is."""
        return math.inf

    def constants(self) -> dict[str, float]:
        return {"entropy weight": self.alpha}

    def of_strength(self, strong_convexity: float) -> Entropy:
        return Entropy(strong_convexity)
