"""Forecasts of a released classifier beside what happened: counts, and the sum of squared errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places
from equipoise.inside.private import Private


@dataclass(frozen=True, eq=False, repr=False)
class Forecasts:
    """For each record the forecast chance of the second class, in [0, 1], and whether it came: 0 or 1."""

    chance: Array
    came: Array


def enter_forecasts(chance: Array, labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Private[Forecasts]:
    """Clip, wrap.  A row without a forecast is forecast at one half, a label that is no class counts as the first."""
    known = np.where(np.isnan(chance), 0.5, np.clip(chance, 0.0, 1.0))
    return Private(Forecasts(known, class_places(labels, classes).astype(np.float64)))


def reliability_counts(forecasts: Private[Forecasts], bins: int) -> Private[Array]:
    """Records by bin of the forecast and outcome, flat: a record is in exactly one of 2·bins cells."""
    return forecasts.map(lambda inner: _counts(inner, bins))


def squared_errors(forecasts: Private[Forecasts]) -> Private[Array]:
    """Σ(p − y)², every term in [0, 1], rounded once."""
    return forecasts.map(lambda inner: np.array([math.fsum(((inner.chance - inner.came) ** 2).tolist())]))


def _counts(forecasts: Forecasts, bins: int) -> Array:
    place = np.minimum((forecasts.chance * bins).astype(np.intp), bins - 1)
    index = 2 * place + forecasts.came.astype(np.intp)
    return np.bincount(index, minlength=2 * bins).astype(np.float64)
