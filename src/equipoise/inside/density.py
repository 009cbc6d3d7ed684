"""Points in a public box: their counts in cells, and how well each grid would describe them.

Counts are whole numbers.  What a record does to them depends on the cells it falls into alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.clip import refuse_not_finite
from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.theory.density import Box, Shape, leave_one_out_score

Index = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """One row per record, each coordinate scaled to [0, 1]."""

    unit: Array


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """The paper's split: positions to train and to validate on, the floor N₀, and noise for each grid and draw."""

    training: Index
    validation: Index
    floor: float
    noise: Sequence[Array]
    """For each candidate an array (draws, cells), in counts."""


def enter_points(rows: npt.NDArray[np.floating], box: Box) -> Private[Points]:
    """Refuse what is not finite, move what is outside to the edge, scale, wrap."""
    refuse_not_finite(rows, "X")
    low, high = np.array(box.low), np.array(box.high)
    inside = np.clip(np.asarray(rows, dtype=np.float64), low, high)
    return Private(Points(np.clip((inside - low) / (high - low), 0.0, 1.0)))


def grid_counts(points: Private[Points], shape: Shape) -> Private[Array]:
    """How many records lie in each cell, flat."""
    return points.map(lambda inner: _counts(inner.unit, shape))


def leave_one_out_scores(points: Private[Points], shapes: Sequence[Shape], charges: Sequence[float]) -> Private[Array]:
    """For each grid the leave-one-out estimate of the L2 score less its public charge, shifted and square-rooted.

    The order of the scores is that of the estimates; the root makes one record move them less.
    """
    return points.map(lambda inner: _leave_one_out(inner.unit, shapes, charges))


def held_out_scores(points: Private[Points], shapes: Sequence[Shape], split: HeldOut) -> Private[Array]:
    """For each grid (2/h)⟨p, v⟩ − (1/h)‖p‖², averaged over the noise draws in p."""
    return points.map(lambda inner: np.array([_held_out(inner, *each, split) for each in _pairs(shapes, split)]))


def _pairs(shapes: Sequence[Shape], split: HeldOut) -> list[tuple[Shape, Array]]:
    return list(zip(shapes, split.noise, strict=True))


def _counts(unit: Array, shape: Shape) -> Array:
    """Cells are half-open, the last one closed."""
    places = [np.minimum((column * bins).astype(np.intp), bins - 1) for column, bins in zip(unit.T, shape, strict=True)]
    index = np.ravel_multi_index(places, shape)
    return np.bincount(index, minlength=math.prod(shape)).astype(np.float64)


def _leave_one_out(unit: Array, shapes: Sequence[Shape], charges: Sequence[float]) -> Array:
    dearest = max(charges)
    found = []
    for shape, charge in zip(shapes, charges, strict=True):
        squares = int(np.sum(_counts(unit, shape).astype(np.int64) ** 2))
        found.append(leave_one_out_score(squares, len(unit), math.prod(shape), dearest - charge))
    return np.array(found)


def _held_out(points: Points, shape: Shape, noise: Array, split: HeldOut) -> float:
    counts = _counts(points.unit[split.training], shape)
    seen = _counts(points.unit[split.validation], shape) / len(split.validation)
    return math.fsum(_agreement(sub_density(counts + draw, split.floor), seen) for draw in noise) / len(noise)


def sub_density(noisy: Array, floor: float) -> Array:
    """Negative counts to zero, divided by their sum or the floor: all zeros stay zeros (a fall-back would jump)."""
    kept = np.maximum(noisy, 0.0)
    return kept / max(math.fsum(kept.tolist()), floor)


def _agreement(p: Array, seen: Array) -> float:
    """Sums are rounded once, so that their error does not grow with the number of cells."""
    return p.size * (2 * math.fsum((p * seen).tolist()) - math.fsum((p * p).tolist()))
