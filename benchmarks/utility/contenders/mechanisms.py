"""Each mechanism of the library by its name; what "auto" might have taken."""

from __future__ import annotations

from benchmarks.utility.contenders.auto import estimator, fitted
from benchmarks.utility.contenders.contract import APPROXIMATE, BOTH, FEW_EPSILONS, OURS, Answers, Contender, Task
from benchmarks.utility.problem import Problem
from equipoise.gate import MECHANISMS

WIDEST = {"functional": 200, "sufficient-statistics": 500, "projected-histogram": 3}
"""Columns beyond which a mechanism is hopeless, or takes minutes."""

LEFT_OUT = ("output-as-printed",)
"""The audit shows that its constant is too small; it is not private."""

CALLED = {"constant": "private constant"}
"""What another contender's name would hide."""


def contender(name: str) -> Contender:
    """By that name."""
    needs = MECHANISMS[name].needs

    def fit(task: Task, _: None) -> Answers:
        return fitted(estimator(task, mechanism=name), task)

    def applies(problem: Problem) -> bool:
        narrow = problem.d < min(needs.most_features, WIDEST.get(name, 1_000_000))
        return narrow and (problem.task == "regression" or not needs.quadratic)

    return Contender(
        CALLED.get(name, name),
        OURS,
        fit,
        APPROXIMATE if needs.delta else BOTH,
        applies,
        most_seeds=3,
        epsilons=FEW_EPSILONS,
    )


CONTENDERS = tuple(contender(name) for name in MECHANISMS if name not in LEFT_OUT)
