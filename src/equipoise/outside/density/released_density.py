"""The released piecewise-constant density: pdf, cdf, points from uniform numbers.  All of it is post-processing."""

from __future__ import annotations

import itertools
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.outside.card import DENSITY, Card
from equipoise.outside.origin import Origin, named
from equipoise.rows import RowBounds
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.tables.density import Box

Array = npt.NDArray[np.float64]

FLOOR = 1e-3
"""For log densities: a point in an empty cell or outside the box counts as this part of the uniform density."""


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """The mass of every cell of a grid over a public box; within a cell the density is constant."""

    box: Box
    mass: Array
    guarantee: Guarantee
    origin: Origin | None = None
    """When, by which version, from which account; None where a file of an older version does not tell."""

    def __post_init__(self) -> None:
        mass = np.array(self.mass, dtype=np.float64)
        if mass.ndim != self.box.dimensions or mass.size == 0:
            raise InvalidInput("mass: must have one axis for each dimension of the box")
        if not (np.isfinite(mass).all() and (mass >= 0).all() and abs(float(mass.sum()) - 1) < 1e-9):
            raise InvalidInput("mass: must be numbers >= 0 that sum to 1")
        mass.flags.writeable = False
        object.__setattr__(self, "mass", mass)

    @property
    def edges(self) -> tuple[Array, ...]:
        """The edges of the cells along each dimension."""
        sides = zip(self.box.low, self.box.high, self.mass.shape, strict=True)
        return tuple(np.linspace(low, high, bins + 1) for low, high, bins in sides)

    @property
    def heights(self) -> Array:
        """The density in each cell."""
        return np.asarray(self.mass * (self.mass.size / self.box.volume))

    def pdf(self, x: npt.ArrayLike) -> Array:
        """The density at each point; 0 outside the box."""
        points = self._points(x)
        within = ((points >= self.box.low) & (points <= self.box.high)).all(axis=-1)
        places = np.floor(self._in_cells(points)).astype(np.intp)
        last = np.array(self.mass.shape) - 1
        index = tuple(np.moveaxis(np.minimum(places, last), -1, 0))
        return np.where(within, self.heights[index], 0.0)

    def log_pdf(self, x: npt.ArrayLike) -> Array:
        """The logarithm of the density, never below that of FLOOR times the uniform one."""
        return np.log(np.maximum(self.pdf(x), FLOOR / self.box.volume))

    def cdf(self, x: npt.ArrayLike) -> Array:
        """The chance that every coordinate is at most that of the point."""
        cells = self._in_cells(self._points(x))
        start = np.minimum(np.floor(cells).astype(np.intp), np.array(self.mass.shape) - 1)
        part, below = cells - start, self._cumulative()
        total = np.zeros(cells.shape[:-1])
        for corner in itertools.product((0, 1), repeat=self.box.dimensions):
            weight = np.prod(np.where(np.array(corner) == 1, part, 1 - part), axis=-1)
            total += weight * below[tuple(np.moveaxis(start + np.array(corner), -1, 0))]
        return np.clip(total, 0.0, 1.0)

    def points_at(self, uniform: Array) -> Array:
        """Points of the density from rows of 1 + d independent uniform numbers: the cell, and the place in it."""
        ends = np.cumsum(self.mass.ravel())
        filled = np.flatnonzero(self.mass.ravel())
        cells = np.searchsorted(ends, uniform[:, 0] * ends[-1], side="right")
        index = np.unravel_index(np.minimum(cells, filled[-1]), self.mass.shape)
        places = (np.stack(index, axis=-1) + uniform[:, 1:]) / np.array(self.mass.shape)
        low, high = np.array(self.box.low), np.array(self.box.high)
        return np.asarray(np.clip(low + places * (high - low), low, high))

    def card(self, data: str | None = None) -> Card:
        """The page to ship with the density; `data` names the data set."""
        return Card(
            estimator="HistogramDensity",
            kind=DENSITY,
            features=self.box.dimensions,
            classes=None,
            guarantee=self.guarantee,
            row_bounds=RowBounds(1.0, tuple(zip(self.box.low, self.box.high, strict=True))),
            origin=named(self.origin, data),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write JSON that `load_density` reads back exactly."""
        from equipoise.outside.density.files import save_density  # it builds densities, so it comes later

        save_density(self, path)

    def plot(self, ax: Any = None) -> Any:
        """A step plot in one dimension, an image in two; the axes it was drawn on."""
        from equipoise.outside.density.plot import draw_density  # matplotlib is not always there

        return draw_density(self, ax)

    def _points(self, x: npt.ArrayLike) -> Array:
        """Numbers with the coordinates on the last axis; in one dimension a plain list will do."""
        try:
            points = np.asarray(x, dtype=np.float64)
            points = np.where(np.ma.getmaskarray(x), np.nan, points) if isinstance(x, np.ma.MaskedArray) else points
        except (OverflowError, TypeError, ValueError):
            raise InvalidInput("x: must be numbers") from None
        d = self.box.dimensions
        if d == 1 and (points.ndim < 2 or points.shape[-1] != 1):
            points = points[..., None]
        if points.ndim == 0 or points.shape[-1] != d:
            raise InvalidInput(f"x: must have {d} columns, one for each dimension")
        if np.isnan(points).any():
            raise InvalidInput("x: contains NaN, leave such points out")
        return points

    def _in_cells(self, points: Array) -> Array:
        """Coordinates in cells from the lower corner, clamped to the box."""
        low, high = np.array(self.box.low), np.array(self.box.high)
        unit = np.clip((np.clip(points, low, high) - low) / (high - low), 0.0, 1.0)
        return np.asarray(unit * np.array(self.mass.shape))

    def _cumulative(self) -> Array:
        below = self.mass
        for axis in range(below.ndim):
            below = np.cumsum(below, axis=axis)
        return np.pad(below, [(1, 0)] * below.ndim)


def density_from_counts(box: Box, noisy: Array, records: int | None, guarantee: Guarantee) -> Density:
    """The nearest density to noisy counts of this many records; of their own sum where the number is secret."""
    total = float(noisy.sum()) if records is None else float(records)
    return Density(box, nearest_masses(noisy / total if total > 0 else np.zeros(noisy.shape)), guarantee)


def nearest_masses(shares: Array) -> Array:
    """The nearest point of the simplex in L2: take the same amount off every share, negative ones to zero.

    Beats clipping and rescaling, which keeps the noise that clipping left in empty cells (docs/how-to/density.md).
    """
    falling = np.sort(shares.ravel())[::-1]
    over = (np.cumsum(falling) - 1) / np.arange(1, falling.size + 1)
    last = int(np.flatnonzero(falling > over)[-1])
    masses = np.maximum(shares - over[last], 0.0)
    return np.asarray(masses / math.fsum(masses.ravel().tolist()))
