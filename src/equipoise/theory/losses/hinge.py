"""Hinge loss max(0, 1 − m) of the margin m = label·score, label ±1, with its kink."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.smoothed_hinge import SmoothedHinge
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits

ROUNDED = 2.0**-4
"""Half-width over which the corner is rounded where the hinge is minimised: public, and the same for every table."""


@dataclass(frozen=True, slots=True)
class Hinge:
    """|slope| ≤ 1 with a kink at m = 1: output perturbation only."""

    name: ClassVar[str] = "hinge"
    outputs: ClassVar[int] = 1
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = False
    traits: ClassVar[Traits] = Traits("mean hinge loss", Coding.SIGNS, Link.SIGN, OF_CLASSES, ObjectiveLaw.FIXED_SIGN)

    def stand_in(self) -> SmoothedHinge:
        """Its minimiser is computed to a proved distance whatever the records; a kink's cannot be, in doubles."""
        return SmoothedHinge(ROUNDED)

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        """No reach helps: rows at right angles to w have margin 0, hence the full slope."""
        return LossFacts(slope=1.0, diameter=2.0, curvature=math.inf, trace=math.inf, rank=1)

    def pull(self, start: float) -> float:
        return 1.0 + start

    def value(self, score: Array, label: Array) -> Array:
        return np.maximum(0.0, 1 - label * score)

    def slope(self, score: Array, label: Array) -> Array:
        """A subgradient; at the kink, zero."""
        return np.where(label * score < 1, -label, 0.0)

    def curvature(self, score: Array, label: Array) -> Array:
        """Zero away from the kink, where it is not defined."""
        return np.zeros_like(score)
