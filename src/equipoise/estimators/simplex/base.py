"""What estimators over the simplex and the L1 ball share: planning, fitting, predicting, saving."""

from __future__ import annotations

import os
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import is_word, one_of, positive, whole
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._inputs import rows_as_fitted, training_rows
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit, before_the_debit
from equipoise.estimators.linear.given import check_flag, rows_to_use
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.gate.simplex import release as gate
from equipoise.inside import Private
from equipoise.inside.simplex.mixtures import Mixtures, enter_mixtures
from equipoise.inside.strangers import unseen
from equipoise.ledger import Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.outside.simplex.mixture import Mixture
from equipoise.outside.simplex.model import SimplexModel
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Loss
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Entropy
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.plans import SampledPlan

Array = npt.NDArray[np.float64]

MISSING = "a missing value of a feature counts as 0, one beyond row_norm as row_norm"


@dataclass(slots=True, repr=False)
class Entrance:
    """Records at the door, which are brought within their bounds when it opens, once and in place: nobody here holds
    them any longer then."""

    rows: Any
    labels: npt.NDArray[Any]
    bounds: Bounds
    plan: SampledPlan

    def __call__(self) -> Private[Mixtures]:
        rows, self.rows = self.rows, None
        return enter_mixtures(rows, self.labels, self.bounds, self.plan.facts, self.plan.corners, ours=True)


class PrivateSimplex(BaseEstimator):
    """Abstract.  A final class adds its loss and its labels."""

    epsilon: float
    delta: float
    mechanism: str
    alpha: float | str
    row_norm: float
    coef_norm: float | None
    signed: bool
    fit_intercept: bool
    adjacency: str
    rows_per_person: int | None
    ledger: LedgerLike | None
    random_state: RandomState
    _usual_score: float
    """The largest score where nobody gave `coef_norm`, in units of the labels."""

    @abstractmethod
    def _loss(self) -> Loss: ...

    @abstractmethod
    def _labelled(self, bounds: Bounds) -> Bounds:
        """With what is known of the labels."""

    @abstractmethod
    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        """Copied, and refused by dtype alone."""

    def _declared(self, labels: npt.NDArray[Any]) -> tuple[Any, ...] | None:
        """The classes; None for regression."""
        return None

    @abstractmethod
    def _label_notes(self) -> tuple[str, ...]: ...

    @documented(returns="Plan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> SampledPlan:
        """Everything about the release for n records of d features, before any record is seen."""
        bounds, budget = self._bounds(), Budget(self.epsilon, self.delta)
        corners = Corners(whole(d=d), check_flag(signed=self.signed), bounds.intercept > 0)
        alpha = None if is_word(self.alpha, "auto") else positive(alpha=self.alpha)
        facts = Facts(
            self._loss(),
            Entropy(alpha or 1.0),
            bounds,
            whole(n=n),
            corners.columns + (1 if corners.constant else 0),
            Adjacency(one_of(tuple(Adjacency), adjacency=self.adjacency)),
            self.rows_per_person,
        )
        return gate.plan(facts, corners, budget, self.mechanism, given=alpha is not None)

    def _bounds(self) -> Bounds:
        """Scores are in units of the labels, which are scaled to one."""
        row_norm = positive(row_norm=self.row_norm)
        bounds = self._labelled(Bounds(row_norm, row_norm if check_flag(fit_intercept=self.fit_intercept) else 0.0))
        if self.coef_norm is None:
            return replace(bounds, coef_norm=self._usual_score / row_norm)
        return replace(bounds, coef_norm=positive(coef_norm=self.coef_norm) / bounds.label_scale)

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
            rows, labels = training_rows(self, X, self._own_labels(y), 2)
            people = rows_to_use(groups, self.rows_per_person, rows.shape[0])
            rows, labels = (rows, labels) if people is None else (rows[people.rows], labels[people.rows])
            listed = self._declared(labels)
            plan = self.plan(rows.shape[0], rows.shape[1])
            bounds, ledger = replace(plan.facts.bounds, classes=listed), checked_ledger(self.ledger)
            bits = bits_from(self.random_state)
        entrance = Entrance(rows, labels, bounds, plan)
        del rows  # the design decides what is held from now on
        drawn = self._release(entrance, plan, ledger, bits)
        self._publish(self._model(drawn, plan, listed, bits.seeded, ledger))
        return self

    def _release(self, enter: Entrance, plan: SampledPlan, ledger: LedgerLike | None, bits: Bits) -> Mixture:
        """Debit, let the records in, pass the gate."""
        account: LedgerLike = Ledger() if ledger is None else ledger
        label, about = type(self).__name__, plan.facts.neighbours
        with account.reserve(plan.event, label=label, neighbours=about) as entry, unseen():
            with after_the_debit():
                drawn = gate.release(enter(), plan, entry, bits)
            entry.commit()
        return drawn

    def _model(
        self,
        drawn: Mixture,
        plan: SampledPlan,
        classes: tuple[Any, ...] | None,
        seeded: bool,
        ledger: LedgerLike | None,
    ) -> SimplexModel:
        promise, bounds = plan.guarantee(seeded), plan.facts.bounds
        names = getattr(self, "feature_names_in_", None)
        return SimplexModel(
            estimator=type(self).__name__,
            mixture=drawn,
            coef_norm=bounds.coef_norm * bounds.label_scale,
            row_norm=bounds.row_norm,
            centre=bounds.label_centre,
            classes=classes,
            loss=plan.facts.loss,
            guarantee=replace(promise, notes=(*promise.notes, *self._label_notes(), MISSING)),
            feature_names=None if names is None else tuple(str(name) for name in names),
            origin=origin_now(ledger),
        )

    def _publish(self, model: SimplexModel) -> None:
        self.model_ = model
        self.coef_ = model.coef_
        self.intercept_ = model.intercept_
        self.guarantee_ = model.guarantee

    @property
    def sparse_coef_(self) -> csr_array:
        """The coefficients as a sparse row."""
        check_is_fitted(self, "model_")
        return self.model_.sparse_coef_

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predictions from released values: free."""
        check_is_fitted(self)
        return self.model_.predict(self._asked(X))

    def _asked(self, X: Any) -> Any:
        return rows_as_fitted(self, X, self.model_.feature_names)

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
        tags.input_tags.allow_nan = True  # a missing cell counts as 0
        tags.target_tags.required = True
        tags.non_deterministic = self.random_state is None
        return tags


def two_of(classes: tuple[Any, ...]) -> tuple[Any, ...]:
    """Two classes; no more are offered here."""
    if len(classes) != 2:
        raise InvalidInput("classes: Only binary classification is supported. List two, or use LogisticRegression.")
    return classes
