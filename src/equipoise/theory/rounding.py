"""The one place that rounds towards privacy: sensitivities and costs up, what is left of a budget down.

A formula in doubles is off by a few units of its last place for each operation.  A factor beyond that puts the result
on the safe side, whichever way the operations erred.  The margins are far more than needed, and too small to be seen.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", float, npt.NDArray[np.float64])

ONE_STEP = 1e-15
"""Covers a product, a quotient or a root: nine units of the last place."""

FEW_STEPS = 1e-14
"""Covers a handful of operations: ninety units."""

FORMULA = 1e-12
"""Covers logarithms, exponentials and special functions, and sums of a few terms: nine thousand units."""

LONG_SUM = 1e-9
"""Covers sums over many terms and roots found by search."""

GRID_ROOM = 1e-7
"""Leaves room for what a grid adds to the ε of Gaussian noise, where the noise is planned later."""

WELL_CLEAR = 1e-6
"""Covers minima found by search, and keeps clear of a border where exactness gains nothing."""

TAIL_BOUND = 2.0**-30
"""Covers the bounds on what arithmetic adds to δ, where a part in a billion is nothing."""


def up(value: Number, margin: float = FEW_STEPS) -> Number:
    """Rounded up: a sensitivity, a noise scale, a cost."""
    return value * (1 + margin)


def down(value: Number, margin: float = ONE_STEP) -> Number:
    """Rounded down: a share of a budget, what is left of one."""
    return value * (1 - margin)
