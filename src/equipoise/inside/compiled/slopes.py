"""What compiled passes know of a loss: its slope, as one of a few formulas with three numbers.

A loss that is not here is served by numpy.  tests/inside/test_compiled.py compares each with the loss's own slope.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.theory.losses import Loss
from equipoise.theory.losses.capped_logistic import CappedLogistic
from equipoise.theory.losses.capped_softmax import CappedSoftmax
from equipoise.theory.losses.clipped_softmax import ClippedSoftmax
from equipoise.theory.losses.huber import Huber
from equipoise.theory.losses.logistic import Logistic
from equipoise.theory.losses.smoothed_hinge import SmoothedHinge
from equipoise.theory.losses.softmax import Softmax, zero_sum_basis
from equipoise.theory.losses.squared import Squared
from equipoise.theory.losses.squared_hinge import SquaredHinge

Law = tuple[int, float, float, float]

CURVE, RESIDUAL, MARGIN, GIVEN = range(4)
"""The kinds that passes.c tells apart."""


class Several(NamedTuple):
    """The same of several scores a row, which are coordinates of the classes'."""

    kind: int
    bound: float
    basis: npt.NDArray[np.float64]
    """A row for each score, flat: how much of it every class has."""
    classes: int


SOFTMAX, CLIPPED, CAPPED = range(3)
"""Kinds of those."""

MOST_CLASSES = 16
"""With more, products of a whole block by a library of linear algebra are quicker than row after row."""

TIMES: Law = (GIVEN, 0.0, 0.0, 0.0)
"""The score times what is given in the label's place."""


def law_of(loss: Loss) -> Law | None:
    """Of one score; None where passes do not know it."""
    match loss:
        case Logistic():
            return (CURVE, 1.0, 0.0, 0.0)
        case CappedLogistic():
            return (CURVE, loss.cap, 0.0, 0.0)
        case Squared():
            return (RESIDUAL, 2.0, math.inf, 0.0)
        case Huber():
            return (RESIDUAL, loss.scale, loss.threshold, 0.0)
        case SmoothedHinge():
            return (MARGIN, 1 / (2 * loss.width), 1 + loss.width, 1.0)
        case SquaredHinge():
            return (MARGIN, 2.0, 1.0, math.inf)
    return None


def several_of(loss: Loss) -> Several | None:
    """Of several scores; None where passes do not know it, or do not pay."""
    match loss:
        case Softmax():
            kind, bound = SOFTMAX, math.inf
        case ClippedSoftmax():
            kind, bound = CLIPPED, loss.longest
        case CappedSoftmax():
            kind, bound = CAPPED, loss.cap
        case _:
            return None
    few = loss.classes <= MOST_CLASSES
    return Several(kind, bound, zero_sum_basis(loss.classes).reshape(-1), loss.classes) if few else None
