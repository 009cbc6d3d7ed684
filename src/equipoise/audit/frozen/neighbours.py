"""OPENS PRIVATE VALUES, for synthetic data only: a search for the neighbours that a fit tells apart most easily.

Structured corners come first, since random tables stay far from most bounds; then random tables; then the best is
moved uphill, a coordinate at a time.  What is measured is the un-noised distance by `replay`, as a share of what the
plan states.  A share above one refutes the plan; a share far below one refutes nothing and may mean a loose bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import positive, whole
from equipoise._docs import documented
from equipoise.audit.frozen.pairs_at_corners import Array, Data, Pair, corner_pairs
from equipoise.audit.frozen.replay import Replay, replay
from equipoise.audit.witness import AlwaysRaised
from equipoise.errors import InvalidInput
from equipoise.gate import Bits, noise_source

TINY = (8, 3)
"""Sizes at which the best corners are tried again: with few records, one is a large part."""

TRIED_AGAIN = 4
STRIDES = (0.5, 0.2, 0.08)
"""How far a coordinate is moved, in row norms."""


@documented(record=True)
@dataclass(frozen=True, slots=True)
class Worst:
    """The pair that came out worst."""

    left: Data
    right: Data
    case: str
    distance: float
    """Between the un-noised values, where the largest share was."""
    stated: float
    ratio: float
    replayed: Replay
    tried: int
    refused: int
    """Pairs of which the fit refused both tables, and alike: by a rule that it prints."""

    @property
    def holds(self) -> bool:
        """Whether even this pair did the same and stayed within what is stated."""
        return self.replayed.holds

    def __str__(self) -> str:
        return f"{self.ratio:.4f} of what is stated ({self.tried} pairs tried): {self.case}\n{self.replayed}"


@documented(returns="Worst: The pair, and how near it comes to what is stated.")
def worst_neighbours(
    fit: Callable[[Data], object],
    n: int,
    d: int,
    *,
    labels: tuple[Any, Any] = (-1, 1),
    row_norm: float = 1.0,
    numbers: bool = False,
    starts: int = 10,
    climbs: int = 30,
    sizes: tuple[int, ...] = TINY,
    random_state: int = 0,
) -> Worst:
    """Search tables of n records with d features, labelled with one of two labels, or (`numbers`) anything between.

    `fit((X, y))` fits, and asks where it answers; it is run twice for each pair.  Runs that do not do the same on
    both tables end the search at once: that is worse than any distance.
    """
    search = _Search(
        fit, (labels[0], labels[1]), positive(row_norm=row_norm), numbers, noise_source("equipoise", random_state)
    )
    corners = list(corner_pairs(whole(n=n), whole(d=d), search.labels, row_norm))
    if n < 2:
        raise InvalidInput(f"n={n}: must be at least 2, one record to exchange and one to keep")
    ranked = search.rank(corners)
    again = {pair.case for pair in ranked[:TRIED_AGAIN]}
    for size in sizes:
        if size < n:
            search.rank(
                [_named(pair, size) for pair in corner_pairs(size, d, search.labels, row_norm) if pair.case in again]
            )
    search.rank([search.random_pair(n, d) for _ in range(starts)])
    search.climb(climbs)
    return search.result()


def _named(pair: Pair, size: int) -> Pair:
    return replace(pair, case=f"{pair.case}; {size} records")


class _Search:
    """The best pair so far, and how new ones are made."""

    def __init__(
        self, fit: Callable[[Data], object], labels: tuple[Any, Any], row_norm: float, numbers: bool, bits: Bits
    ) -> None:
        self.labels = labels
        self._fit, self._row_norm, self._numbers, self._bits = fit, row_norm, numbers, bits
        self._best: tuple[Pair, Replay] | None = None
        self._tried = self._refused = 0

    def rank(self, pairs: list[Pair]) -> list[Pair]:
        """Try each, worst first."""
        scored = [(self._measure(pair), place) for place, pair in enumerate(pairs)]
        return [pairs[place] for _, place in sorted(scored, key=lambda item: (-item[0], item[1]))]

    def _measure(self, pair: Pair) -> float:
        if self._best is not None and self._best[1].problems:
            return 0.0
        self._tried += 1
        try:
            found = replay(self._fit, pair.left, pair.right)
        except AlwaysRaised:
            self._refused += 1
            return -1.0
        score = math.inf if found.problems else found.ratio
        if self._best is None or found.problems or found.ratio > self._best[1].ratio:
            self._best = pair, found
        return score

    def random_pair(self, n: int, d: int) -> Pair:
        """Rows in random directions, some of them short; the record exchanged at full length."""
        rows = self._between(-1.0, 1.0, n + 1, d)
        rows *= self._row_norm / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        rows[2:] *= self._between(0.0, 1.0, 1, 1) ** 2
        y = self._some_labels(n + 1)
        table, others = rows[2:], y[2:]
        return Pair(
            "random", (np.vstack([rows[:1], table]), np.append(y[:1], others)), (rows[1:], np.append(y[1:2], others))
        )

    def climb(self, steps: int) -> None:
        """Move one coordinate of the exchanged records, or all others together; keep what is worse for privacy."""
        for step in range(steps):
            if self._best is None or self._best[1].problems:
                return
            stride = STRIDES[step * len(STRIDES) // steps] * self._row_norm
            self._measure(self._moved(self._best[0], stride))

    def _moved(self, pair: Pair, stride: float) -> Pair:
        (X, y), (X2, y2) = ((np.array(rows), np.array(names)) for rows, names in (pair.left, pair.right))
        way = self._between(-stride, stride, 1, X.shape[1])[0]
        which = self._whole(5)
        if which in (0, 1):
            (X, X2)[which][0] += way
        elif which == 2:
            X[1:] += way
            X2[1:] = X[1:]
        elif which == 3:
            X[1:] *= 1 + way[0] / self._row_norm
            X2[1:] = X[1:]
        else:
            (y if self._whole(2) else y2)[0] = self._some_labels(1)[0]
        case = pair.case if pair.case.endswith("moved uphill") else f"{pair.case}; moved uphill"
        return Pair(case, (self._clipped(X), y), (self._clipped(X2), y2))

    def _clipped(self, rows: Array) -> Array:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows * np.minimum(1.0, self._row_norm / np.maximum(norms, 1e-300)))

    def _between(self, low: float, high: float, rows: int, columns: int) -> Array:
        shares = (self._bits.words(rows * columns) >> np.uint64(11)) * 2.0**-53
        return np.asarray(low + (high - low) * shares.reshape(rows, columns))

    def _whole(self, below: int) -> int:
        return int(self._bits.words(1)[0] >> np.uint64(11)) % below

    def _some_labels(self, count: int) -> npt.NDArray[Any]:
        shares = self._between(0.0, 1.0, count, 1)[:, 0]
        if self._numbers:
            return np.asarray(self.labels[0] + (self.labels[1] - self.labels[0]) * shares)
        return np.asarray(np.where(shares < 0.5, self.labels[0], self.labels[1]))

    def result(self) -> Worst:
        if self._best is None:
            raise InvalidInput("fit: refused every table, check n, d and labels")
        pair, found = self._best
        distance, stated = (found.distance, found.stated) if found.crossings else (math.nan, math.nan)
        return Worst(pair.left, pair.right, pair.case, distance, stated, found.ratio, found, self._tried, self._refused)
