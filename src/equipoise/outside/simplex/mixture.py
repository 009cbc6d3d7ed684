"""A released mixture of corners: a few places with weights that add up to one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.theory.simplex.corners import Array, Corners, Places

CLOSE = 1e-9
"""How far from one the weights may add up, for the rounding of a sum."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Places of corners, each once and in order, and their weights.  Everything computed from it is free."""

    corners: Corners
    places: Places
    weights: Array

    def __post_init__(self) -> None:
        places, weights = np.array(self.places, dtype=np.intp), np.array(self.weights, dtype=np.float64)
        if places.ndim != 1 or places.shape != weights.shape or places.size == 0:
            raise InvalidInput("weights: must be one for each place, and at least one")
        if np.any(places < 0) or np.any(places >= self.corners.count) or np.any(np.diff(places) <= 0):
            raise InvalidInput("places: must be corners of this model, each once and in order")
        if not np.all(weights > 0) or abs(math.fsum(weights.tolist()) - 1) > CLOSE:
            raise InvalidInput("weights: must be above 0 and add up to 1, as a point of the simplex does")
        for array in (places, weights):
            array.flags.writeable = False
        object.__setattr__(self, "places", places)
        object.__setattr__(self, "weights", weights)

    def columns(self) -> tuple[Places, Array]:
        """Columns that carry weight and how much, signs included; the constant column is `corners.columns`."""
        columns, signs = self.corners.sides(self.places)
        found, owner = np.unique(columns, return_inverse=True)
        return found, _summed(owner, signs * self.weights, len(found))


def mixture_of(corners: Corners, drawn: npt.NDArray[np.intp], weights: Array | None = None) -> Mixture:
    """From places as they were drawn, equally weighted unless weights are given."""
    places, owner = np.unique(drawn, return_inverse=True)
    each = np.full(len(drawn), 1 / len(drawn)) if weights is None else weights
    return Mixture(corners, places, _summed(owner, each, len(places)))


def _summed(owner: Places, numbers: Array, count: int) -> Array:
    return np.asarray(np.bincount(owner, weights=numbers, minlength=count), dtype=np.float64)
