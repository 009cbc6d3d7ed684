"""Logistic loss whose slope is capped: below the margin where it would exceed c it goes on as a straight line.

Records on the wrong side pull no harder than c, so that gradients differ by 2c instead of 2: at c = ½ half the noise.
It stays convex and smooth.  Its scores are not log-odds; `probabilities` in links.py turns them into chances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import expit

from equipoise._checks import number, shown
from equipoise.errors import InvalidInput
from equipoise.theory.accounting.calibrate import ObjectiveLaw, objective_pure_rate_logistic
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.logistic import against, lambert_exp, mirrored_width
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits
from equipoise.theory.rounding import FORMULA, ONE_STEP, up

SMALLEST_CAP = 0.5
"""Below it a whole interval of scores around 0 would say the same: no probabilities."""


def checked_cap(cap: float) -> float:
    """A slope that keeps probabilities apart, and leaves something to cap."""
    if not SMALLEST_CAP <= number(cap=cap) < 1:
        raise InvalidInput(f"cap={shown(cap)}: must be at least 0.5 and below 1")
    return cap


def corner_of(cap: float) -> float:
    """The margin below which the loss is straight."""
    return math.log1p(-cap) - math.log(cap)


def capped_pull(start: float, cap: float) -> float:
    """max over margins m of min(cap, σ(−m))·(m + start): on the bent part if the peak is there, else at the corner."""
    free, corner = lambert_exp(start - 1), corner_of(cap)
    return free if 1 + free - start >= corner else up(cap * (corner + start), FORMULA)


@dataclass(frozen=True, slots=True)
class CappedLogistic:
    """|slope| ≤ cap, 0 ≤ curvature ≤ ¼, slope of a fixed sign given the label."""

    cap: float = 0.5
    name: ClassVar[str] = "capped-logistic"
    outputs: ClassVar[int] = 1
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_cap(self.cap)

    @property
    def traits(self) -> Traits:
        return Traits(
            "mean logistic loss with capped slopes",
            Coding.SIGNS,
            Link.CAPPED_LOGISTIC,
            replace(OF_CLASSES, curvature=OF_CLASSES.curvature * (0.25 + 0.75 * self.cap)),
            ObjectiveLaw.FIXED_SIGN,
            sharper_rate=partial(objective_pure_rate_logistic, cap=self.cap),
            cap=self.cap,
        )

    def stand_in(self) -> CappedLogistic:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        return ()

    def facts(self, reach: float) -> LossFacts:
        return LossFacts(
            slope=min(self.cap, up(float(expit(reach)), ONE_STEP)),
            diameter=min(2 * self.cap, mirrored_width(reach)),
            curvature=0.25,
            trace=0.25,
            rank=1,
        )

    def pull(self, start: float) -> float:
        return capped_pull(start, self.cap)

    def value(self, score: Array, label: Array) -> Array:
        margin = label * score
        bent = np.maximum(margin, corner_of(self.cap))
        return np.logaddexp(0.0, -bent) + self.cap * (bent - margin)

    def slope(self, score: Array, label: Array) -> Array:
        return -label * np.minimum(against(label * score), self.cap)

    def curvature(self, score: Array, label: Array) -> Array:
        return np.where(label * score > corner_of(self.cap), expit(score) * expit(-score), 0.0)
