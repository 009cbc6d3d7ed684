"""What a search costs, and how much each of its fits may cost.  Arguments: docs/proofs/selection.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from equipoise.errors import MechanismRefused
from equipoise.estimators.search.base import Problem
from equipoise.estimators.search.parts import Groups
from equipoise.gate import MECHANISMS
from equipoise.theory.accounting.groups import row_budget
from equipoise.theory.accounting.shares import Share
from equipoise.theory.events import ApproximateRelease, Event, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.plan import Plan

MOST_NUMERIC = 2.0**-40
"""No search adds more than this to δ for arithmetic."""


def for_one_row(budget: Budget, groups: Groups | None) -> Budget:
    """What the rows of one person may cost each, so that together they cost no more than the budget."""
    return budget if groups is None else row_budget(budget, groups.largest)


def parallel_event(plans: Sequence[Plan], choosing: bool, budget: Budget, groups: Groups | None) -> Event:
    """Fits on disjoint parts at the whole budget and, on one more part, an ε-private choice: the dearest part.

    Choosing is ε-private and no better, so a Gaussian event of the fits would understate it.
    """
    if not choosing and groups is None:
        return plans[0].event
    pure = all(isinstance(plan.event, PureRelease) for plan in plans)
    return whole_event(budget, pure, max(plan.event.delta_numeric for plan in plans), groups)


def whole_event(budget: Budget, pure: bool, numeric: float, groups: Groups | None) -> Event:
    """The budget as one event; arithmetic's part of δ is a row's and grows for a group as δ does."""
    row = for_one_row(budget, groups).epsilon
    if groups is not None:
        numeric *= math.expm1(min(budget.epsilon, 700.0)) / math.expm1(min(row, 700.0)) * (1 + 1e-12)
    if numeric > MOST_NUMERIC:
        raise MechanismRefused(f"delta_numeric={numeric:.2g}: arithmetic would cost too much, lower epsilon")
    if pure:
        return PureRelease(budget.epsilon, numeric)
    return ApproximateRelease(budget.epsilon, budget.delta, numeric)


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
