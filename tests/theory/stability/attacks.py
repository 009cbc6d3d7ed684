"""Pairs of neighbours that move an algorithm as far as they can, and searches for one that moves it further."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Slope = Callable[[Array, Array], Array]
"""(scores, labels) ↦ the loss's slope."""


def linear(scores: Array, labels: Array) -> Array:
    """The loss label·score: no curvature, so nothing ever brings points together."""
    return labels


def logistic(scores: Array, labels: Array) -> Array:
    return np.asarray(-labels / (1 + np.exp(labels * scores)), dtype=np.float64)


def hinge(scores: Array, labels: Array) -> Array:
    return np.where(labels * scores < 1, -labels, 0.0)


def descend(
    rows: Array,
    labels: Array,
    slope: Slope,
    steps: Sequence[float],
    *,
    batch: int = 1,
    ridge: float = 0.0,
    ball: float = np.inf,
    average: bool = False,
    start: Array | None = None,
) -> Array:
    """Steps over the rows in their order, pass after pass; every batch divided by the same number."""
    w = np.zeros(rows.shape[1]) if start is None else start.copy()
    places, total = len(rows) // batch, np.zeros(rows.shape[1])
    for place, step in enumerate(steps):
        part = slice(batch * (place % places), batch * (place % places) + batch)
        push = rows[part].T @ slope(rows[part] @ w, labels[part]) / batch
        w = w - step * (push + ridge * w)
        length = float(np.linalg.norm(w))
        w = w if length <= ball else w * (ball / length)
        total += w
    return total / len(steps) if average else w


def moved(
    rows: Array, labels: Array, place: int, row: Array, label: float, run: Callable[[Array, Array], Array]
) -> float:
    """How far replacing one record moves what `run` returns."""
    other, names = rows.copy(), labels.copy()
    other[place], names[place] = row, label
    return float(np.linalg.norm(run(rows, labels) - run(other, names)))


def worst_place(n: int, run: Callable[[Array, Array], Array], columns: int = 1) -> float:
    """The linear attack at every place: the record pushes one way, its replacement the other."""
    rows, labels = np.zeros((n, columns)), np.ones(n)
    rows[:, 0] = 1.0
    return max(moved(rows, labels, place, rows[place], -1.0, run) for place in range(n))


def searched(
    tries: int, n: int, run: Callable[[Array, Array], Array], seed: int = 0, columns: int = 2, spread: float = 1.0
) -> float:
    """The furthest that random neighbours with rows of norm one, at random places, move it."""
    rng = np.random.default_rng(seed)
    most = 0.0
    for _ in range(tries):
        rows = rng.normal(size=(n + 1, columns))
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True) * rng.uniform(0, spread))
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True))
        labels = rng.choice([-1.0, 1.0], size=n + 1)
        most = max(most, moved(rows[:n], labels[:n], int(rng.integers(n)), rows[n], labels[n], run))
    return most
