"""Settings chosen as the best of a random number of runs.  docs/proofs/selection.md, section 7."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from equipoise._checks import shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators import _strangers as _black_box
from equipoise.estimators._inputs import query_rows, training_rows
from equipoise.estimators._labels import flat
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.linear.source import Source
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search import runs as _runs
from equipoise.estimators.search.base import (
    Problem,
    Search,
    Taken,
    at_budget,
    fit_parts,
    neighbours_of,
    one_ledger,
    settled,
    take_in,
)
from equipoise.estimators.search.charges import best_share, for_one_row, parallel_event, within_arithmetic
from equipoise.estimators.search.parts import Groups, Index, groups_from
from equipoise.estimators.search.run_promises import own_guarantee, stranger_guarantee
from equipoise.estimators.search.stranger_runs import Run, Runs, let_go, rehearse
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.gate.choices.stop import StopPlan, best_of
from equipoise.gate.order import random_order
from equipoise.gate.source import seeds_for_strangers
from equipoise.inside.scores.of_any_model import strangers_mean, strangers_mean_score
from equipoise.inside.strangers import Failed, apart, unseen
from equipoise.ledger import Ledger, LedgerLike
from equipoise.theory.accounting import runs
from equipoise.theory.accounting.selection import Stop
from equipoise.theory.accounting.shares import stop_shares
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget

VALIDATION = 0.2
SCORED_HERE = (
    "X: runs are scored a row at a time in memory, not on many machines: give public_validation, or use"
    " BudgetSplitSearch, DataSplitSearch or StabilitySearch; nothing was spent"
)


@documented("search")
class RandomStopSearch(Search):
    """Draws settings at random, fits and scores each, again and again until chance says stop; releases the best run.

    The price does not grow with `param_grid`, and hardly with the mean number of runs.  Two kinds of estimator:

    One of this library: the whole search costs `epsilon` and `delta` (None: the estimator's own), and what a single
    run may spend is solved for.

    Any other that can be cloned, fitted and asked to predict: state in `guarantee` what one fit costs (`Pure`, `Renyi`,
    `Concentrated` or `Gaussian` from `equipoise.tuning`, for replacing one row); the price of the whole search follows,
    is debited and reported at `delta`.  An `epsilon` is then a limit: dearer searches are refused.

    `stop` is "geometric", "logarithmic" (cheaper, more uneven) or "poisson" with the given `mean` number of runs, or a
    `TruncatedNegativeBinomial` or `PoissonStop`.  `score` is "auto", "accuracy", or a function of labels and
    predictions that gives each row a number in [0, 1].  Runs are compared on `validation`, a share of the rows, with
    noise; or on public rows given to `fit`.  Running time shows how many runs there were; nothing else does.
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        stop: Any = "geometric",
        mean: float = 10.0,
        score: Any = "auto",
        validation: float = VALIDATION,
        guarantee: Any = None,
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.epsilon = epsilon
        self.delta = delta
        self.stop = stop
        self.mean = mean
        self.scored_by = score  # `score` is scikit-learn's method
        self.validation = validation
        self.guarantee = guarantee
        self.random_state = random_state
        self.ledger = ledger

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """scikit-learn's, with `score` as it was given."""
        return {**super().get_params(deep), "score": self.scored_by}

    def set_params(self, **params: Any) -> Self:
        """scikit-learn's, for `score` too."""
        if "score" in params:
            self.scored_by = params.pop("score")
        super().set_params(**params)
        return self

    @documented(returns="self: The fitted search.")
    def fit(self, X: Any, y: Any = None, groups: Any = None, *, public_validation: Any = None) -> Self:
        """Settle everything, debit once, run.  `public_validation` is a pair (X, y) of rows that need no protection."""
        with self._nothing_left_by_failure():
            with before_the_debit():
                base = _black_box.stated(self.estimator, self.guarantee)
                stop = _runs.stop_from(self.stop, self.mean)
            if base is None:
                return self._fit_own(X, y, groups, stop, public_validation)
            return self._fit_stranger(X, y, groups, stop, base, public_validation)

    def _fit_own(self, X: Any, y: Any, groups: Any, stop: Stop, public: Any) -> Self:
        taken = take_in(self, X, y, groups)
        estimator, bits = taken.estimator, taken.bits
        with before_the_debit():
            budget = self._price(estimator)
            trained, kept = self._parts(taken.rows.shape[0], len(taken.settings), taken.groups, public, bits)

            def settle(each: Budget) -> tuple[tuple[Problem, StopPlan], Event]:
                found = _settled_runs(taken, len(trained), len(kept), stop, each)
                return found, found[1].event

            (problem, plan), event = within_arithmetic(settle, budget)
            plan = replace(plan, event=event)
            taken.check(problem.plans)
            if isinstance(taken.rows, Source) and public is None and len(taken.settings) > 1:
                raise InvalidInput(SCORED_HERE)
            score = self._scorer(public, True, taken.labels, taken.listed)
        label, about = type(self).__name__, taken.neighbours
        with taken.account.reserve(plan.event, label=label, neighbours=about) as entry, unseen():
            names = taken.listed
            inner = at_budget(estimator, problem.share)

            def run() -> tuple[tuple[int, Any], Any]:
                place = int(random_order(len(problem.settings), bits)[0])
                (seed,) = _candidates.seeds_from(bits, 1)
                model = _candidates.prepared(inner, problem.settings[place], names, seed)
                model.fit(taken.rows[trained], taken.labels[trained])
                (own,) = seeds_for_strangers(1, bits)
                return (place, model), score(model, taken.rows[kept], taken.labels[kept], own)

            if len(problem.settings) == 1:
                (only,) = fit_parts(problem, [trained], taken.rows, taken.labels, names, bits)
                found: tuple[int, Any] | None = (0, only)
            else:
                found = best_of(plan, run, entry, bits)
            if found is None:
                raise MechanismRefused(_runs.NO_RUN)
            entry.commit()
        best, chosen = found
        promise = own_guarantee(problem, plan, budget, chosen.guarantee_, bits.seeded)
        self._publish(problem, best, chosen, promise)
        return self

    def _price(self, estimator: Any) -> Budget:
        """The search's own where it states one, else the estimator's."""
        return Budget(
            estimator.epsilon if self.epsilon is None else self.epsilon,
            estimator.delta if self.delta is None else self.delta,
        )

    def _fit_stranger(self, X: Any, y: Any, groups: Any, stop: Stop, stated: _black_box.Stated, public: Any) -> Self:
        with before_the_debit():
            settings = _black_box.any_candidates(self.param_grid)
            rows, labels = training_rows(self, X, flat(y, type(self).__name__), 2)
            people = groups_from(groups, rows.shape[0])
            bits, score = bits_from(self.random_state), self._scorer(public, False, labels, None)
            for each in settings:
                _black_box.copy_with(self.estimator, each)
            failure = rehearse(self.estimator, settings, rows.shape[1], labels, stated)
            trained, kept = self._parts(rows.shape[0], len(settings), people, public, bits)
            base = _black_box.for_groups(stated, people)
            plan, epsilon = self._stranger_plan(base, stop, len(settings), len(kept), people)
            named = one_ledger(self.ledger, None)
        account = Ledger() if named is None else named
        warn_before_spending(self, epsilon, self.delta or 0.0, rows.shape[0], bits.seeded)

        many = Runs(self.estimator, settings, rows[trained], labels[trained])

        def run() -> tuple[Run, Any]:
            made = many.one(bits)
            return made, score(made.model, rows[kept], labels[kept], made.seed)

        about = neighbours_of(people)
        with account.reserve(plan.event, label=type(self).__name__, neighbours=about) as entry, apart():
            found = many.one(bits) if len(settings) == 1 else best_of(plan, run, entry, bits)
            if found is None:
                raise MechanismRefused(_runs.NO_RUN)
            model = let_go(found.model, self.estimator, bits)
            entry.commit()
        if isinstance(model, Failed):
            raise MechanismRefused(_black_box.run_failed(self.estimator, failure))
        promise = stranger_guarantee(plan, Budget(epsilon, self.delta or 0.0), len(settings), people, bits.seeded)
        self._announce(settings, found.place, model, promise)
        return self

    def _stranger_plan(
        self, base: _black_box.Stated, stop: Stop, candidates: int, kept: int, groups: Groups | None
    ) -> tuple[StopPlan, float]:
        """The runs and the ε of them all, within the caller's limit."""
        delta = Budget(1.0, 0.0 if self.delta is None else self.delta).delta
        one = candidates == 1
        epsilon, event = runs.one_price(base, delta) if one else runs.runs_price(base, stop, delta, _runs.drawn(stop))
        if self.epsilon is not None and epsilon > Budget(self.epsilon).epsilon:
            raise MechanismRefused(
                f"epsilon={shown(self.epsilon)}: the search would cost epsilon={epsilon:.6g}, raise it or state cheaper"
                " runs"
            )
        many = 1 if groups is None else groups.largest
        noise = _runs.score_noise(_black_box.no_dearer(base), kept, many) if kept else None
        return StopPlan(stop, noise, event), epsilon

    def _parts(self, rows: int, candidates: int, groups: Groups | None, public: Any, bits: Bits) -> tuple[Index, Index]:
        """With public rows to choose on, all others are for fitting."""
        return _candidates.two_parts(rows, 1 if public is not None else candidates, self.validation, groups, bits)

    def _scorer(
        self, public: Any, ours: bool, labels: npt.NDArray[Any], listed: tuple[Any, ...] | None
    ) -> Callable[[Any, Any, npt.NDArray[Any], int], Any]:
        """From a model and a seed to its score: on the rows kept, private; on public rows, a plain number."""
        score = _runs.record_score(self.scored_by, self.estimator, ours)
        _runs.refuse_useless(self.scored_by, score, labels.dtype, listed)
        if public is None:
            return lambda model, rows, labels, seed: strangers_mean_score(model, rows, labels, score, seed)
        try:
            X_val, y_val = public
        except (TypeError, ValueError):
            raise InvalidInput("public_validation: must be a pair (X, y)") from None
        shown, answers = query_rows(self, X_val, None), np.asarray(y_val)
        if answers.shape != (shown.shape[0],):
            raise InvalidInput("public_validation: give one label for each row")
        return lambda model, rows, labels, seed: strangers_mean(model, shown, answers, score, seed)


def _settled_runs(taken: Taken, trained: int, kept: int, stop: Stop, budget: Budget) -> tuple[Problem, StopPlan]:
    """Every candidate's plan for one run, and the plan of the runs."""
    count, columns, row = len(taken.settings), taken.rows.shape[1], for_one_row(budget, taken.groups)

    def settle(share: Budget) -> Problem:
        sizes = (trained,) * count + (kept,)
        return settled(taken.estimator, taken.settings, sizes, columns, taken.listed, taken.groups, share)

    if count == 1:
        problem = settle(row)
        return problem, StopPlan(stop, None, parallel_event(problem.plans, False, budget, taken.groups))
    problem, share = best_share(settle, stop_shares(row, stop))
    noise = _runs.score_noise(runs.hidden_by(share), kept, 1) if kept else None
    return problem, StopPlan(stop, noise, _runs.own_event(problem, share, stop, noise, budget))
