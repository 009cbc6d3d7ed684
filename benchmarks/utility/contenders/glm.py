"""What the reference implementations of peers share: rows with a constant column, slopes, noise, answers.

Labels are coded as in the library: classes jointly (softmax; one column of scores for two classes), numbers scaled to
[−1, 1] by their public bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse, special

from benchmarks.utility.contenders.contract import Answers, Task
from benchmarks.utility.problem import Array, is_sparse

CONSTANT = 0.5
"""The column for the intercept, as the library has it."""

ROW = float(np.sqrt(1 + CONSTANT**2))
"""The longest row, the constant included."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Training and held-out rows with their constant, and labels as the losses want them."""

    X: Any
    targets: Array
    X_test: Any
    task: Task

    @property
    def outputs(self) -> int:
        return int(self.targets.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.X.shape[1]), self.outputs

    def slopes(self, weights: Array, places: Any = slice(None)) -> Array:
        """Derivatives of the loss by the scores, row by row."""
        scores = self.X[places] @ weights
        targets = self.targets[places]
        if self.task.problem.task == "regression":
            return np.asarray(scores - targets)
        if self.outputs == 1:
            return np.asarray(special.expit(scores) - targets)
        return np.asarray(special.softmax(scores, axis=1) - targets)

    def answers(self, weights: Array) -> Answers:
        """Of the held-out rows."""
        scores = self.X_test @ weights
        problem = self.task.problem
        if problem.label_bounds is not None:
            low, high = problem.label_bounds
            return Answers((low + high) / 2 + (high - low) / 2 * scores[:, 0])
        if self.outputs == 1:
            chances = special.expit(scores[:, 0])
            return Answers(np.column_stack([1 - chances, chances]))
        return Answers(special.softmax(scores, axis=1))


def rows(task: Task) -> Rows:
    """The task's rows and labels."""
    split, problem = task.split, task.problem
    if problem.label_bounds is not None:
        low, high = problem.label_bounds
        targets = (2 * (np.clip(split.y, low, high) - low) / (high - low) - 1)[:, None]
    elif problem.classes == 2:
        targets = split.y[:, None].astype(float)
    else:
        targets = np.eye(problem.classes)[split.y]
    return Rows(with_constant(split.X), targets, with_constant(split.X_test), task)


def with_constant(X: Any) -> Any:
    """One more column."""
    column = np.full((X.shape[0], 1), CONSTANT)
    return sparse.hstack([X, sparse.csr_matrix(column)], format="csr") if is_sparse(X) else np.hstack([X, column])


def steepest(task: Task) -> float:
    """Largest norm of the slopes by the scores: 1, √2 jointly for classes, 2 for residuals of a score within ±1."""
    return {"binary": 1.0, "multiclass": float(np.sqrt(2)), "regression": 2.0}[task.problem.task]


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The μ of Gaussian differential privacy that (ε, δ) allows, by bisection on the exact curve."""
    low, high = 1e-6, 50.0
    for _ in range(100):
        middle = np.sqrt(low * high)
        spent = special.ndtr(middle / 2 - epsilon / middle)
        spent -= np.exp(epsilon + special.log_ndtr(-middle / 2 - epsilon / middle))
        low, high = (middle, high) if spent <= delta else (low, middle)
    return float(low)
