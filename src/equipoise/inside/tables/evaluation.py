"""Predictions of a released model beside the labels of records: one number in [0, 1] for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places, numbers_within
from equipoise.inside.private import Private


def right_or_wrong(said: npt.NDArray[Any], labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Private[Array]:
    """1 where the class that was predicted is the label; a label that is no class counts as the first."""
    return Private(rights(said, labels, classes))


def rights(said: npt.NDArray[Any], labels: npt.NDArray[Any], classes: tuple[Any, ...]) -> Array:
    """The same for whoever has the rows."""
    right = class_places(said, classes) == class_places(labels, classes)
    return np.asarray(right, dtype=np.float64)


def squared_shares(said: Array, labels: npt.NDArray[Any], low: float, high: float) -> Private[Array]:
    """((p − y)/(high − low))², both within the bounds; a missing label is their middle."""
    return Private(shares(said, labels, low, high))


def shares(said: Array, labels: npt.NDArray[Any], low: float, high: float) -> Array:
    """The same for whoever has the rows."""
    missed = numbers_within(said, low, high) - numbers_within(labels, low, high)
    return np.asarray(np.clip((missed / (high - low)) ** 2, 0.0, 1.0))


def summed(terms: Private[Array]) -> Private[Array]:
    """Rounded once."""
    return terms.map(lambda each: np.array([math.fsum(each.tolist())]))
