"""What each slot of a column becomes in a row: the maps from weights on slots to the numbers of a fit.

A map is a matrix with one row for each slot, and no row is longer than one: that is all that the proof asks
(docs/proofs/additive.md).  Nothing in it is a constant, which the intercept's column learns already.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.theory.additive.columns import Categories, Column, Numbers

Array = npt.NDArray[np.float64]

STEEP = math.sqrt(3)
"""Of a ramp, in half ranges: steeper than the range allows, hence flat at both ends, it makes more of the middle."""

RAMP = 0.75
"""Part of a row's square that a ramp may take, where there are bends: they live in the room that it leaves."""

LONG = 0.25
"""Over which part of the range bends lose their memory."""


def root_of(column: Column, bends: int) -> Array:
    """With so many bends of a column of numbers, or as many as its knots allow."""
    if isinstance(column, Categories):
        return _apart(column)
    if bends == 0:
        return _ramp(column)[:, None]
    return _bent(column, min(bends, column.shown - 1) if column.shown > 2 else 0)


def _ramp(column: Numbers) -> Array:
    """Between −1 and 1; what is missing is in the middle."""
    along = np.linspace(-1.0, 1.0, column.shown)
    return np.append(np.clip(STEEP * along, -1.0, 1.0), 0.0)


def _bent(column: Numbers, bends: int) -> Array:
    """A ramp, the smoothest curves that are no constant, as large as the ramp leaves room for, and a number for what is
    missing."""
    many, ramp = column.shown, _ramp(column)
    result = np.zeros((many + 1, bends + 2))
    result[:, 0] = ramp * (math.sqrt(RAMP) if bends else 1.0)
    room = np.sqrt(1 - RAMP * ramp[:many] ** 2)
    result[:many, 1:-1] = room[:, None] * _curves(many, bends)
    result[many, -1] = 1.0
    return result


def _curves(many: int, bends: int) -> Array:
    """(knots, bends): the smoothest directions of a centred walk, at each knot of norm one, or of none."""
    at = np.linspace(0.0, 1.0, many)
    centred = np.eye(many) - 1 / many
    squares, directions = np.linalg.eigh(centred @ np.exp(-np.abs(at[:, None] - at) / LONG) @ centred)
    kept = slice(many - bends, many)
    curves = directions[:, kept] * np.sqrt(np.maximum(squares[kept], 0.0))
    norms = np.linalg.norm(curves, axis=1, keepdims=True)
    return np.asarray(curves / np.where(norms > 1e-9, norms, np.inf))


def _apart(column: Categories) -> Array:
    """Listed values as far from each other as unit vectors can be, with one number less than there are; one more for
    what is not listed, and one for what is missing."""
    many = column.shown
    result = np.zeros((many + 2, many + 1))
    if many > 1:
        _, directions = np.linalg.eigh(np.eye(many) - 1 / many)
        corners = directions[:, 1:]
        result[:many, : many - 1] = corners / np.linalg.norm(corners, axis=1, keepdims=True)
    result[many, many - 1] = result[many + 1, many] = 1.0
    return result


def even_directions(rows: Array) -> float:
    """In how many directions rows vary about alike, if all of them are as frequent: the square of their variances' sum
    over the sum of the squares."""
    away = rows - rows.mean(axis=0)
    squares = np.linalg.eigvalsh(away.T @ away if away.shape[1] <= away.shape[0] else away @ away.T)
    total = float(np.sum(squares))
    return total**2 / float(np.sum(squares**2)) if total > 0 else 0.0
