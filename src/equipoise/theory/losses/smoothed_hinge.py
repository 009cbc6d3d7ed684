"""Huberised hinge: the hinge loss with its corner at m = 1 rounded over [1 − h, 1 + h]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise._checks import positive, shown
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits


@dataclass(frozen=True, slots=True)
class SmoothedHinge:
    """|slope| ≤ 1, 0 ≤ curvature ≤ 1/(2h); its first derivative is continuous."""

    width: float = 0.5
    name: ClassVar[str] = "smoothed-hinge"
    outputs: ClassVar[int] = 1
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean hinge loss with a rounded corner", Coding.SIGNS, Link.SIGN, OF_CLASSES, ObjectiveLaw.FIXED_SIGN
    )

    def __post_init__(self) -> None:
        if positive(width=self.width) > 1:
            raise InvalidInput(f"width={shown(self.width)}: must be <= 1")

    def stand_in(self) -> SmoothedHinge:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        """With h ≤ 1 a margin of 0 already has the full slope, so no reach helps."""
        bend = 1 / (2 * self.width)
        return LossFacts(slope=1.0, diameter=2.0, curvature=bend, trace=bend, rank=1)

    def pull(self, start: float) -> float:
        peak = (1 + self.width - start) / 2
        if peak <= 1 - self.width:
            return 1 - self.width + start
        return (1 + self.width + start) ** 2 / (8 * self.width)

    def _past_corner(self, score: Array, label: Array) -> Array:
        """How far into the rounded corner, from 0 (flat) to 1 (full slope)."""
        return np.clip((1 + self.width - label * score) / (2 * self.width), 0.0, 1.0)

    def value(self, score: Array, label: Array) -> Array:
        inside = self.width * self._past_corner(score, label) ** 2
        beyond = np.maximum(0.0, 1 - self.width - label * score)
        return inside + beyond

    def slope(self, score: Array, label: Array) -> Array:
        return -label * self._past_corner(score, label)

    def curvature(self, score: Array, label: Array) -> Array:
        return np.where(np.abs(1 - label * score) < self.width, 1 / (2 * self.width), 0.0)
