"""What all searches share: a table taken in, a problem settled in advance, inner fits, and the winner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._columns import names_of
from equipoise.estimators._inputs import training_rows
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.linear.given import rows_to_use
from equipoise.estimators.linear.source import Source
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search.far_rows import OnWorkersToo, spread_rows
from equipoise.estimators.search.parts import ROW_UNIT, Groups, Index, groups_from
from equipoise.gate import Bits, RandomState, noise_source
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.outside.model import plain_labels
from equipoise.outside.origin import named
from equipoise.rows.owned import settle
from equipoise.rows.tables import is_collection
from equipoise.theory.adjacency import Neighbours, Unit
from equipoise.theory.guarantees import Budget, Guarantee
from equipoise.theory.plan import Plan

ALONE = "one candidate: nothing to choose, so no split and no charge for choosing: it was fitted on all rows"
FORGOTTEN = "the models that were not chosen are forgotten"


@dataclass(frozen=True, slots=True)
class Taken:
    """A table of our own, each record settled by itself, and what is needed to search on it."""

    estimator: PrivateLinear
    settings: list[_candidates.Settings]
    rows: Any
    labels: Any
    groups: Groups | None
    listed: tuple[Any, ...] | None
    """The classes; None for regression."""
    bits: Bits
    account: LedgerLike

    @property
    def neighbours(self) -> Neighbours:
        return neighbours_of(self.groups)

    def check(self, plans: Sequence[Plan]) -> None:
        """Refuses for free what rows that are not in memory cannot be asked for."""
        with before_the_debit():
            for plan in plans if isinstance(self.rows, Source) else ():
                self.rows.check(plan)


@dataclass(frozen=True, slots=True)
class Problem:
    """All that is settled before a record is looked at; the last size is the part kept for choosing."""

    estimator: PrivateLinear
    settings: list[_candidates.Settings]
    plans: list[Plan]
    sizes: tuple[int, ...]
    classes: int
    groups: Groups | None = None
    share: Budget | None = None
    """What each inner fit may cost a row; None for the estimator's own budget."""


@before_the_debit()
def take_in(search: Search, X: Any, y: Any, groups: Any) -> Taken:
    """Check everything that can be checked without looking at a value."""
    estimator = _candidates.checked_estimator(search.estimator)
    settings = _candidates.candidates_from(search.param_grid)
    rows, labels, people, listed = _table(search, estimator, X, y, groups)
    estimator = _candidates.by_places(estimator, rows.shape[1], names_of(search))
    seed = estimator.random_state if search.random_state is None else search.random_state
    bits = noise_source(estimator.noise, seed)
    named = one_ledger(search.ledger, estimator.ledger)
    account = Ledger() if named is None else named  # one that can be counted is false while it is empty
    price = search._price(estimator)
    warn_before_spending(search, price.epsilon, price.delta, rows.shape[0], bits.seeded)
    return Taken(estimator, settings, rows, labels, people, listed, bits, account)


def _table(
    search: Search, estimator: PrivateLinear, X: Any, y: Any, groups: Any
) -> tuple[Any, Any, Groups | None, tuple[Any, ...] | None]:
    """Rows and labels, whose they are, and the classes."""
    if is_collection(X):
        far, none = spread_rows(search, estimator, X, y, groups)
        return far, OnWorkersToo(none.dtype), None, estimator._declared(none)
    rows, labels = training_rows(search, X, estimator._own_labels(y), 2, np.nan)
    estimator._refuse_filling(rows)
    if not issparse(rows):
        settle(rows, estimator._middles(rows.shape[1], names_of(search)))
    rows, labels, groups = _capped(estimator, rows, labels, groups)
    people, listed = groups_from(groups, rows.shape[0]), estimator._declared(labels)
    return rows, estimator._settled_labels(labels), people, listed


def _capped(estimator: PrivateLinear, rows: Any, labels: Any, groups: Any) -> tuple[Any, Any, Any]:
    """Of each person the rows that the estimator's cap leaves, where it has one."""
    if estimator.rows_per_person is None:
        return rows, labels, groups
    people = rows_to_use(groups, estimator.rows_per_person, rows.shape[0])
    return (rows, labels, groups) if people is None else (rows[people.rows], labels[people.rows], people.codes)


@before_the_debit()
def settled(
    estimator: PrivateLinear,
    settings: list[_candidates.Settings],
    sizes: Sequence[int],
    columns: int,
    listed: tuple[Any, ...] | None,
    groups: Groups | None = None,
    share: Budget | None = None,
) -> Problem:
    """The plan of every candidate, at the size of its part; refuses what any of them would."""
    classes, inner = len(listed or (0, 1)), at_budget(estimator, share)
    copies = [_candidates.prepared(inner, chosen, None, None) for chosen in settings]
    plans = [copy._plan(size, columns, classes) for copy, size in zip(copies, sizes[:-1], strict=True)]
    return Problem(estimator, settings, plans, tuple(sizes), classes, groups, share)


