"""Choosing a grid: every two candidates are compared by what the finer one sees and the coarser one does not.

Constants and defaults of docs/proofs/histogram_density.md, sections 3 and 4; all of them functions of public facts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from equipoise._checks import positive
from equipoise.theory.rounding import up
from equipoise.theory.tables.density import Shape, cells_of

Array = npt.NDArray[np.float64]

WIDTHS = (1 / 4, 1 / 8, 1 / 16, 1 / 32)
"""Standard deviations, in sides of the box, of the invented humps under which grids are judged beforehand."""

TRUST = 1.0
"""A grid whose predicted error is r times the best one's counts r^TRUST times less beforehand."""

FAINTEST = -50.0
"""The logarithm of the least likely grid's weight: none is ruled out."""


def common_grid(first: Shape, second: Shape) -> Shape:
    """The finest grid of which both are refinements."""
    return tuple(math.gcd(one, other) for one, other in zip(first, second, strict=True))


def detail(energy: int, records: int) -> float:
    """√((n+1)/(n−1))·‖f − f_G‖: what a grid sees beyond a coarser one, from the whole number mΣc² − m_GΣC²."""
    return math.sqrt((records + 1) / (records - 1) * (energy / records**2))


def of_detail(records: int, cells: int) -> float:
    """√(2m(n+1)/(n−1))/n: how far one replaced record moves `detail` of m cells beyond any coarser grid."""
    return up(math.sqrt(2 * cells * (records + 1) / (records - 1)) / records)


def duel(details: tuple[float, float], charges: tuple[float, float], reaches: tuple[float, float]) -> float:
    """How clearly the first of two grids beats the second, in units of what one record can do; its sign is that of L.

    Each grid's detail beyond their common grid is lifted by what it is cheaper than the other; `reaches` bound how far
    one record moves each detail.
    """
    dearer = max(charges)
    lifted = [math.sqrt(own**2 + (dearer - charge)) for own, charge in zip(details, charges, strict=True)]
    reach = sum(reaches)
    return (lifted[0] - lifted[1]) / reach if reach > 0 else 0.0


def head_starts(weights: Sequence[float], epsilon: float) -> Array:
    """What the logarithms of weights are worth beside scores that one record moves by 1."""
    return 2 / positive(epsilon=epsilon) * np.array(weights, dtype=np.float64)


def least_lead(duels: Array, starts: Array) -> Array:
    """For each grid its lead, head starts included, over the opponent against whom it does worst."""
    return np.asarray((duels + (starts[:, None] - starts)).min(axis=1))


def lead_moved(records: int, starts: Array) -> float:
    """How far one record moves a least lead: 1, and what rounding adds to numbers of this size."""
    return 1 + 2.0**-46 * records + 2.0**-51 * float(np.ptp(starts))


def beforehand(records: int, shapes: Sequence[Shape], noise_scale: float) -> tuple[float, ...]:
    """Logarithms of the weight of every grid before a record is seen; the likeliest has 0.

    Each of several invented humps judges the grids by the error that public facts predict under it.
    """
    total = np.zeros(len(shapes))
    for width in WIDTHS:
        errors = np.array([predicted_error(records, shape, noise_scale, width) for shape in shapes])
        total += (errors.min() / errors) ** TRUST
    return tuple(float(each) for each in np.maximum(np.log(total / total.max()), FAINTEST))


def predicted_error(records: int, shape: Shape, noise_scale: float, width: float) -> float:
    """Integrated squared error of a hump's private histogram: what cells blur, sampling, and noise on counts."""
    cells = cells_of(shape)
    sharp = (math.erf(0.5 / width) / (2 * math.sqrt(math.pi) * width)) ** len(shape)
    blurred = sharp - math.prod(_seen(bins, width) for bins in shape)
    return max(blurred, 0.0) + cells / records + min(2 * (cells * noise_scale / records) ** 2, 2.0)


def _seen(bins: int, width: float) -> float:
    """‖f‖² of the histogram, with so many bins, of a hump in the middle of the unit interval."""
    reach = (np.arange(bins + 1) / bins - 0.5) / (width * math.sqrt(2))
    return bins * float(np.sum(np.diff(erf(reach) / 2) ** 2))
