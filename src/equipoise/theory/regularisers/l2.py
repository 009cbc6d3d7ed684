"""(α/2)‖w − w₀‖²: the ridge, and optionally the public model it shrinks towards."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise._checks import moderate
from equipoise.errors import InvalidInput
from equipoise.theory.regularisers.contract import Vector
from equipoise.theory.rounding import FORMULA, up


@dataclass(frozen=True, slots=True)
class L2:
    """`alpha`-strongly convex.  `centre` is a published model: fixed before looking, or it is a leak."""

    alpha: float
    centre: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        moderate(2, alpha=self.alpha)
        if self.centre is not None and not np.all(np.isfinite(self.centre)):
            raise InvalidInput("centre: every coefficient must be finite")

    @property
    def strong_convexity(self) -> float:
        return self.alpha

    @property
    def centre_norm(self) -> float:
        """‖w₀‖, rounded up."""
        return 0.0 if self.centre is None else up(float(np.linalg.norm(self.centre)), FORMULA)

    def offset(self, w: Vector) -> Vector:
        """w − w₀."""
        return w if self.centre is None else w - np.asarray(self.centre)

    def value(self, w: Vector) -> float:
        offset = self.offset(w)
        return 0.5 * self.alpha * float(offset @ offset)

    def gradient(self, w: Vector) -> Vector:
        return self.alpha * self.offset(w)

    @property
    def bend(self) -> float:
        return 0.0

    def bent(self, w: Vector) -> Vector:
        return np.zeros_like(w)

    def steepness(self, norm: float, size: int) -> float:
        return self.alpha * (norm + self.centre_norm)

    def constants(self) -> dict[str, float]:
        return {"alpha": self.alpha}

    def of_strength(self, strong_convexity: float) -> L2:
        return replace(self, alpha=strong_convexity)
