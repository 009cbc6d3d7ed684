"""Squared hinge loss max(0, 1 − m)² of the margin m = label·score, label ±1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.squared import mirrored_residual
from equipoise.theory.losses.traits import Coding, Link, Traits, Usual


@dataclass(frozen=True, slots=True)
class SquaredHinge:
    """Lipschitz only where scores are bounded: |slope| ≤ 2(1 + reach).  Curvature at most 2, slope of a fixed sign."""

    name: ClassVar[str] = "squared-hinge"
    outputs: ClassVar[int] = 1
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean squared hinge loss",
        Coding.SIGNS,
        Link.SIGN,
        Usual(score=1.0, curvature=1.0, noise=1.0, ball=2.5, longest_step=1.0),
        ObjectiveLaw.FIXED_SIGN,
    )

    def stand_in(self) -> SquaredHinge:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        """A record's gradient is that of the squared loss at a label of size 1, or zero: so is their diameter."""
        return LossFacts(
            slope=2 * (1 + reach), diameter=2 * mirrored_residual(reach, 1.0), curvature=2.0, trace=2.0, rank=1
        )

    def pull(self, start: float) -> float:
        return (1 + start) ** 2 / 2

    def _short(self, score: Array, label: Array) -> Array:
        """How far the margin falls short of one."""
        return np.maximum(0.0, 1 - label * score)

    def value(self, score: Array, label: Array) -> Array:
        return self._short(score, label) ** 2

    def slope(self, score: Array, label: Array) -> Array:
        return -2 * label * self._short(score, label)

    def curvature(self, score: Array, label: Array) -> Array:
        return np.where(label * score < 1, 2.0, 0.0)
