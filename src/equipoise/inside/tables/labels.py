"""Sums over labels alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.records import Records


def label_sums(records: Private[Records], places: int) -> Private[Array]:
    """How many labels there are of each of so many classes, or, for none, the sum of the labels; each by its weight."""
    return records.map(lambda inner: inner.weight * inner.summed(LabelSums(places)))


@dataclass(frozen=True, slots=True)
class LabelSums:
    """The same of one part."""

    places: int

    def __call__(self, part: Records) -> Array:
        if self.places == 0:
            return np.array([np.sum(part.labels)])
        return np.bincount(part.labels.astype(np.intp), minlength=self.places).astype(np.float64)
