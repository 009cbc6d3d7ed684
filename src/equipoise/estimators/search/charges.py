"""A search's plans and groups in the words of theory/accounting/searches.py, and the share that promises best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from equipoise.errors import MechanismRefused
from equipoise.estimators.search.base import Problem
from equipoise.estimators.search.parts import Groups
from equipoise.gate import MECHANISMS
from equipoise.theory.accounting import runs, searches
from equipoise.theory.accounting.shares import Share
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Plan

T = TypeVar("T")

INSTEAD = (24.0, 18.0, 13.0, 10.0, 8.0)
"""Of ε: at the last of them arithmetic costs next to nothing in any search."""


def for_one_row(budget: Budget, groups: Groups | None) -> Budget:
    """What the rows of one person may cost each."""
    return searches.for_one_row(budget, rows_of_one(groups))


def parallel_event(plans: Sequence[Plan], choosing: bool, budget: Budget, groups: Groups | None) -> Event:
    """Fits on disjoint parts and, on one more part, a choice."""
    return searches.parallel_event([plan.event for plan in plans], choosing, budget, rows_of_one(groups))


def whole_event(budget: Budget, pure: bool, numeric: float, groups: Groups | None) -> Event:
    """The budget as one event."""
    return searches.whole_event(budget, pure, numeric, rows_of_one(groups))


def rows_of_one(groups: Groups | None) -> int | None:
    """The most rows of one person; None where the unit is the row."""
    return None if groups is None else groups.largest


def within_arithmetic(settle: Callable[[Budget], tuple[T, Event]], budget: Budget) -> tuple[T, Event]:
    """What is settled for the budget.  Arithmetic costs δ about e^ε times a tiny tail: where that is too much, what is
    settled for a smaller ε, which is private at the larger one as well, and charged as asked."""
    try:
        return settle(budget)
    except MechanismRefused as refused:
        for smaller in (each for each in INSTEAD if each < budget.epsilon):
            with suppress(MechanismRefused):
                found, event = settle(replace(budget, epsilon=smaller))
                return found, searches.charged(event, budget, runs.delta_numeric(event, smaller))
        raise refused


def best_share(settle: Callable[[Budget], Problem], shares: Sequence[Share]) -> tuple[Problem, Share]:
    """The problem settled with the share that promises best.  Planning is public, so trying costs nothing."""
    tried = [(_tried(settle, share), share) for share in shares]
    usable = [(problem, share) for problem, share in tried if problem is not None]
    if not usable:
        settle(shares[0].budget)  # which usually says why
        raise MechanismRefused("param_grid: no share of the budget serves every candidate, try fewer of them")
    return min(usable, key=lambda pair: _promise(pair[0]))


def _tried(settle: Callable[[Budget], Problem], share: Share) -> Problem | None:
    """None where a candidate's mechanism cannot work with this share, or is not what the share was derived for."""
    try:
        problem = settle(share.budget)
    except MechanismRefused:
        return None
    return problem if share.covers([plan.event for plan in problem.plans]) else None


def _promise(problem: Problem) -> float:
    """Predicted risk, over all candidates."""
    return math.fsum(MECHANISMS[plan.mechanism].predict_risk(plan) for plan in problem.plans)
