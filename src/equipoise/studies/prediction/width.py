"""How noise grows with the number of columns: rows of norm one, whose first columns carry all the signal.

Two fits that differ by their seed alone answer the same questions; the difference of their scores is noise.  Stable
answers and a released model share ridge, ε and δ = 0, so that only the way of adding noise differs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise.answering import StablePredictor
from equipoise.estimators import LogisticRegression
from equipoise.studies.prediction.answers import Task

Array = npt.NDArray[np.float64]

TABLE = "simulated"
ROWS, QUESTIONS = 4000, 500
EPSILON = 1.0
ALPHA = 0.01
SIGNAL_COLUMNS, SIGNAL_NORM = 4, 0.8
KINDS = ("stable", "model")


def places(widths: tuple[int, ...]) -> Iterator[tuple[str, str, float, int]]:
    """(table, method, ε, columns)."""
    for width in widths:
        yield from ((TABLE, kind, EPSILON, width) for kind in KINDS)


def drawn(width: int, seed: int) -> tuple[Array, Array]:
    """Norm 0.8 in the first four columns, 0.6 in the others: norm one however many there are."""
    normal = np.asarray(stats.norm.rvs(size=(ROWS + QUESTIONS, width), random_state=seed))
    head, tail = normal[:, :SIGNAL_COLUMNS], normal[:, SIGNAL_COLUMNS:]
    X = np.hstack([SIGNAL_NORM * _unit(head), math.sqrt(1 - SIGNAL_NORM**2) * _unit(tail)])
    return X, np.asarray(head[:, 0] > 0, dtype=np.float64)


def _unit(rows: Array) -> Array:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def measure(task: Task) -> dict[str, float]:
    """The standard deviation of the noise in a score, and the share of wrong answers."""
    X, y = drawn(task.size, task.repeat)
    asked = X[ROWS:]
    models = [_made(task, task.noise_seed + turn).fit(X[:ROWS], y[:ROWS]) for turn in (0, 1)]
    scores = [np.asarray(model.decision_function(asked)) for model in models]
    wrong = [np.mean((score > 0) != (y[ROWS:] == 1)) for score in scores]
    return {"noise": float(np.sqrt(np.mean((scores[0] - scores[1]) ** 2) / 2)), "error": float(np.mean(wrong))}


def _made(task: Task, seed: int) -> Any:
    if task.method == "stable":
        return StablePredictor(task.epsilon, alpha=ALPHA, random_state=seed)
    return LogisticRegression(task.epsilon, mechanism="output", alpha=ALPHA, classes=[0, 1], random_state=seed)
