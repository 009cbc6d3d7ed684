"""Symmetric matrices as vectors of the same length, which is what noise is made for."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from equipoise.theory.rounding import down

Array = npt.NDArray[np.float64]


def numbers(columns: int) -> int:
    """In the upper triangle."""
    return columns * (columns + 1) // 2


def stretch(columns: int) -> Array:
    """√2 off the diagonal, so that the L2 norm of the upper triangle is the Frobenius norm of the matrix."""
    rows, others = np.triu_indices(columns)
    return np.where(rows == others, 1.0, down(math.sqrt(2)))


def matrix(triangle: Array, columns: int) -> Array:
    """From an upper triangle that was stretched."""
    square = np.zeros((columns, columns))
    square[np.triu_indices(columns)] = triangle / stretch(columns)
    return np.asarray(np.triu(square) + np.triu(square, 1).T)
