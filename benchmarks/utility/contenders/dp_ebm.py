"""InterpretML's private boosted additive models (interpret-core 0.7.8), with their defaults and the public bounds.

Its neighbours differ by one row added or removed, half the distance of a replaced one: its ε is the weaker promise.
"""

from __future__ import annotations

from benchmarks.utility.contenders.contract import APPROXIMATE, FEW_EPSILONS, PEER, Answers, Contender, Task
from benchmarks.utility.doors.door import open_door
from benchmarks.utility.problem import Category, Number, Problem

MOST_COLUMNS, MOST_ROWS = 60, 200_000


def fit(task: Task, _: None) -> Answers:
    """Columns in their own units."""
    split, problem = task.split, task.problem
    assert problem.raw is not None
    assert split.raw is not None
    assert split.raw_test is not None
    columns = problem.raw.columns
    low, high = problem.label_bounds or (0.0, 1.0)
    asked = {
        "epsilon": task.epsilon,
        "delta": task.delta,
        "classes": 0 if problem.task == "regression" else problem.classes,
        "low": low,
        "high": high,
        "nominal": [isinstance(column, Category) for column in columns],
        "bounds": [(column.low, column.high) if isinstance(column, Number) else (0, 1) for column in columns],
    }
    tables = {"X": split.raw, "y": split.y, "X_test": split.raw_test}
    return Answers(open_door("interpret").answers(tables, **asked))


def served(problem: Problem) -> bool:
    """Two classes or numbers, and columns that mean something by themselves, not too many for its patience."""
    if problem.raw is None or len(problem.raw.columns) > MOST_COLUMNS:
        return False
    return problem.task != "multiclass" and len(problem.y) <= MOST_ROWS


CONTENDERS = (
    Contender(
        "DP-EBM",
        PEER,
        fit,
        APPROXIMATE,
        served,
        family="additive",
        version="0.7.8",
        most_seeds=3,
        epsilons=FEW_EPSILONS,
    ),
)
