"""Soft counts of columns: three sums for each, in which a record has the weight of one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.theory.tables.scaling import SLOTS, soft_weights


def enter_places(columns: Sequence[Array]) -> Private[Array]:
    """(records, columns) places between −1 and 1, clipped and wrapped; NaN is a missing value and stays one."""
    return Private(np.clip(np.column_stack([np.array(column, dtype=np.float64) for column in columns]), -1.0, 1.0))


def soft_counts(places: Private[Array]) -> Private[Array]:
    """The three sums of each column, one column after the other, each rounded once."""
    return places.map(_sums)


def _sums(places: Array) -> Array:
    weights = soft_weights(places).reshape(len(places), places.shape[1] * SLOTS)
    return np.array([math.fsum(column.tolist()) for column in weights.T])
