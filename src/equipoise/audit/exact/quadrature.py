"""Integrals over a noise law in one or two dimensions, along rays from its centre, finer where the integrand jumps.

A curvature that jumps (a rounded hinge, Huber's loss) makes the log-ratio jump; cells that hold a jump are cut up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc

from equipoise.errors import InvalidInput
from equipoise.theory.noise import Law, Noise

Array = npt.NDArray[np.float64]
Losses = Callable[[Array], Array]
"""From values of the noise, as rows, to the log-ratio where they lead."""

REACH = {Law.GAUSSIAN: 13.0, Law.LAPLACE: 60.0, Law.SPHERICAL: 60.0}
"""How far the rays go, in noise scales."""

ON_A_LINE, ON_A_RAY, RAYS = 3000, 200, 64
"""Cells on either side in one dimension; on each ray, and rays, in two."""

JUMP = 0.01
PIECES = 12
ROUNDS = 2
"""A cell across which the log-ratio moves by more than this is cut into so many, again and again."""


SMALLER = 4


@dataclass(frozen=True, slots=True)
class Cells:
    """Pieces of rays: which ray, from where to where, and the log-ratio at both ends."""

    ray: npt.NDArray[np.intp]
    low: Array
    high: Array
    at_low: Array
    at_high: Array

    def part(self, mask: npt.NDArray[np.bool_]) -> Cells:
        return Cells(self.ray[mask], self.low[mask], self.high[mask], self.at_low[mask], self.at_high[mask])

    def beside(self, other: Cells) -> Cells:
        mine = (self.ray, self.low, self.high, self.at_low, self.at_high)
        theirs = (other.ray, other.low, other.high, other.at_low, other.at_high)
        ray, low, high, at_low, at_high = (np.concatenate(pair) for pair in zip(mine, theirs, strict=True))
        return Cells(ray, low, high, at_low, at_high)


def weighed(noise: Noise, losses: Losses, times: int = 1) -> tuple[Array, Array]:
    """Probabilities, and the log-ratio at the point each stands for; with so many times the usual rays and cells."""
    rays = directions(noise, times)
    cells = _first(noise, rays, losses, times)
    for _ in range(ROUNDS):
        jumps = (np.abs(cells.at_high - cells.at_low) > JUMP) & (_mass(noise, cells, len(rays)) > 1e-12)
        if not jumps.any():
            break
        cells = cells.part(~jumps).beside(_cut(noise, rays, cells.part(jumps), losses))
    cells = _straight(cells)
    mass = _mass(noise, cells, len(rays))
    # Each end counts by how near to it the law lies in the cell.
    inside = _mean_radius(noise, cells, len(rays)) - cells.low * mass
    high = np.clip(inside / (cells.high - cells.low), 0.0, mass)
    return np.concatenate([mass - high, high]), np.concatenate([cells.at_low, cells.at_high])


def directions(noise: Noise, times: int = 1) -> Array:
    """Both ways on a line; evenly around a disc."""
    if noise.dim == 1:
        return np.array([[1.0], [-1.0]])
    if noise.law is Law.LAPLACE:
        raise InvalidInput("plan: Laplace noise in two dimensions is not integrated, take a smaller epsilon")
    angles = (np.arange(times * RAYS) + 0.5) * 2 * math.pi / (times * RAYS)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _first(noise: Noise, rays: Array, losses: Losses, times: int) -> Cells:
    count = times * (ON_A_LINE if noise.dim == 1 else ON_A_RAY)
    radii = np.linspace(0, 1, count + 1) ** 1.5 * REACH[noise.law]
    found = _at(noise, rays, np.repeat(np.arange(len(rays)), count + 1), np.tile(radii, len(rays)), losses)
    found = found.reshape(len(rays), count + 1)
    ray = np.repeat(np.arange(len(rays)), count)
    low, high = np.tile(radii[:-1], len(rays)), np.tile(radii[1:], len(rays))
    return Cells(ray, low, high, found[:, :-1].ravel(), found[:, 1:].ravel())


def _cut(noise: Noise, rays: Array, cells: Cells, losses: Losses) -> Cells:
    steps = np.linspace(0, 1, PIECES + 1)
    radii = cells.low[:, None] + (cells.high - cells.low)[:, None] * steps
    found = np.empty_like(radii)
    found[:, 0], found[:, -1] = cells.at_low, cells.at_high
    inner = radii[:, 1:-1]
    found[:, 1:-1] = _at(noise, rays, np.repeat(cells.ray, PIECES - 1), inner.ravel(), losses).reshape(inner.shape)
    ends = (radii[:, :-1], radii[:, 1:], found[:, :-1], found[:, 1:])
    low, high, at_low, at_high = (part.ravel() for part in ends)
    return replace(cells, ray=np.repeat(cells.ray, PIECES), low=low, high=high, at_low=at_low, at_high=at_high)


def _straight(cells: Cells) -> Cells:
    """Smaller cells, along which the log-ratio is taken to go straight: it does, but what it is put into is curved."""
    steps = np.linspace(0, 1, SMALLER + 1)
    radii = cells.low[:, None] + (cells.high - cells.low)[:, None] * steps
    found = cells.at_low[:, None] + (cells.at_high - cells.at_low)[:, None] * steps
    ends = (radii[:, :-1], radii[:, 1:], found[:, :-1], found[:, 1:])
    low, high, at_low, at_high = (part.ravel() for part in ends)
    return Cells(np.repeat(cells.ray, SMALLER), low, high, at_low, at_high)


def _at(noise: Noise, rays: Array, ray: npt.NDArray[np.intp], radii: Array, losses: Losses) -> Array:
    return losses(rays[ray] * radii[:, None] * noise.scale)


def _mass(noise: Noise, cells: Cells, rays: int) -> Array:
    """The law's radius is Gamma(dim), or for a Gaussian half its square is Gamma(dim/2)."""
    return _between(noise.law, noise.dim, cells) / rays


def _mean_radius(noise: Noise, cells: Cells, rays: int) -> Array:
    """The integral of the radius over each cell: a law of the same kind in one dimension more."""
    dim = noise.dim
    factor = math.sqrt(2) * math.gamma((dim + 1) / 2) / math.gamma(dim / 2) if noise.law is Law.GAUSSIAN else float(dim)
    return factor * _between(noise.law, dim + 1, cells) / rays


def _between(law: Law, dim: int, cells: Cells) -> Array:
    """From the tails, so that far cells are precise."""
    if law is Law.GAUSSIAN:
        low, high = (gammaincc(dim / 2, radii**2 / 2) for radii in (cells.low, cells.high))
    else:
        low, high = (gammaincc(dim, radii) for radii in (cells.low, cells.high))
    return np.asarray(low - high)
