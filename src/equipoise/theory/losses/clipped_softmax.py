"""Multinomial logistic slopes, shortened to √2·c where they are longer: what noisy gradients of many classes walk on.

A capped loss (capped_softmax.py) holds the true class's part alone, so that with K classes nobody pulls as hard as the
noise is made for until the others have been told apart.  Shortened slopes pull with all of it from the start.  They are
the slopes of no function, so that there is no minimum to certify: noisy gradients alone take them.  Where their mean is
zero the classes' chances are known all the same (links.py).  Coordinates are those of softmax.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses.capped_logistic import checked_cap
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.softmax import Softmax
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits
from equipoise.theory.rounding import FORMULA, down, up


@dataclass(frozen=True, slots=True)
class ClippedSoftmax:
    """‖slope‖ ≤ √2·cap; a shortened slope changes no faster than the slope, by ½ at most."""

    classes: int
    cap: float = 0.5
    name: ClassVar[str] = "clipped-softmax"
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_cap(self.cap)

    @property
    def traits(self) -> Traits:
        return Traits(
            "mean multinomial logistic loss, its slopes shortened where they are long",
            Coding.PLACES,
            Link.CLIPPED_SOFTMAX,
            replace(OF_CLASSES, curvature=OF_CLASSES.curvature * (0.25 + 0.75 * self.cap)),
            ObjectiveLaw.SOFTMAX,
            cap=self.cap,
            potential=False,
        )

    @property
    def outputs(self) -> int:
        return self.classes - 1

    @property
    def longest(self) -> float:
        """√2·cap, a little below it: a shortened slope may be off by a few units."""
        return down(math.sqrt(2) * self.cap, FORMULA)

    def stand_in(self) -> ClippedSoftmax:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        free = Softmax(self.classes).facts(reach)
        slope = min(up(math.sqrt(2) * self.cap), free.slope)
        return LossFacts(slope, 2 * slope, free.curvature, free.trace, free.rank)

    def pull(self, start: float) -> float:
        """A shortened slope pulls no harder."""
        return Softmax(self.classes).pull(start)

    def value(self, score: Array, label: Array) -> Array:
        """Of the loss whose slopes are shortened."""
        return Softmax(self.classes).value(score, label)

    def slope(self, score: Array, label: Array) -> Array:
        slopes = Softmax(self.classes).slope(score, label)
        each = slopes.reshape(-1, self.outputs)
        lengths = np.sqrt(np.einsum("nk,nk->n", each, each))
        kept = np.minimum(1.0, self.longest / np.maximum(lengths, self.longest))
        return np.reshape(each * kept[:, None], slopes.shape)

    def curvature(self, score: Array, label: Array) -> Array:
        """Of the loss whose slopes are shortened: no less."""
        return Softmax(self.classes).curvature(score, label)
