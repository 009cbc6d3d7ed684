"""λ·Σ|w_j|^p, 1 < p ≤ 2, with a bound on its curvature: bridge regression.

The true curvature, λp(p−1)|w|^(p−2), has no bound at zero and falls to zero far away.  A parabola stands in for it
below a corner ω, and beyond a reach r that no minimiser leaves, so that what is minimised is strongly convex everywhere
and every solver and certificate of the ridge serves it (docs/proofs/certificates.md, section 8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from equipoise._checks import moderate, number, shown
from equipoise.errors import InvalidInput
from equipoise.theory.regularisers.contract import Vector
from equipoise.theory.regularisers.elastic import CORNER_ROWS


@dataclass(frozen=True, slots=True)
class Bridge:
    """`alpha`-strongly convex: the least curvature there is, that at the reach.  ω = `corner`/α."""

    alpha: float
    power: float
    corner: float
    start: float = 1.0
    """ℓ₀: the largest loss of a record where all coefficients are zero."""
    spared: bool = False
    """Whether the last coefficient, the constant column's, has a ridge alone."""

    def __post_init__(self) -> None:
        moderate(2, alpha=self.alpha)
        moderate(2, corner=self.corner)
        moderate(start=self.start)
        if not 1 < number(power=self.power) <= 2:
            raise InvalidInput(
                f"power={shown(self.power)}: must be above 1 and at most 2; at 1, the lasso, one record moves it at"
                " will"
            )

    @classmethod
    def of(cls, alpha: float, power: float, row_norm: float, n: int, *, spared: bool) -> Bridge:
        """For n records of this norm: the corner is half of B/(αn), a fraction of the sensitivity."""
        return cls(alpha, power, row_norm / (2 * min(n, CORNER_ROWS)), spared=spared)

    @property
    def reach(self) -> float:
        """r = √(p(p−1)ℓ₀/α), which is (ℓ₀/λ)^(1/p)."""
        return math.sqrt(self.power * (self.power - 1) * self.start / self.alpha)

    @property
    def weight(self) -> float:
        """λ."""
        return self.alpha * math.pow(self.reach, 2 - self.power) / (self.power * (self.power - 1))

    @property
    def width(self) -> float:
        """ω, at most half the reach."""
        return min(self.corner / self.alpha, self.reach / 2)

    @property
    def strong_convexity(self) -> float:
        return self.alpha

    @property
    def centre(self) -> None:
        return None

    @property
    def centre_norm(self) -> float:
        return 0.0

    def _slope(self, size: Vector) -> Vector:
        """h′ at sizes ≥ 0: a line up to ω, the power's own slope to r, a line beyond."""
        near, far, rises = self.width, self.reach, self.power - 1
        held = np.clip(size, near, far)
        inner = np.minimum(size / near, 1.0)
        return self.alpha * (inner * (far / held) ** -rises * (far / rises) + np.maximum(size - far, 0.0))

    def value(self, w: Vector) -> float:
        p, near, far, size = self.power, self.width, self.reach, np.abs(w)
        held, beyond = np.clip(size, near, far), np.maximum(size - far, 0.0)
        at_corner, at_reach = self._slope(np.array([near, far]))
        each = at_corner * np.minimum(size, near) ** 2 / (2 * near) + self.weight * (held**p - near**p)
        each += beyond * (at_reach + self.alpha * beyond / 2)
        if self.spared:
            each[-1] = self.alpha * size[-1] ** 2 / 2
        return float(np.sum(each))

    def gradient(self, w: Vector) -> Vector:
        slopes = np.asarray(np.copysign(self._slope(np.abs(w)), w))
        if self.spared:
            slopes[-1] = self.alpha * w[-1]
        return slopes

    @property
    def bend(self) -> float:
        """At the corner: 1/(p − 1) times the power's own curvature there."""
        return self.alpha * math.expm1((2 - self.power) * math.log(self.reach / self.width) - math.log(self.power - 1))

    def bent(self, w: Vector) -> Vector:
        size = np.abs(w)
        own = self.alpha * np.expm1((2 - self.power) * np.log(self.reach / np.clip(size, self.width, self.reach)))
        more = np.where(size < self.width, self.bend, own)
        if self.spared:
            more[-1] = 0.0
        return np.asarray(more)

    def steepness(self, norm: float, size: int) -> float:
        return math.sqrt(size) * float(self._slope(np.array([norm]))[0])

    def constants(self) -> dict[str, float]:
        return {"alpha": self.alpha, "power": self.power, "power weight": self.weight, "power corner": self.width}

    def of_strength(self, strong_convexity: float) -> Bridge:
        return replace(self, alpha=strong_convexity)