def fit_parts(
    problem: Problem,
    parts: Sequence[Index],
    rows: Any,
    labels: Any,
    names: tuple[Any, ...] | None,
    bits: Bits,
) -> list[Any]:
    """Every candidate, fitted on its part and with noise of its own."""
    seeds, inner = _candidates.seeds_from(bits, len(parts)), at_budget(problem.estimator, problem.share)
    return [
        _candidates.prepared(inner, settings, names, seed).fit(rows[part], labels[part])
        for settings, part, seed in zip(problem.settings, parts, seeds, strict=True)
    ]


def at_budget(estimator: PrivateLinear, share: Budget | None) -> Any:
    """The estimator, spending this much instead of its own budget."""
    return estimator if share is None else clone(estimator).set_params(epsilon=share.epsilon, delta=share.delta)


def one_ledger(given: LedgerLike | None, inner: LedgerLike | None) -> LedgerLike | None:
    """The search pays, from whichever ledger was named."""
    if given is not None and inner is not None and given is not inner:
        raise InvalidInput("ledger: the search and its estimator name different ones, give it to the search alone")
    return checked_ledger(inner if given is None else given)


def neighbours_of(groups: Groups | None) -> Neighbours:
    """Parts of known size need a public number of rows, so a search is about replaced rows, or persons."""
    return Neighbours(unit=Unit.ROW if groups is None else Unit.PERSON)


def with_unit(guarantee: Guarantee, groups: Groups | None) -> Guarantee:
    """Says whose privacy is promised."""
    if groups is None:
        return replace(guarantee, notes=(*guarantee.notes, ROW_UNIT))
    constants = guarantee.constants | {"rows of the largest group": float(groups.largest)}
    return replace(guarantee, unit=groups.unit, constants=constants)


def _estimator_can(name: str) -> Callable[[Any], bool]:
    """Whether the estimator that is searched over has this method, as scikit-learn's own searches ask."""
    return lambda search: getattr(search.estimator, name, None) is not None


class Search(MetaEstimatorMixin, BaseEstimator):
    """Abstract.  Predicts with what it chose."""

    estimator: Any
    param_grid: Any
    random_state: RandomState
    ledger: LedgerLike | None
    best_estimator_: Any

    def _price(self, estimator: Any) -> Budget:
        """Of the whole search."""
        return Budget(estimator.epsilon, estimator.delta)

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions of the chosen model: free."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    @available_if(_estimator_can("predict_proba"))
    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Probabilities of the chosen model: free."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(X))

    @available_if(_estimator_can("decision_function"))
    @documented(returns="array: As of the chosen estimator.")
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Scores of the chosen model: free."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """Of the chosen classifier."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.classes_)

    @documented(returns="float: As of the chosen estimator.")
    def score(self, X: Any, y: Any) -> float:
        """The chosen model's score on these rows, which are not protected."""
        check_is_fitted(self)
        return float(self.best_estimator_.score(X, y))

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the chosen model, under the promise of the whole search; `data` names the data set."""
        check_is_fitted(self)
        chosen = self.best_estimator_
        if isinstance(chosen, PrivateLinear):
            return chosen.card(data)
        return Card(
            estimator=type(chosen).__name__,
            kind="regressor" if is_regressor(chosen) else "classifier",
            features=int(self.n_features_in_),
            classes=plain_labels(tuple(chosen.classes_)) if hasattr(chosen, "classes_") else None,
            guarantee=self.guarantee_,
            origin=named(origin_now(self.ledger), data),
        )

    @contextmanager
    def _nothing_left_by_failure(self) -> Iterator[None]:
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _publish(self, problem: Problem, best: int, chosen: Any, guarantee: Guarantee, blindly: bool = False) -> None:
        """The winner with the caller's own parameters and column names, under the promise of the search.

        `blindly` says that the noise had no part in the choice.
        """
        settings = problem.settings[best]
        own = {name: value for name, value in problem.estimator.get_params().items() if name not in settings}
        chosen.set_params(**own)
        if "feature_names_in_" in vars(self):
            chosen.feature_names_in_ = self.feature_names_in_
        made = origin_now(self.ledger if self.ledger is not None else problem.estimator.ledger)
        model = replace(chosen.model_, guarantee=guarantee, feature_names=chosen._names(), origin=made)
        if len(problem.settings) > 1 and not blindly:  # being chosen depends on the noise: its law no longer holds
            model = replace(model, uncertainty=None)
        chosen._publish(model)
        self._announce(problem.settings, best, chosen, guarantee)

    def _announce(self, settings: Sequence[_candidates.Settings], best: int, chosen: Any, guarantee: Guarantee) -> None:
        """The fitted attributes: the choice, and nothing about the candidates that were not chosen."""
        self.best_index_, self.best_params_ = best, dict(settings[best])
        self.best_estimator_, self.guarantee_ = chosen, guarantee
        self.cv_results_ = {
            "params": [dict(each) for each in settings],
            "chosen": [place == best for place in range(len(settings))],
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if not isinstance(self.estimator, BaseEstimator):  # another library's, which has no tags
            return tags
        inner = get_tags(self.estimator)
        tags.estimator_type, tags.input_tags.sparse = inner.estimator_type, inner.input_tags.sparse
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags
