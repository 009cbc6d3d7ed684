"""Settings chosen by how well steady fits do on held-out rows.  The argument is docs/proofs/tuning.md."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

from equipoise._checks import at_most, fraction, moderate, one_of, positive, whole
from equipoise._docs import documented
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search.base import ALONE, FORGOTTEN, Problem, Search, Taken, take_in, with_unit
from equipoise.estimators.search.charges import for_one_row, parallel_event, whole_event
from equipoise.estimators.search.far_rows import let_in
from equipoise.estimators.search.parts import Groups, Index, split_rows
from equipoise.estimators.search.stability_plan import Question, SearchPlan, settle
from equipoise.gate import Bits, RandomState
from equipoise.gate.choices.procedures import Rows
from equipoise.gate.choices.validate import validate
from equipoise.inside.strangers import unseen
from equipoise.ledger import Entry, LedgerLike
from equipoise.theory.accounting.searches import all_pure
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.plan import Plan
from equipoise.theory.tuning.scores import score_named

MECHANISM = "stability search"
FRESH = "the chosen setting was fitted again on all rows with fresh noise"

PRIORS = ("predicted", "flat")


MOST_DRAWS = 2**16
"""Of noise for each setting: more would tell next to nothing of it, and take for ever."""


class NoisyChoice(UserWarning):
    """The rows and the ε for choosing allow little more than a choice at random.  Nothing has been spent yet."""


@documented("search")
class StabilitySearch(Search):
    """Tries every setting on most rows, chooses privately on the others, and fits the chosen one on all of them.

    The price does not grow with the number of settings: the estimator's epsilon and delta pay for everything, debited
    once.  `param_grid` may vary alpha, coef_norm and mechanism ("output" or "objective"; "auto" means the better one).
    `score` is "ramp", "hinge" or "logistic" for classifiers, "ramp", "absolute", "squared" or "huber" for regression,
    or a `tuning.Score`; `validation` the part of the rows to choose on; `share` the part of epsilon for choosing, by
    default the one with the smallest predicted risk; `draws` how many draws of noise each setting is tried with.
    Settings that public facts predict to do better have a head start; `prior="flat"` gives them none.

    >>> import numpy as np, equipoise as eq
    >>> from equipoise.tuning import StabilitySearch
    >>> X = np.linspace(-1, 1, 4000)[:, None]
    >>> search = StabilitySearch(eq.LogisticRegression(epsilon=5.0), {"alpha": [0.1, 100.0]}).fit(X, X[:, 0] > 0)
    >>> search.best_params_, search.guarantee_.epsilon
    ({'alpha': 0.1}, 5.0)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        score: Any = "ramp",
        validation: float = 0.25,
        share: float | None = None,
        draws: int | None = None,
        prior: str = "predicted",
        random_state: RandomState = None,
        ledger: LedgerLike | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scored_by = score  # `score` is scikit-learn's method
        self.validation = validation
        self.share = share
        self.draws = draws
        self.prior = prior
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

    @documented(returns="plan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> SearchPlan | Plan:
        """Everything about the search for n records of d features, before any record is seen.

        With one candidate there is nothing to choose, and the plan is that of its fit.
        """
        estimator = _candidates.checked_estimator(self.estimator)
        settings = _candidates.candidates_from(self.param_grid)
        budget, classes = Budget(estimator.epsilon, estimator.delta), estimator._planned_classes()
        if len(settings) == 1:
            return _alone(estimator, settings[0], budget, whole(n=n), whole(d=d), classes)
        rows = Rows(*_candidates.two_sizes(whole(n=n), self._validation()))
        return self._settled(estimator, settings, rows, whole(d=d), classes, budget)

    @documented(returns="self: The fitted search.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Settle everything, warn if it is not worth it, debit once, choose, fit.  `groups`: whose rows are whose."""
        with self._nothing_left_by_failure():
            return self._fit(X, y, groups)

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        taken = take_in(self, X, y, groups)
        with before_the_debit():
            budget = Budget(taken.estimator.epsilon, taken.estimator.delta)
            row = for_one_row(budget, taken.groups)
        if len(taken.settings) == 1:
            return self._fit_alone(taken, budget, row)
        with before_the_debit():
            parts = split_rows(_candidates.two_sizes(taken.rows.shape[0], self._validation()), taken.groups, taken.bits)
            _candidates.checked_sizes([len(part) for part in parts], 2)
            rows, classes = Rows(len(parts[0]), len(parts[1])), len(taken.listed or (0, 1))
            plan = self._settled(taken.estimator, taken.settings, rows, taken.rows.shape[1], classes, row)
            taken.check(plan.plans)
            event = _event(plan, budget, taken.groups)
        _warn_if_poor(plan)
        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours) as entry, unseen():
            names = taken.listed
            best = _choose(plan, parts, taken, names, entry)
            chosen = _fit_chosen(plan, best, taken, names)
            entry.commit()
        promise = _guarantee(plan, budget, event, chosen.guarantee_, taken)
        self._publish(
            _problem(taken, plan.plans, (rows.training, rows.validation)), best, chosen, promise, blindly=True
        )
        return self

    def _fit_alone(self, taken: Taken, budget: Budget, row: Budget) -> Self:
        """One candidate: its own plan, price and mechanism, whatever that is."""
        size, classes = taken.rows.shape[0], len(taken.listed or (0, 1))
        with before_the_debit():
            score_named(self.scored_by, regression=not isinstance(taken.estimator, PrivateClassifier))
            plan = _alone(taken.estimator, taken.settings[0], row, size, taken.rows.shape[1], classes)
            taken.check([plan])
            event = parallel_event([plan], False, budget, taken.groups)
        with taken.account.reserve(event, label=type(self).__name__, neighbours=taken.neighbours) as entry, unseen():
            names = taken.listed
            chosen = _prepared_alone(taken.estimator, taken.settings[0], row, names, taken.bits)
            chosen.fit(taken.rows, taken.labels)
            entry.commit()
        fitted = with_unit(chosen.guarantee_, taken.groups)
        promise = replace(
            fitted,
            epsilon=budget.epsilon,
            delta=budget.delta,
            delta_numeric=event.delta_numeric,
            mechanism=MECHANISM,
            notes=(*fitted.notes, ALONE),
        )
        self._publish(_problem(taken, (plan,), (size, 0)), 0, chosen, promise, blindly=True)
        return self

    def _validation(self) -> float:
        return positive(validation=fraction(validation=self.validation))

    def _settled(
        self, estimator: PrivateLinear, settings: list[Any], rows: Rows, features: int, classes: int, budget: Budget
    ) -> SearchPlan:
        score = score_named(self.scored_by, regression=not isinstance(estimator, PrivateClassifier))
        draws = None if self.draws is None else at_most(MOST_DRAWS, draws=self.draws)
        share = None if self.share is None else moderate(share=self.share)
        informed = one_of(PRIORS, prior=self.prior) == PRIORS[0]
        return settle(Question(estimator, settings, rows, features, classes, score, budget, draws, informed), share)


def _alone(estimator: PrivateLinear, settings: Any, budget: Budget, n: int, d: int, classes: int) -> Plan:
    plan: Plan = _prepared_alone(estimator, settings, budget, None, None)._plan(n, d, classes)
    return plan


def _prepared_alone(
    estimator: PrivateLinear, settings: Any, budget: Budget, names: tuple[Any, ...] | None, bits: Bits | None
) -> Any:
    """As it is planned and as it is fitted: "auto" stays "auto", since its mechanism by name has other plans."""
    (seed,) = (None,) if bits is None else _candidates.seeds_from(bits, 1)
    changed = {"epsilon": budget.epsilon, "delta": budget.delta}
    return _candidates.prepared(estimator, settings | changed, names, seed)


def _warn_if_poor(plan: SearchPlan) -> None:
    """Before anything is spent."""
    if plan.poor:
        warnings.warn(plan.poor, NoisyChoice, stacklevel=4)


def _event(plan: SearchPlan, budget: Budget, groups: Groups | None) -> Event:
    """Choice and fit as two parts; for groups their promise as a whole."""
    if groups is None:
        return plan.event
    return whole_event(budget, all_pure([each.event for each in plan.plans]), plan.delta_numeric, groups)


def _choose(plan: SearchPlan, parts: list[Index], taken: Taken, names: tuple[Any, ...] | None, entry: Entry) -> int:
    """The place of the winner.  The models tried do not leave the gate."""
    bounds = replace(plan.plans[0].facts.bounds, classes=names)
    training, validation = (let_in(taken.rows[part], taken.labels[part], bounds) for part in parts)
    return validate(
        plan.training,
        plan.steady,
        plan.score,
        training,
        validation,
        plan.question.rows,
        plan.choosing,
        entry,
        taken.bits,
        plan.how,
    )


def _fit_chosen(plan: SearchPlan, best: int, taken: Taken, names: tuple[Any, ...] | None) -> Any:
    """On all rows, with noise of its own: nothing of the noise tried is used again."""
    return _fit_at(taken, taken.settings[best], plan.plans[best], names)


def _fit_at(taken: Taken, settings: Any, plan: Plan, names: tuple[Any, ...] | None) -> Any:
    budget, (seed,) = plan.budget, _candidates.seeds_from(taken.bits, 1)
    changed = {"mechanism": plan.mechanism, "epsilon": budget.epsilon, "delta": budget.delta}
    return _candidates.prepared(taken.estimator, settings | changed, names, seed).fit(taken.rows, taken.labels)


def _problem(taken: Taken, plans: tuple[Plan, ...], sizes: tuple[int, ...]) -> Problem:
    return Problem(taken.estimator, taken.settings, list(plans), sizes, len(taken.listed or (0, 1)), taken.groups)


def _guarantee(plan: SearchPlan, budget: Budget, event: Event, fitted: Guarantee, taken: Taken) -> Guarantee:
    """One promise for the whole search; sensitivity and noise are those of the fit."""
    numeric = plan.delta_numeric if taken.groups is None else event.delta_numeric
    fitted = with_unit(fitted, taken.groups)
    return replace(
        fitted,
        epsilon=budget.epsilon,
        delta=budget.delta,
        delta_numeric=numeric,
        mechanism=MECHANISM,
        theorem=f"permute-and-flip among steady fits, then one fit with fresh noise ({fitted.theorem})",
        seeded=taken.bits.seeded,
        constants=fitted.constants | plan.constants(),
        notes=(*fitted.notes, FORGOTTEN, FRESH),
    )
