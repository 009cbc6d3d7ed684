"""Equipoise's additive models as they come: one private shape per column, public bounds given, nothing tuned."""

from __future__ import annotations

from typing import Any

import equipoise as eq
from benchmarks.utility.contenders.auto import fitted
from benchmarks.utility.contenders.contract import BOTH, OURS, Answers, Contender, Task
from benchmarks.utility.problem import Category, Problem, Split

WIDEST = 100
"""Columns, each of which becomes several."""


def fit(task: Task, _: None) -> Answers:
    """`AdditiveClassifier` or `AdditiveRegressor` on columns in their own units."""
    problem, split = task.problem, task.split
    assert problem.raw is not None
    columns = [
        tuple(range(len(column.levels))) if isinstance(column, Category) else (column.low, column.high)
        for column in problem.raw.columns
    ]
    categories = {place: levels for place, levels in enumerate(columns) if is_category(problem, place)}
    bounds = [(0.0, float(len(pair) - 1)) if place in categories else pair for place, pair in enumerate(columns)]
    shared: dict[str, Any] = {"column_bounds": bounds, "categories": categories}
    if problem.label_bounds is not None:
        model = vars(eq)["AdditiveRegressor"](task.epsilon, task.delta, label_bounds=problem.label_bounds, **shared)
    else:
        model = vars(eq)["AdditiveClassifier"](task.epsilon, task.delta, classes=list(range(problem.classes)), **shared)
    raw = Task(problem, Split(split.raw, split.y, split.raw_test, split.y_test, None, None), *price(task))
    return fitted(model, raw)


def is_category(problem: Problem, place: int) -> bool:
    """Whether a column is one of names."""
    return problem.raw is not None and isinstance(problem.raw.columns[place], Category)


def price(task: Task) -> tuple[float, float, int]:
    """ε, δ and the seed."""
    return task.epsilon, task.delta, task.seed


def served(problem: Problem) -> bool:
    """Columns that mean something by themselves."""
    return problem.raw is not None and len(problem.raw.columns) <= WIDEST


CONTENDERS = (
    (Contender("additive", OURS, fit, BOTH, served, family="additive", most_seeds=10),)
    if hasattr(eq, "AdditiveClassifier")
    else ()
)
