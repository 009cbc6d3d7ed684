"""Settings chosen by fitting all on the same rows, each with a share of the budget.

The argument is docs/proofs/selection.md, section 4.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from equipoise._docs import documented
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search import choice as _choice
from equipoise.estimators.search.base import (
    ALONE,
    FORGOTTEN,
    Problem,
    Search,
    Taken,
    fit_parts,
    settled,
    take_in,
    with_unit,
)
from equipoise.estimators.search.charges import (
    best_share,
    for_one_row,
    parallel_event,
    rows_of_one,
    within_arithmetic,
)
from equipoise.gate import RandomState
from equipoise.inside.strangers import unseen
from equipoise.ledger import LedgerLike
from equipoise.theory.accounting.searches import shared_event
from equipoise.theory.accounting.shares import equal_shares
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee

MECHANISM = "budget-split search"
VALIDATION = 0.2


@documented("search")
class BudgetSplitSearch(Search):
    """Fits every setting of `param_grid` on the same rows, each for a share of the budget, and chooses on the others.

    The shares are the largest that the accountant proves to add up to the estimator's epsilon and delta: simple sums,
    or optimal composition where that allows more.  The chosen model has been fitted with its share only, so this
    suits few candidates and many rows.  `validation` is the part of the rows to choose on.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        validation: float = VALIDATION,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.validation = validation
        self.random_state = random_state
        self.ledger = ledger

    @documented(returns="self: The fitted search.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Settle everything, debit once, split, fit all, choose.  `groups` says which rows are one person's."""
        with self._nothing_left_by_failure():
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        taken = take_in(self, X, y, groups)
        count, rows = len(taken.settings), taken.rows.shape[0]
        with before_the_debit():
            trained, kept = _candidates.two_parts(rows, count, self.validation, taken.groups, taken.bits)
            budget = Budget(taken.estimator.epsilon, taken.estimator.delta)

            def settle(each: Budget) -> tuple[Problem, Event]:
                found = _shared_out(taken, (len(trained), len(kept)), for_one_row(each, taken.groups))
                return found, _event(found, each)

            problem, event = within_arithmetic(settle, budget)
            taken.check(problem.plans)
        best = 0
        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours) as entry, unseen():
            names = taken.listed
            tried = [trained] * len(problem.settings)
            fitted = fit_parts(problem, tried, taken.rows, taken.labels, names, taken.bits)
            if len(fitted) > 1:
                best = _choice.choose_on(kept, problem, fitted, taken, names, entry)
            entry.commit()
        promise = _guarantee(problem, budget, event, fitted[best].guarantee_, taken.bits.seeded)
        self._publish(problem, best, fitted[best], promise)
        return self


def _shared_out(taken: Taken, sizes: tuple[int, int], row: Budget) -> Problem:
    """Every candidate's plan, with the share of a row's budget that suits them best."""
    count, columns = len(taken.settings), taken.rows.shape[1]
    trained, kept = sizes

    def settle(share: Budget) -> Problem:
        each = (trained,) * count + (kept,)
        return settled(taken.estimator, taken.settings, each, columns, taken.listed, taken.groups, share)

    return best_share(settle, equal_shares(row, count))[0]


def _event(problem: Problem, budget: Budget) -> Event:
    """A row meets all fits or the choice; either costs it the budget at most."""
    if len(problem.plans) == 1:
        return parallel_event(problem.plans, False, budget, problem.groups)
    return shared_event([plan.event for plan in problem.plans], budget, rows_of_one(problem.groups))


def _guarantee(problem: Problem, budget: Budget, event: Event, fitted: Guarantee, seeded: bool) -> Guarantee:
    """One promise for the whole search; sensitivity and noise are those of the chosen fit."""
    whole = replace(
        with_unit(fitted, problem.groups),
        epsilon=budget.epsilon,
        delta=budget.delta,
        delta_numeric=event.delta_numeric,
        mechanism=MECHANISM,
        seeded=seeded,
    )
    if len(problem.settings) == 1:
        return replace(whole, notes=(*whole.notes, ALONE))
    share = problem.share or budget
    shares = {"epsilon of one fit": share.epsilon, "delta of one fit": share.delta}
    return replace(
        whole,
        theorem=f"disjoint parts: all fits on one ({fitted.theorem} for the chosen one), permute-and-flip on the other",
        constants=whole.constants
        | {"records of all parts": float(sum(problem.sizes[-2:]))}
        | shares
        | _choice.constants(problem),
        notes=(*whole.notes, FORGOTTEN),
    )
