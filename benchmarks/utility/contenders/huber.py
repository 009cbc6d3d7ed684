"""Equipoise's Huber regression as it comes."""

from __future__ import annotations

import equipoise as eq
from benchmarks.utility.contenders.auto import fitted
from benchmarks.utility.contenders.contract import BOTH, OURS, Answers, Contender, Task, regression


def fit(task: Task, _: None) -> Answers:
    """`HuberRegressor` with mechanism="auto"."""
    bounds = task.problem.label_bounds
    assert bounds is not None
    return fitted(eq.HuberRegressor(task.epsilon, task.delta, label_bounds=bounds), task)


CONTENDERS = (Contender("huber", OURS, fit, BOTH, regression, most_seeds=10),)
