"""Sums over labels alone."""

from __future__ import annotations

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records


def label_sums(records: Private[Records], places: int) -> Private[Array]:
    """How many labels there are of each of so many classes, or, for none, the sum of the labels; each by its weight."""
    return records.map(lambda inner: inner.weight * inner.summed(lambda part: _sums(part.labels, places)))


def _sums(labels: Array, places: int) -> Array:
    if places == 0:
        return np.array([np.sum(labels)])
    return np.bincount(labels.astype(np.intp), minlength=places).astype(np.float64)
