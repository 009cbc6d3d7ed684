"""Settings chosen by trying each on a part of the table.  The argument is docs/proofs/selection.md, section 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from equipoise._docs import documented
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search import choice as _choice
from equipoise.estimators.search.base import ALONE, FORGOTTEN, Problem, Search, fit_parts, settled, take_in, with_unit
from equipoise.estimators.search.charges import for_one_row, parallel_event, within_arithmetic
from equipoise.estimators.search.parts import split_rows
from equipoise.gate import RandomState
from equipoise.inside.strangers import unseen
from equipoise.ledger import LedgerLike
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee

MECHANISM = "data-split search"


@documented("search")
class DataSplitSearch(Search):
    """Tries every setting of `param_grid` on a part of its own and chooses privately on one more part.

    A row is in exactly one part, so the search as a whole costs what one fit costs: the estimator's epsilon and
    delta, debited once.  `param_grid` may vary alpha, coef_norm and mechanism.  `validation` is the share of rows
    to choose on; None makes all parts equal.  `ledger` and `random_state` default to the estimator's.

    >>> import numpy as np, equipoise as eq
    >>> from equipoise.tuning import DataSplitSearch
    >>> X = np.linspace(-1, 1, 4000)[:, None]
    >>> search = DataSplitSearch(eq.LinearRegression(epsilon=5.0, label_bounds=(-1, 1)), {"alpha": [0.01, 100.0]})
    >>> search = search.fit(X, X[:, 0])
    >>> search.best_params_, search.guarantee_.epsilon
    ({'alpha': 0.01}, 5.0)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        validation: float | None = None,
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
        """Settle everything, debit once, split, fit, choose.  `groups` says which rows are one person's."""
        with self._nothing_left_by_failure():
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        taken = take_in(self, X, y, groups)
        with before_the_debit():
            asked = _candidates.part_sizes(taken.rows.shape[0], len(taken.settings), self.validation)
            parts = split_rows(asked, taken.groups, taken.bits)
            sizes = _candidates.checked_sizes([len(part) for part in parts], len(taken.settings))
            budget = Budget(taken.estimator.epsilon, taken.estimator.delta)
            columns = taken.rows.shape[1]

            def settle(each: Budget) -> tuple[Problem, Event]:
                share = for_one_row(each, taken.groups)
                found = settled(taken.estimator, taken.settings, sizes, columns, taken.listed, taken.groups, share)
                return found, parallel_event(found.plans, len(found.settings) > 1, each, taken.groups)

            problem, event = within_arithmetic(settle, budget)
            taken.check(problem.plans)
        best = 0
        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours) as entry, unseen():
            names = taken.listed
            *tried, kept = parts
            fitted = fit_parts(problem, tried, taken.rows, taken.labels, names, taken.bits)
            if len(fitted) > 1:
                best = _choice.choose_on(kept, problem, fitted, taken, names, entry)
            entry.commit()
        promise = _guarantee(problem, budget, event, fitted[best].guarantee_, taken.bits.seeded)
        self._publish(problem, best, fitted[best], promise)
        return self


def _guarantee(problem: Problem, budget: Budget, event: Event, fitted: Guarantee, seeded: bool) -> Guarantee:
    """One promise for the whole search; sensitivity and noise are those of the chosen fit."""
    whole = replace(
        with_unit(fitted, problem.groups),
        epsilon=budget.epsilon,
        delta=budget.delta,
        delta_numeric=event.delta_numeric,
        mechanism=MECHANISM,
    )
    if len(problem.settings) == 1:
        return replace(whole, notes=(*whole.notes, ALONE))
    parts = {
        "records of all parts": float(sum(problem.sizes)),
        "smallest part": float(min(problem.sizes[:-1])),
        "largest part": float(max(problem.sizes[:-1])),
    }
    return replace(
        whole,
        adjacency=Adjacency.REPLACE_ONE,
        theorem=f"disjoint parts: one fit on each ({fitted.theorem} for the chosen one), permute-and-flip on another",
        seeded=seeded,
        constants=whole.constants | parts | _choice.constants(problem),
        notes=(*whole.notes, FORGOTTEN),
    )
