"""Huber loss of the residual r = score − label: r²/2 within the threshold T, linear beyond."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from equipoise._checks import positive
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.squared import mirrored_residual
from equipoise.theory.losses.traits import OF_NUMBERS, Coding, Link, Traits


@dataclass(frozen=True, slots=True)
class Huber:
    """|slope| ≤ T everywhere, curvature ≤ 1; both signs of slope occur for one record.

    `scale` multiplies the loss: Huber(T, scale=2) is the squared loss wherever |residual| ≤ T.
    """

    threshold: float
    label_bound: float = 1.0
    scale: float = 1.0
    name: ClassVar[str] = "huber"
    outputs: ClassVar[int] = 1
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean Huber loss",
        Coding.NUMBERS,
        Link.IDENTITY,
        replace(OF_NUMBERS, curvature=0.7),
        ObjectiveLaw.TWO_SIGNED,
        pieces=True,
    )

    @property
    def for_squared(self) -> bool:
        """Whether it stands in for the squared loss, so that what is sought is the mean and not this loss's middle."""
        return self.scale == 2

    def __post_init__(self) -> None:
        positive(threshold=self.threshold)
        positive(label_bound=self.label_bound)
        positive(scale=self.scale)

    def stand_in(self) -> Huber:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        steepest = min(self.threshold, reach + self.label_bound)
        width = min(2 * steepest, mirrored_residual(reach, self.label_bound))
        return LossFacts(
            slope=self.scale * steepest,
            diameter=self.scale * width,
            curvature=self.scale,
            trace=self.scale,
            rank=1,
        )

    def pull(self, start: float) -> float:
        furthest = start + self.label_bound
        if furthest <= 2 * self.threshold:
            return self.scale * furthest**2 / 4
        return self.scale * self.threshold * (furthest - self.threshold)

    def value(self, score: Array, label: Array) -> Array:
        size = np.abs(score - label)
        near = np.minimum(size, self.threshold)
        return self.scale * (near * near / 2 + self.threshold * (size - near))

    def slope(self, score: Array, label: Array) -> Array:
        return self.scale * np.clip(score - label, -self.threshold, self.threshold)

    def curvature(self, score: Array, label: Array) -> Array:
        return np.where(np.abs(score - label) < self.threshold, self.scale, 0.0)
