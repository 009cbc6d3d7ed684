"""The corners of the set of models: one for each column, two where signs are free, two more for an intercept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.errors import InvalidInput

MOST = 2**32
"""Corners at most: beyond, whole weights of 61 bits would be too coarse."""

Places = npt.NDArray[np.intp]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Corners:
    """Columns forwards, then (`signed`) the same backwards, then (`constant`) a constant column both ways.

    A model is a mixture of corners; weights on them are a point of the simplex.
    """

    columns: int
    signed: bool
    constant: bool

    def __post_init__(self) -> None:
        if whole(columns=self.columns) > (MOST - 2) // 2:
            raise InvalidInput(f"columns={self.columns}: must be below 2**31 here")

    @property
    def count(self) -> int:
        return self.columns * (2 if self.signed else 1) + (2 if self.constant else 0)

    def sides(self, places: Places) -> tuple[Places, Array]:
        """For each corner its column, `columns` itself for the constant one, and its sign."""
        own = self.columns * (2 if self.signed else 1)
        columns = np.where(places < own, places % self.columns, self.columns)
        backwards = np.where(places < own, places >= self.columns, places == own + 1)
        return columns, np.where(backwards, -1.0, 1.0)

    def folded(self, weights: Array) -> Array:
        """One number for each column, and for the constant one: forwards less backwards."""
        own = self.columns
        folded = np.zeros(own + (1 if self.constant else 0))
        folded[:own] = weights[:own]
        if self.signed:
            folded[:own] -= weights[own : 2 * own]
        if self.constant:
            folded[own] = weights[-2] - weights[-1]
        return folded

    def unfolded(self, gradient: Array) -> Array:
        """From the gradient in the columns to that in the weights."""
        own, parts = self.columns, [gradient[: self.columns]]
        if self.signed:
            parts.append(-gradient[:own])
        if self.constant:
            parts += [gradient[own:], -gradient[own:]]
        return np.concatenate(parts)
