"""Points in a public box: their counts in cells, and how well each grid would describe them.

Counts are whole numbers.  What a record does to them depends on the cells it falls into alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows.owned import own_dense, settle
from equipoise.theory.tables.density import Box, Shape
from equipoise.theory.tables.grid_choice import common_grid, detail, duel, least_lead, of_detail
from equipoise.theory.tuning.stability import graded_scores

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
    """Put what is missing into the middle, move what is outside to the edge, scale, wrap."""
    low, high = np.array(box.low), np.array(box.high)
    own = own_dense(rows)
    settle(own, low / 2 + high / 2)
    inside = np.clip(own, low, high)
    return Private(Points(np.clip((inside - low) / (high - low), 0.0, 1.0)))


def grid_counts(points: Private[Points], shape: Shape) -> Private[Array]:
    """How many records lie in each cell, flat."""
    return points.map(lambda inner: _counts(inner.unit, shape))


def grid_duels(points: Private[Points], shapes: Sequence[Shape], charges: Sequence[float]) -> Private[Array]:
    """Row i, column j: how clearly grid i beats grid j by leave-one-out less public charges, as `duel` measures it."""
    return points.map(lambda inner: _duels([_counts(inner.unit, shape) for shape in shapes], shapes, charges))


def held_out_scores(points: Private[Points], shapes: Sequence[Shape], split: HeldOut) -> Private[Array]:
    """For each grid (2/h)⟨p, v⟩ − (1/h)‖p‖², averaged over the noise draws in p."""
    return points.map(lambda inner: np.array([_held_out(inner, *each, split) for each in _pairs(shapes, split)]))


def least_leads(duels: Private[Array], starts: Array) -> Private[Array]:
    """For each grid its lead, public head starts included, over the opponent against whom it does worst."""
    return duels.map(lambda found: least_lead(found, starts))


def graded(scores: Private[Array], betas: Array, weights: Array, epsilon: float) -> Private[Array]:
    """Every two scores on the scale of their own bounds."""
    return scores.map(lambda found: graded_scores(found, betas, weights, epsilon))


def _pairs(shapes: Sequence[Shape], split: HeldOut) -> list[tuple[Shape, Array]]:
    return list(zip(shapes, split.noise, strict=True))


def _counts(unit: Array, shape: Shape) -> Array:
    """Cells are half-open, the last one closed."""
    places = [np.minimum((column * bins).astype(np.intp), bins - 1) for column, bins in zip(unit.T, shape, strict=True)]
    index = np.ravel_multi_index(places, shape)
    return np.bincount(index, minlength=math.prod(shape)).astype(np.float64)


def _duels(counts: Sequence[Array], shapes: Sequence[Shape], charges: Sequence[float]) -> Array:
    found, records = np.zeros((len(shapes), len(shapes))), int(counts[0].sum())
    for i, j in itertools.combinations(range(len(shapes)), 2):
        coarse = common_grid(shapes[i], shapes[j])
        details = [detail(_energy(counts[k], shapes[k], coarse), records) for k in (i, j)]
        reaches = [0.0 if shapes[k] == coarse else of_detail(records, math.prod(shapes[k])) for k in (i, j)]
        found[i, j] = duel((details[0], details[1]), (charges[i], charges[j]), (reaches[0], reaches[1]))
        found[j, i] = -found[i, j]
    return found


def _energy(counts: Array, shape: Shape, coarse: Shape) -> int:
    """mΣc² − m_GΣC², a whole number: the cells of the coarse grid are sums of these very cells."""
    blocks = [part for few, many in zip(coarse, shape, strict=True) for part in (few, many // few)]
    summed = counts.reshape(blocks).sum(axis=tuple(range(1, 2 * len(shape), 2)))
    return math.prod(shape) * _squares(counts) - math.prod(coarse) * _squares(summed)


def _squares(counts: Array) -> int:
    return int(np.sum(counts.astype(np.int64) ** 2))


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
