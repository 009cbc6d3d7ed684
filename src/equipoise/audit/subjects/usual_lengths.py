"""A usual length, chosen first: "auto" with as many rows as let it find out how long they are, and exchanges of one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.targets import Target, fits

ROWS = 1300
"""A test asserts that "auto" chooses a length for so many, of numbers and of classes."""

USUAL = 0.1
"""Of the bound: how long all rows but one are."""

DELTA = 1e-3


def usual_lengths(epsilon: float) -> list[Target]:
    """One target for each kind of label, pure and not."""
    numbers = partial(estimators.LinearRegression, epsilon, label_bounds=(-1.0, 1.0))
    classes = partial(estimators.LogisticRegression, epsilon, classes=(-1, 1))
    made: list[tuple[str, Any]] = [("LinearRegression", numbers), ("LogisticRegression", classes)]
    return [
        Target(
            name=f"{name}, auto: a usual length first",
            epsilon=epsilon,
            delta=delta,
            release=fits(partial(make, delta=delta)),
            pairs=exchanges(),
            effort=0.1,
            speaks_of=(name,),
        )
        for name, make in made
        for delta in (0.0, DELTA)
    ]


def exchanges() -> tuple[Pair, ...]:
    """Of the first row: as long as it may be, as long as the others, or shorter."""
    return (
        Pair("others a tenth as long as they may be; a longest row says the opposite", _table(1.0, 1), _table(1.0, -1)),
        Pair(
            "others a tenth as long as they may be; one of them says the opposite", _table(USUAL, 1), _table(USUAL, -1)
        ),
        Pair("others a tenth as long as they may be; one becomes longest", _table(USUAL, 1), _table(1.0, 1)),
        Pair("others zero; a row appears that says the opposite", _table(1.0, 1, 0.0), _table(-1.0, -1, 0.0)),
    )


def _table(first: float, label: int, others: float = USUAL) -> Data:
    rows = np.full((ROWS, 1), others)
    labels = np.where(np.arange(ROWS) % 2, -1, 1)
    rows[0], labels[0] = first, label
    return rows, labels
