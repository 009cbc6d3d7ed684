"""x with P(|Z| ≥ x) = v, Z standard normal, for very many v: polynomials on 1,024 cells, a quarter of ndtri's time.

Which cell is told by the leading bits of v as a double: its power of two, and 32 cells from one power to the next.  On
each a polynomial of degree six goes through seven values of ndtri.  How far it errs: docs/proofs/prediction.md, 5.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import ndtri

from equipoise.gate.noise.halves import Array
from equipoise.rows.compiled.steps import along_curve

POWERS, CELLS, DEGREE = 32, 32, 6
"""Of v from 2^-32 to 1."""

ERROR = 2.0**-44
"""Most that x is off by."""

SHIFT = 52 - 5
"""Bits of a double below those that tell its cell."""

FIRST = (1023 - POWERS) * CELLS
"""The leading bits of 2^-32."""


def normal_tails(v: Array) -> Array:
    """x for each v, from 2^-32 to below 1."""
    pieces, found = _pieces(), np.empty(len(v))
    if along_curve(v, pieces, FIRST, SHIFT, found):
        return found
    place = (v.view(np.int64) >> SHIFT) - FIRST
    centres, *coefficients = pieces.T
    apart = v - centres.take(place)
    found[:] = coefficients[0].take(place)
    for each in coefficients[1:]:
        found *= apart
        found += each.take(place)
    return found


@cache
def _pieces() -> Array:
    """For each cell its middle, and the coefficients of powers of what v differs from it, the highest first."""
    power = 2.0 ** np.arange(-POWERS, 0)[:, None]
    half = np.repeat(power / (2 * CELLS), CELLS, axis=1).ravel()
    middle = (power * (1 + (np.arange(CELLS) + 0.5) / CELLS)).ravel()
    nodes = chebyshev.chebpts1(DEGREE + 1)
    values = -ndtri((middle[:, None] + half[:, None] * nodes) / 2)
    powers = np.linalg.solve(np.vander(nodes, DEGREE + 1), values.T).T / half[:, None] ** np.arange(DEGREE, -1, -1)
    return np.ascontiguousarray(np.column_stack([middle, powers]))
