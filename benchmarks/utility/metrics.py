"""How answers are judged on held-out rows."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.utility.problem import Array, Problem

CLASSIFICATION = ("accuracy", "auc", "log_loss", "brier")
REGRESSION = ("r2", "mse")
LEAST_CHANCE = 1e-6
"""A probability below counts as this, for nobody to lose everything by one row."""


def primary(task: str) -> str:
    """The measure that claims are about; larger is better."""
    return "r2" if task == "regression" else "accuracy"


def judge(values: Array, y: Array, problem: Problem) -> dict[str, float]:
    """All measures of the task; the Brier score is summed over classes for more than two, halved for two."""
    if not np.all(np.isfinite(values)):
        raise FloatingPointError("answers are not finite")
    if problem.task == "regression":
        error = float(np.mean((values - y) ** 2))
        return {"r2": 1 - error / float(np.var(y)), "mse": error}
    chances = np.clip(values, LEAST_CHANCE, 1)
    chances = chances / chances.sum(axis=1, keepdims=True)
    truth = np.eye(problem.classes)[y]
    brier = np.mean(np.sum((chances - truth) ** 2, axis=1)) / (2 if problem.classes == 2 else 1)
    return {
        "accuracy": float(np.mean(values.argmax(axis=1) == y)),
        "auc": _auc(values, y, problem.classes),
        "log_loss": float(-np.mean(np.log(chances[np.arange(len(y)), y]))),
        "brier": float(brier),
    }


def _auc(values: Array, y: Array, classes: int) -> float:
    """Of two classes, or the mean over classes of each against the rest; those without a row are passed over."""
    if classes == 2:
        return float(roc_auc_score(y, values[:, 1])) if 0 < y.mean() < 1 else 0.5
    seen = [place for place in range(classes) if 0 < np.mean(y == place) < 1]
    return float(np.mean([roc_auc_score(y == place, values[:, place]) for place in seen]))
