"""diffprivlib 0.6.6 with its defaults, in its own environment: LogisticRegression and LinearRegression.

Its ε is what it says; docs/explanation/peers.md shows that both promise more privacy than they keep.
"""

from __future__ import annotations

from benchmarks.utility.contenders.contract import PEER, PURE, Answers, Contender, Task
from benchmarks.utility.doors.door import open_door
from benchmarks.utility.problem import Problem

LARGEST = 20_000_000
"""Numbers of a dense table; it takes no sparse ones."""


def fit(task: Task, _: None) -> Answers:
    """Rows of norm one, columns within ±1, labels within their bounds."""
    split, problem = task.split, task.problem
    low, high = problem.label_bounds or (0.0, 1.0)
    tables = {name: getattr(split, name) for name in ("X", "y", "X_test")}
    tables = {name: value.toarray() if hasattr(value, "toarray") else value for name, value in tables.items()}
    classes = 0 if problem.task == "regression" else problem.classes
    asked = {"epsilon": task.epsilon, "classes": classes, "low": low, "high": high}
    return Answers(open_door("diffprivlib").answers(tables, **asked))


def small(problem: Problem) -> bool:
    """A table that fits densely; its regression has a Laplace draw for each pair of columns."""
    if problem.task == "regression" and problem.d > 100:
        return False
    return len(problem.y) * problem.d <= LARGEST


CONTENDERS = (Contender("diffprivlib", PEER, fit, PURE, small, version="0.6.6", most_seeds=10),)
