"""Shapes that may only rise or only fall: the nearest such values to the released ones, which costs no privacy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from equipoise.theory.additive.basis import Basis

Array = npt.NDArray[np.float64]


def in_order(basis: Basis, coef: Array, directions: tuple[tuple[int, int], ...]) -> Array:
    """A copy in which each (column, ±1) rises or falls from knot to knot; its slot for missing values stays."""
    result = np.array(coef)
    for place, direction in directions:
        span = basis.spans[place]
        knots = slice(span.start, span.start + basis.columns[place].shown)
        for values in result:
            values[knots] = isotonic_regression(values[knots], increasing=direction > 0).x
    return result
