"""Equipoise's additive models as they come: one private shape per column, public bounds given, nothing tuned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import equipoise as eq
from benchmarks.utility.contenders.auto import fitted
from benchmarks.utility.contenders.contract import BOTH, FEW_EPSILONS, OURS, Answers, Contender, Task
from benchmarks.utility.problem import Category, Number, Problem
from equipoise.estimators.additive.stated import KNOTS

MOST_COLUMNS, MOST_ROWS = 100, 200_000
"""Columns, each of which becomes several, and rows: beyond, a fit takes minutes."""


FLAG = 1.0
"""The weight of a column whose values are the two ends of its range (`Number.weight`)."""


def fit(task: Task, _: None) -> Answers:
    """`AdditiveClassifier` or `AdditiveRegressor` on columns in their own units."""
    own = replace(task, split=replace(task.split, X=task.split.raw, X_test=task.split.raw_test))
    return fitted(estimator(task), own)


def estimator(task: Task) -> Any:
    """For the task at hand."""
    problem = task.problem
    assert problem.raw is not None
    columns = dict(enumerate(problem.raw.columns))
    stated: dict[str, Any] = {
        "column_bounds": {place: (each.low, each.high) for place, each in columns.items() if isinstance(each, Number)},
        "knots": {place: knots(each) for place, each in columns.items() if isinstance(each, Number)},
        "categories": {
            place: list(range(len(each.levels))) for place, each in columns.items() if isinstance(each, Category)
        },
    }
    if problem.label_bounds is not None:
        return eq.AdditiveRegressor(task.epsilon, task.delta, label_bounds=problem.label_bounds, **stated)
    return eq.AdditiveClassifier(task.epsilon, task.delta, classes=list(range(problem.classes)), **stated)


def knots(column: Number) -> int | list[float]:
    """Between the ends of the range where values usually lie, which rows of linear models are scaled by too.  A flag,
    which they are told of as well, has its two values."""
    if column.weight == FLAG:
        return [column.low, column.high]
    if column.usual is None:
        return KNOTS
    low, high = max(column.low, column.usual[0]), min(column.high, column.usual[1])
    inner = np.linspace(low, high, KNOTS - (low > column.low) - (high < column.high))
    return sorted({column.low, *inner.tolist(), column.high})


def served(problem: Problem) -> bool:
    """Columns that mean something by themselves."""
    return problem.raw is not None and len(problem.raw.columns) <= MOST_COLUMNS and len(problem.y) <= MOST_ROWS


CONTENDERS = (Contender("additive", OURS, fit, BOTH, served, family="additive", most_seeds=3, epsilons=FEW_EPSILONS),)
