"""Noisy counts summed up to the coarser grid that promises the smallest error: post-processing of released numbers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.theory.tables.density import Shape, coarse_score

Array = npt.NDArray[np.float64]


def merged(noisy: Array, shape: Shape) -> Array:
    """The counts of a coarser grid, each side of which divides the fine one's."""
    blocks = [part for coarse, fine in zip(shape, noisy.shape, strict=True) for part in (coarse, fine // coarse)]
    return np.asarray(noisy.reshape(blocks).sum(axis=tuple(range(1, 2 * noisy.ndim, 2))))


def best_merged(noisy: Array, shapes: tuple[Shape, ...], records: int | None, variance: float) -> Array:
    """The grid with the best estimated score, the counts as they are where there is none to choose from."""
    total = float(noisy.sum()) if records is None else float(records)
    if not shapes:
        return noisy
    if total < 2:
        return merged(noisy, min(shapes, key=math.prod))
    choices = [merged(noisy, shape) for shape in shapes]
    scores = [coarse_score(float(np.sum(each**2)), total, each.size, noisy.size, variance) for each in choices]
    return choices[int(np.argmax(scores))]
