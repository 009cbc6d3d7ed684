"""Logistic loss log(1 + e^(−m)) of the margin m = label·score, label ±1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import expit, lambertw

from equipoise.theory.accounting.calibrate import ObjectiveLaw, objective_pure_rate_logistic
from equipoise.theory.losses.contract import Array, Loss, LossFacts
from equipoise.theory.losses.traits import OF_CLASSES, Coding, Link, Traits
from equipoise.theory.rounding import FORMULA, LONG_SUM, ONE_STEP, up


def lambert_exp(x: float) -> float:
    """W(e^x), rounded up: the t with t·e^t = e^x."""
    return x if x > 500 else up(float(np.real(lambertw(math.exp(x)))), FORMULA)


def against(margin: Array) -> Array:
    """1/(1 + e^margin): the chance of the other class.  A few operations, each right to a unit; SciPy's logistic
    function takes three times as long."""
    with np.errstate(over="ignore"):  # infinity has the right inverse
        found = np.asarray(np.exp(margin))
        found += 1.0
        return np.asarray(np.divide(1.0, found, out=found))


@lru_cache(maxsize=4096)
def mirrored_width(reach: float) -> float:
    """G(k) = max over s in [0, 1] of 2√(1−s²)·σ(ks), rounded up: the diameter of logistic gradients at ‖w‖ = k.

    The logarithm is concave in s, so the one zero of its derivative is the maximum; an error in s enters the
    value only quadratically.
    """
    if math.isinf(reach):
        return 2.0
    low, high = 0.0, 1.0
    for _ in range(60):
        s = (low + high) / 2
        rising = reach * expit(-reach * s) * (1 - s * s) > s
        low, high = (s, high) if rising else (low, s)
    s = (low + high) / 2
    return min(2.0, up(2 * math.sqrt(1 - s * s) * float(expit(reach * s)), LONG_SUM))


@dataclass(frozen=True, slots=True)
class Logistic:
    """|slope| ≤ 1, 0 ≤ curvature ≤ ¼, slope of a fixed sign given the label."""

    name: ClassVar[str] = "logistic"
    outputs: ClassVar[int] = 1
    label_bound: ClassVar[float] = 1.0
    smooth: ClassVar[bool] = True
    traits: ClassVar[Traits] = Traits(
        "mean logistic loss",
        Coding.SIGNS,
        Link.LOGISTIC,
        OF_CLASSES,
        ObjectiveLaw.FIXED_SIGN,
        sharper_rate=objective_pure_rate_logistic,
    )

    def stand_in(self) -> Logistic:
        return self

    def gentler(self) -> tuple[Loss, ...]:
        from equipoise.theory.losses.capped_logistic import CappedLogistic  # which is made of this one's parts

        return (CappedLogistic(),)

    def facts(self, reach: float) -> LossFacts:
        return LossFacts(
            slope=up(float(expit(reach)), ONE_STEP),
            diameter=mirrored_width(reach),
            curvature=0.25,
            trace=0.25,
            rank=1,
        )

    def pull(self, start: float) -> float:
        return lambert_exp(start - 1)

    def value(self, score: Array, label: Array) -> Array:
        return np.logaddexp(0.0, -label * score)

    def slope(self, score: Array, label: Array) -> Array:
        found = against(label * score)
        found *= label
        return np.asarray(np.negative(found, out=found))

    def curvature(self, score: Array, label: Array) -> Array:
        return expit(score) * expit(-score)
