"""Squared loss (score − label)², labels in [−Y, Y]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise._checks import positive
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.traits import OF_NUMBERS, THRESHOLDS, Coding, Link, Traits
from equipoise.theory.rounding import FORMULA, up


def mirrored_residual(reach: float, label_bound: float) -> float:
    """max over s of 2Y(rs+1)√(1−s²), r = reach/Y, rounded up: the diameter of residual·x at ‖w‖ = reach."""
    if math.isinf(reach):
        return math.inf
    r = reach / label_bound
    s = 2 * r / (1 + math.sqrt(1 + 8 * r * r))
    return up(2 * label_bound * (r * s + 1) * math.sqrt(1 - s * s), FORMULA)


@dataclass(frozen=True, slots=True)
class Squared:
    """Lipschitz only where scores are bounded: |slope| ≤ 2(reach + Y).  Curvature exactly 2."""

    label_bound: float = 1.0
    name: ClassVar[str] = "squared"
    outputs: ClassVar[int] = 1
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean squared residual", Coding.NUMBERS, Link.IDENTITY, OF_NUMBERS, ObjectiveLaw.TWO_SIGNED, quadratic=True
    )

    def __post_init__(self) -> None:
        positive(label_bound=self.label_bound)

    def stand_in(self) -> Squared:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        from equipoise.theory.losses.huber import Huber  # which is made of this one's parts

        return tuple(Huber(part * self.label_bound, self.label_bound, 2.0) for part in THRESHOLDS)

    def facts(self, reach: float) -> LossFacts:
        return LossFacts(
            slope=2 * (reach + self.label_bound),
            diameter=2 * mirrored_residual(reach, self.label_bound),
            curvature=2.0,
            trace=2.0,
            rank=1,
        )

    def pull(self, start: float) -> float:
        return (start + self.label_bound) ** 2 / 2

    def value(self, score: Array, label: Array) -> Array:
        return (score - label) ** 2

    def slope(self, score: Array, label: Array) -> Array:
        return 2 * (score - label)

    def curvature(self, score: Array, label: Array) -> Array:
        return np.full_like(score, 2.0)
