"""What is found out first: "auto" with as many rows as let it, and exchanges of one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from equipoise import estimators
from equipoise.audit.frozen.pairs_at_corners import Data, Pair
from equipoise.audit.subjects.targets import Target, fits

ROWS = 1500
"""A test asserts that "auto" chooses a length for so many, of numbers and of classes."""

USUAL = 0.1
"""Of the bound: how long all rows but one are."""

DELTA = 1e-3

LABELS_EPSILON = 6.0
"""Of an audit with a usual range of labels: so many rows are enough for it then, too."""

USUAL_LABEL = 0.05
"""Where all labels but one are, in bounds of −1 to 1."""


def found_first(epsilon: float) -> list[Target]:
    """A usual length of rows, and a usual range of labels."""
    return [*usual_lengths(epsilon), *usual_ranges(LABELS_EPSILON), *usual_ranges(epsilon, " roughly")]


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


def usual_ranges(epsilon: float, how: str = "") -> list[Target]:
    """Pure and not; found roughly at a smaller ε."""
    return [
        Target(
            name=f"LinearRegression, auto: a usual range of labels{how} first",
            epsilon=epsilon,
            delta=delta,
            release=fits(partial(estimators.LinearRegression, epsilon, delta, label_bounds=(-1.0, 1.0))),
            pairs=labels_exchanged(),
            effort=0.1,
            speaks_of=("LinearRegression",),
        )
        for delta in (0.0, DELTA)
    ]


def labels_exchanged() -> tuple[Pair, ...]:
    """Of the first label: as far off as it may be, among the others, or at nought."""
    return (
        Pair(
            "others close together; one at the one end, or at the other",
            _labelled(1.0),
            _labelled(-1.0),
        ),
        Pair(
            "others close together; one of them goes to the end",
            _labelled(USUAL_LABEL),
            _labelled(1.0),
        ),
        Pair("others at nought; one leaves it for the end", _labelled(0.0, 0.0), _labelled(1.0, 0.0)),
        Pair("others at the end; one leaves it", _labelled(1.0, 1.0), _labelled(-0.5, 1.0)),
    )


def _labelled(first: float, others: float = USUAL_LABEL) -> Data:
    labels = np.full(ROWS, others)
    labels[0] = first
    return np.ones((ROWS, 1)), labels
