"""Every mechanism with every loss and budget it serves: the one list that contract tests go by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tests.lists.losses import ONE_EACH
from tests.lists.tables import facts_of

from equipoise.gate import MECHANISMS
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Plan

BUDGETS = [Budget(0.5), Budget(0.5, 1e-6)]

GENERAL = [name for name, option in MECHANISMS.items() if not option.needs.quadratic]
"""The mechanisms that serve every smooth loss."""

ON_GRID = [name for name, option in MECHANISMS.items() if option.on_grid]
"""What they release is a noisy minimiser on a grid; the others compute their output from noisy numbers."""

Case = tuple[str, Loss, Budget]


def cases(budgets: Sequence[Budget] = BUDGETS) -> list[Case]:
    return [case for case in every(budgets) if MECHANISMS[case[0]].needs.met_by(*case[1:])]


def refused(budgets: Sequence[Budget] = BUDGETS) -> list[Case]:
    """What a description says is not served."""
    return [case for case in every(budgets) if not MECHANISMS[case[0]].needs.met_by(*case[1:])]


def every(budgets: Sequence[Budget]) -> list[Case]:
    return [(name, loss, budget) for name in MECHANISMS for loss in ONE_EACH for budget in budgets]


def plans(budgets: Sequence[Budget] = BUDGETS) -> list[Plan]:
    return list(_planned(tuple(budgets)))


@cache
def _planned(budgets: tuple[Budget, ...]) -> tuple[Plan, ...]:
    """Once: every worker lists them several times before its first test."""
    return tuple(MECHANISMS[name].plan(facts_of(loss), budget) for name, loss, budget in cases(budgets))
