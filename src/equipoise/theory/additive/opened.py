"""Rows of shapes that open while they are learnt: lines, and beside them bends that start shut.

At a knot where the ramp is g, the line has KEPT·g² of the row's square and the bends the rest, so that every row on a
knot has norm one, and in the middle of a range, where a line says nothing, bends have all of it.  Listed values are the
corners of a simplex: their mean says nothing, so the intercept has it alone.  What is missing, or not listed, has a
number of its own.  docs/proofs/additive.md, sections 1 and 4.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from equipoise.theory.additive.columns import Column, Numbers

Array = npt.NDArray[np.float64]

STEEP = math.sqrt(3)
"""Of a ramp, in half ranges: a steeper one makes more of values in the middle, and is flat at the ends."""

KEPT = 0.75
"""Part of the square of its slope that a line keeps beside bends."""

SMOOTH = 3
"""Of a column's bends, so many open together and before the others: slow turns are seen sooner than quick ones."""

SEVERAL = 6
"""Bends of a column; with more, what is missing is worth a number of its own as well."""

LONG = 0.3
"""Over which part of the range bends lose their memory: the smoothest have most of the room."""


def ramp(column: Numbers) -> Array:
    """One number for each knot, between −1 and 1, straight in the middle."""
    return np.clip(STEEP * np.linspace(-1.0, 1.0, column.shown), -1.0, 1.0)


def root_of(column: Column) -> Array:
    """(slots, numbers): of a column of numbers its line comes first, then its bends, and last what is missing; of
    listed values the corners, then what is not listed and what is missing."""
    shown = line_and_bends(column, column.shown) if isinstance(column, Numbers) else corners(column.shown)
    apart = column.slots - column.shown
    result = np.zeros((column.slots, shown.shape[1] + apart))
    result[: column.shown, : shown.shape[1]] = shown
    result[column.shown :, shown.shape[1] :] = np.eye(apart)
    return result


def shut_in(column: Column) -> list[tuple[int, int]]:
    """Which of its numbers start at nothing and open together: (first, past the last), group by group."""
    apart = column.slots - column.shown
    learnt = column.shown - 1  # a line and bends, or the corners of a simplex
    edges = sorted({1, min(1 + SMOOTH, learnt), learnt}) if isinstance(column, Numbers) else []
    return [*pairwise(edges), *((learnt + place, learnt + place + 1) for place in range(apart))]


def corners(many: int) -> Array:
    """(many, many − 1): vectors of norm one, as far apart as so many can be.

    The columns of a reflection that takes the first axis to the diagonal, but the first: they span what is across the
    diagonal.  Any basis of that is as good; this one is written down, where a decomposition takes the cube of `many`.
    """
    if many == 1:
        return np.zeros((1, 0))
    length = math.sqrt(many)
    result = np.vstack([np.full(many - 1, 1 / length), np.eye(many - 1)])
    result[1:] -= 1 / (length * (length - 1))
    return np.asarray(result / np.linalg.norm(result, axis=1, keepdims=True))


def line_and_bends(column: Numbers, many: int) -> Array:
    """(knots, 1 + bends), the line and so many of the smoothest bends, rows of norm one at most; two knots have no
    bends, and a line of norm one."""
    along = ramp(column)
    if column.shown == 2:
        return along[:, None]
    curves = _curves(along)[:, :many]
    if many < column.shown - 2:  # where bends are left out, the others keep their own shape
        curves = curves / np.linalg.norm(curves, axis=1).max()
    bends = np.sqrt(1 - KEPT * along**2)[:, None] * curves
    return np.hstack([math.sqrt(KEPT) * along[:, None], bends])


def _curves(along: Array) -> Array:
    """What is neither constant nor the line, the smoothest first, with rows of norm one."""
    many = len(along)
    plain = np.linalg.qr(np.column_stack([np.ones(many), along]))[0]
    others = np.eye(many) - plain @ plain.T
    at = np.linspace(0.0, 1.0, many)
    squares, directions = np.linalg.eigh(others @ np.exp(-np.abs(at[:, None] - at) / LONG) @ others)
    kept = np.argsort(-squares)[: many - 2]
    curves = directions[:, kept] * np.sqrt(np.maximum(squares[kept], 0.0))
    return np.asarray(curves / np.linalg.norm(curves, axis=1, keepdims=True))
