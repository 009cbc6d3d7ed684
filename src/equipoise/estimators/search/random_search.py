"""A setting drawn at random, without looking.  docs/proofs/selection.md, section 5."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from equipoise._docs import documented
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.search.base import ALONE, Problem, Search, fit_parts, settled, take_in, with_unit
from equipoise.estimators.search.charges import for_one_row, parallel_event, within_arithmetic
from equipoise.gate import RandomState
from equipoise.gate.order import random_order
from equipoise.inside.strangers import unseen
from equipoise.ledger import LedgerLike
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget

MECHANISM = "random search"
BLINDLY = "the candidate was drawn at random, no record had a say: choosing cost nothing"


@documented("search")
class RandomSearch(Search):
    """Draws one setting of `param_grid` uniformly at random and fits it on all rows with the whole budget.

    What a search that looks must beat: nothing is spent on choosing and no row is kept back.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.random_state = random_state
        self.ledger = ledger

    @documented(returns="self: The fitted search.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Draw, plan, debit, fit.  `groups` says which rows are one person's."""
        with self._nothing_left_by_failure():
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        taken = take_in(self, X, y, groups)
        rows, columns = taken.rows.shape
        with before_the_debit():
            budget = Budget(taken.estimator.epsilon, taken.estimator.delta)
            sizes = (rows,) * len(taken.settings) + (0,)
            best = int(random_order(len(taken.settings), taken.bits)[0])

            def settle(each: Budget) -> tuple[Problem, Event]:
                share = for_one_row(each, taken.groups)
                found = settled(taken.estimator, taken.settings, sizes, columns, taken.listed, taken.groups, share)
                return found, parallel_event([found.plans[best]], False, each, taken.groups)

            problem, event = within_arithmetic(settle, budget)
            drawn = replace(problem, settings=[problem.settings[best]], plans=[problem.plans[best]], sizes=(rows, 0))
            taken.check(problem.plans)
        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours) as entry, unseen():
            names = taken.listed
            (fitted,) = fit_parts(drawn, [np.arange(rows)], taken.rows, taken.labels, names, taken.bits)
            entry.commit()
        promise = replace(
            with_unit(fitted.guarantee_, taken.groups),
            epsilon=budget.epsilon,
            delta=budget.delta,
            delta_numeric=event.delta_numeric,
            mechanism=MECHANISM,
            seeded=taken.bits.seeded,
        )
        promise = replace(promise, notes=(*promise.notes, BLINDLY if len(taken.settings) > 1 else ALONE))
        self._publish(problem, best, fitted, promise, blindly=True)
        return self
