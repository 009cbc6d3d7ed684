"""What every private linear estimator shares: planning, fitting, predicting, saving."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import is_word, one_of, positive, whole
from equipoise._docs import documented
from equipoise.errors import BoundsRequired
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._columns import every_range, names_of, refuse_nameless
from equipoise.estimators._fit import release
from equipoise.estimators._inputs import rows_as_fitted
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.linear.entrance import Entrance, rows_and_labels
from equipoise.estimators.linear.errors import uncertainty_of
from equipoise.estimators.linear.given import fit_centre, into_ball, may_see, mechanism_and_steps, refuse_filling
from equipoise.estimators.linear.source import LetsIn, Source
from equipoise.estimators.linear.units import within_doubles
from equipoise.gate import Bits, RandomState, noise_source
from equipoise.gate.models.first import Found, at, planned
from equipoise.inside.records import Told, nobody
from equipoise.inside.strangers import unseen
from equipoise.ledger import LedgerLike
from equipoise.outside import Card, LinearModel, Released
from equipoise.outside.card_words import delta_of
from equipoise.outside.uncertainty import Intervals, Uncertainty
from equipoise.rows import RowBounds
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.dimension_free import RULE, promise
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Descent, Facts, Plan
from equipoise.theory.regularisers import L2, Penalty

Array = npt.NDArray[np.float64]

MISSING = "a missing value of a feature counts as the middle of its column, 0 without column_bounds"
"""On every card."""

INTERCEPT_SHARE = 0.5
"""The constant column, in units of row_norm.  It is regularised like every other coefficient, so a larger one
shrinks the intercept less but lengthens every row; half costs 12 per cent of length (docs/decisions/0005)."""


class PrivateLinear(BaseEstimator):
    """Abstract.  A final class adds its loss, its bounds and how released numbers become coefficients."""

    epsilon: float
    delta: float
    mechanism: str | Descent
    alpha: float | str
    row_norm: float
    fit_intercept: bool
    adjacency: str
    ledger: LedgerLike | None
    random_state: RandomState
    noise: str
    coef_norm: float | None
    column_bounds: Any
    centre: Any
    public_n: int | None
    rows_per_person: int | None = None
    middle: str | None = None
    """Whether rows may be seen from their middle; an estimator without this parameter takes them as they are."""
    _searchable = True
    """Whether a search may compare its models in the units of their fit: coefficients belong to columns."""
    _instead = "others"
    """What it has where it may not."""
    _by_schema = True
    """Whether a schema says all that it must be told of a table."""
    _told: Told = staticmethod(nobody)
    """Who hears of the steps of a walk."""
    _alone = True
    """Whether a fit may make choices first: in a search it is one of many, which are accounted for together."""

    @abstractmethod
    def _loss(self, classes: int) -> Loss: ...

    @abstractmethod
    def _bounds(self) -> Bounds: ...

    @abstractmethod
    def _model(self, value: Array, plan: Plan, released: Any, classes: tuple[Any, ...] | None) -> LinearModel: ...

    @documented(returns="Plan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> Plan:
        """Everything about the release for n records of d features, before any record is seen.

        Under add-remove adjacency n is the public nominal size.
        """
        return self._plan(whole(n=n), whole(d=d), self._planned_classes())

    def _planned_classes(self) -> int:
        return 2

    def _plan(self, n: int, d: int, classes: int, bounds: Bounds | None = None) -> Plan:
        budget, bounds = Budget(self.epsilon, self.delta), bounds or self._bounds_for(d, n)
        alpha = None if is_word(self.alpha, "auto", RULE) else positive(alpha=self.alpha)
        centre = None if self.centre is None else fit_centre(self.centre, bounds, classes)
        features = bounds.features(d)
        penalty, about = self._penalty(alpha or 1.0, centre, bounds, n), self._adjacency()
        name, steps = mechanism_and_steps(self.mechanism)
        facts = Facts(self._loss(classes), penalty, bounds, n, features, about, self.rows_per_person, steps)
        if is_word(self.alpha, RULE):
            alpha = promise(facts, budget).alpha
        how = {"loss_is_given": self._loss_is_given(), "middle": may_see(self.middle), "alone": self._alone}
        return planned(facts, budget, name, alpha, **how)

    def _penalty(self, alpha: float, centre: tuple[float, ...] | None, bounds: Bounds, n: int) -> Penalty:
        """The ridge, unless a final class has another."""
        return L2(alpha, centre)

    def _loss_is_given(self) -> bool:
        """Whether the caller chose the loss; else "auto" may take a gentler one that leads to the same predictions."""
        return False

    def _bounds_for(self, d: int, n: int) -> Bounds:
        """Of a table of d columns and n rows, n as public as the adjacency makes it."""
        return self._bounds_of(d, self._names())

    def _bounds_of(self, d: int, names: tuple[str, ...] | None) -> Bounds:
        """With the ranges of d columns of these names."""
        return replace(self._bounds(), columns=every_range(self.column_bounds, d, names))

    def _adjacency(self) -> Adjacency:
        return Adjacency(one_of(tuple(Adjacency), adjacency=self.adjacency))

    def _public_size(self, rows: int) -> int:
        """n is public under replace-one; under add-remove the caller must say a nominal size."""
        if self._adjacency() is Adjacency.REPLACE_ONE:
            return rows
        if self.public_n is None:
            raise BoundsRequired("public_n: add-remove adjacency keeps the number of rows secret, give a nominal size")
        return whole(public_n=self.public_n)

    def _given_bounds(self) -> Bounds:
        """The bounds that depend neither on the task nor on the table."""
        row_norm = positive(row_norm=self.row_norm)
        ball = math.inf if self.coef_norm is None else positive(coef_norm=self.coef_norm)
        intercept = INTERCEPT_SHARE * row_norm if self.fit_intercept else 0.0
        return Bounds(row_norm, intercept, coef_norm=ball)

    def _declared(self, labels: npt.NDArray[Any]) -> tuple[Any, ...] | None:
        """The classes; None for regression."""
        return None

    @abstractmethod
    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        """Copied, and refused by dtype alone."""

    @abstractmethod
    def _settled_labels(self, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Each as what it counts as: one of the classes, or a number within the label bounds."""

    def _middles(self, d: int, names: tuple[str, ...] | None) -> Array | float:
        """What a missing cell counts as: the middle of its column's bounds, 0 where there are none."""
        bounds = self._bounds_of(d, names)
        return 0.0 if bounds.columns is None else np.array(bounds.column_centres)

    @documented(returns="self: The fitted estimator.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Plan from public facts, debit the ledger, look at the records, release.

        `groups` says whose rows are whose, one id for each; then a person is protected, with the first
        `rows_per_person` of their rows, and further ones are left out.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, y, groups)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind, not even the number of columns
            raise

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        with before_the_debit():
            # Under add-remove the number of rows is secret: an error about a small one would give it away.
            fewest = 2 if self._adjacency() is Adjacency.REPLACE_ONE else 0
            rows, labels = rows_and_labels(self, X, y, groups, fewest)
            refuse_nameless(self.column_bounds, self._names())
            listed = self._declared(labels)
            plan = self._plan(self._public_size(rows.shape[0]), rows.shape[1], len(listed or (0, 1)))
            rows = rows.held(plan) if isinstance(rows, Source) else rows
            if isinstance(rows, Source):
                rows.check(plan)
            bits = noise_source(self.noise, self.random_state)
            bounds, ledger = replace(plan.facts.bounds, classes=listed), checked_ledger(self.ledger)
        needed = delta_of(plan.guarantee(bits.seeded))
        warn_before_spending(self, self.epsilon, needed, plan.facts.records, bits.seeded)

        entrance = self._entrance(rows, labels, bounds, plan, bits)
        del rows, labels  # the design decides what is held from now on
        released = release(entrance, plan, ledger, type(self).__name__, bits)
        plan = at(plan, Found(released.length, released.labels))
        bounds = replace(entrance.bounds, view=released.view, intercept=plan.facts.bounds.intercept)
        bounds = replace(bounds, usual_labels=released.labels)
        plan = replace(plan, facts=replace(plan.facts, bounds=bounds))
        with unseen():  # what these numbers look like in other units is nobody's business either
            released = replace(released, value=within_doubles(released.value, plan.facts.bounds))
            value = into_ball(released.value, plan.facts.bounds.coef_norm)
            self._publish(self._model(value.reshape(plan.facts.loss.outputs, -1), plan, released, listed))
        return self

    def _entrance(self, rows: Any, labels: npt.NDArray[Any], bounds: Bounds, plan: Plan, bits: Bits) -> LetsIn:
        """What lets the records in, once they are paid for."""
        return rows.entrance(bounds) if isinstance(rows, Source) else Entrance(rows, labels, bounds, self._told)

    def _measured(self, rows: Any, names: tuple[str, ...] | None) -> tuple[Any, tuple[str, ...] | None]:
        """The part of the rows, their columns so named, that their bounds are about, and its names."""
        return rows, names

    def _in_numbers(self, X: Any) -> Any:
        """The table, where words in it have been given numbers."""
        return X

    def _asked(self, X: Any) -> Any:
        """Rows to predict for."""
        return rows_as_fitted(self, X, self._names())

    def _refuse_filling(self, rows: Any) -> None:
        """Of a sparse matrix; by its type, before the debit."""
        if self.column_bounds is not None:
            refuse_filling(rows)

    def _publish(self, model: LinearModel) -> None:
        self.model_ = model
        self.coef_ = np.array(model.coef_)
        self.intercept_ = np.array(model.intercept_) if np.ndim(model.intercept_) else model.intercept_
        self.guarantee_ = model.guarantee

    def _row_bounds(self, plan: Plan) -> RowBounds | None:
        """What rows were brought within, and will be when they are predicted for; a lift knows its own."""
        bounds = plan.facts.bounds
        return None if bounds.lift is not None else RowBounds(bounds.row_norm, bounds.columns, bounds.view)

    def _split(self, value: Array, bounds: Bounds) -> tuple[Array, Array]:
        """Coefficients and intercepts for features in their own units."""
        coef, intercept = value, np.zeros(len(value))
        if bounds.intercept > 0:
            coef, intercept = value[:, :-1], value[:, -1] * bounds.intercept
        if not bounds.moved:
            return coef, intercept
        coef = coef * np.array(bounds.column_scales)
        return coef, intercept - coef @ np.array(bounds.column_centres)

    def _uncertainty(self, plan: Plan, released: Released) -> Uncertainty | None:
        """The error of the released numbers, in the caller's units."""
        return uncertainty_of(plan, released, self._split)

    def _names(self) -> tuple[str, ...] | None:
        return names_of(self)

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions from released values: free."""
        check_is_fitted(self)
        return self.model_.predict(self._asked(X))

    @documented(returns="tuple: Shaped as `coef_` and `intercept_`.")
    def standard_errors(self) -> tuple[Array, Array | float]:
        """Of `coef_` and `intercept_`; `model_.covers` says around what.  Free."""
        check_is_fitted(self)
        return self.model_.standard_errors()

    @documented(returns="Intervals: Ends for each coefficient and intercept.")
    def confidence_intervals(self, level: float = 0.95) -> Intervals:
        """For each coefficient and intercept; `model_.covers` says of what.  Free."""
        check_is_fitted(self)
        return self.model_.confidence_intervals(level)

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the released model as JSON; `equipoise.load` reads it."""
        check_is_fitted(self)
        self.model_.save(path)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the model: its guarantee in plain words; `data` names the data set."""
        check_is_fitted(self)
        return self.model_.card(data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True  # a missing cell counts as the middle of its column
        tags.target_tags.required = True
        tags.non_deterministic = self.random_state is None
        return tags
