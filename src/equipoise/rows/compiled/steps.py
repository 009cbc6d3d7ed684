"""Compiled steps, asked for: each says whether it could be taken, and else numpy takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.rows import compiled

Array = npt.NDArray[np.float64]


def placed(values: npt.NDArray[Any], line: tuple[float, float], fill: float, weight: float, out: Array) -> bool:
    """Whether each value's place along its scale, `fill` where it is missing, was written to `out` times the weight.

    `line`: the middle of the scale, and by what to multiply what a value differs from it."""
    return compiled.CELLS is not None and compiled.CELLS.place(values, *line, fill, weight, out)


def lies_by_columns(block: Array) -> bool:
    """Whether a compiled step measures its rows, column after column."""
    return compiled.CELLS is not None and block.strides[0] == 8 and block.dtype == np.float64


def squares_by_columns(block: Array) -> Array | None:
    """The sum of squares of each row of such a block; None of any other."""
    if compiled.CELLS is None or not lies_by_columns(block):
        return None
    squares = np.empty(len(block))
    return squares if compiled.CELLS.squares(block.T, squares) else None


def measured(rows: Array, w: Array, products: Array, squares: Array) -> bool:
    """Whether each row's product with w and its sum of squares were written, both of one reading of the row."""
    return compiled.CELLS is not None and compiled.CELLS.products(rows, w, products, squares)


def shortened(block: Array, norms: Array, stays: float, lands: float) -> bool:
    """Whether rows of norms beyond `stays` were multiplied by `lands` over theirs, in place; the norms are used up."""
    return compiled.CELLS is not None and compiled.CELLS.shorten(block, norms, stays, lands)


def along_curve(values: Array, pieces: Array, first: int, shift: int, out: Array) -> bool:
    """Whether a curve's value at each number was written to `out`.  A piece is a middle and the coefficients around it;
    the bits of a number from `shift` on, less `first`, say which."""
    return compiled.CELLS is not None and compiled.CELLS.curve(values, pieces, first, shift, out)
