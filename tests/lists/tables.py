"""Small tables for every loss, and the public facts that go with them: the one list that mechanisms are tried on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from tests.lists.losses import classes_of

from equipoise.inside import Private, Records, enter
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Loss, is_regression, needs_ball
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ROWS, COLUMNS = 60, 3
BALL = 1.5
"""For losses whose slope has no bound without one."""


def facts_of(loss: Loss, n: int = ROWS, columns: int = COLUMNS, alpha: float = 0.2) -> Facts:
    ball = BALL if needs_ball(loss) else math.inf
    return Facts(loss, L2(alpha), Bounds(1.0, 0.5, coef_norm=ball), n, columns + 1)


def table(loss: Loss, n: int = ROWS, columns: int = COLUMNS, seed: int = 0) -> tuple[Array, npt.NDArray[Any], Bounds]:
    """Rows, labels as a caller gives them, and the bounds that code them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, columns)) * 0.7
    if is_regression(loss):
        return X, np.clip(X[:, 0] + 0.1 * rng.standard_normal(n), -1, 1), Bounds(1.0, 0.5, label_range=(-1.0, 1.0))
    classes = classes_of(loss)
    return X, rng.integers(classes, size=n), Bounds(1.0, 0.5, classes=tuple(range(classes)))


def records_of(loss: Loss, n: int = ROWS, seed: int = 0) -> Private[Records]:
    return enter(*table(loss, n, seed=seed))
