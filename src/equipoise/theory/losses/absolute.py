"""Absolute loss |score − label|, labels in [−Y, Y]: regression towards the median, with its kink."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from equipoise._checks import positive
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.huber import Huber
from equipoise.theory.losses.traits import OF_NUMBERS, Coding, Link, Traits

ROUNDED = 2.0**-5
"""Half-width over which the kink is rounded where the loss is minimised, in units of the label bound: public."""


@dataclass(frozen=True, slots=True)
class Absolute:
    """|slope| ≤ 1 with a kink at a residual of 0; both signs of slope occur for one record."""

    label_bound: float = 1.0
    name: ClassVar[str] = "absolute"
    outputs: ClassVar[int] = 1
    smooth: ClassVar[bool] = False
    traits: ClassVar[Traits] = Traits(
        "mean absolute residual",
        Coding.NUMBERS,
        Link.IDENTITY,
        replace(OF_NUMBERS, curvature=0.7),
        ObjectiveLaw.TWO_SIGNED,
    )

    def __post_init__(self) -> None:
        positive(label_bound=self.label_bound)

    def stand_in(self) -> Huber:
        """|r| less half the width, but r²/(2·width) within it."""
        width = ROUNDED * self.label_bound
        return Huber(width, self.label_bound, 1 / width)

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        """No reach helps: a row at right angles to w has score 0, and labels ±Y give both slopes in full."""
        return LossFacts(slope=1.0, diameter=2.0, curvature=math.inf, trace=math.inf, rank=1)

    def pull(self, start: float) -> float:
        return self.label_bound + start

    def value(self, score: Array, label: Array) -> Array:
        return np.abs(score - label)

    def slope(self, score: Array, label: Array) -> Array:
        """A subgradient; at the kink, zero."""
        return np.sign(score - label)

    def curvature(self, score: Array, label: Array) -> Array:
        """Zero away from the kink, where it is not defined."""
        return np.zeros_like(score)
