"""Features chosen by a threshold on a private model's coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import fraction, is_word, positive
from equipoise._docs import documented
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.outside import Card
from equipoise.outside.thresholds import Threshold
from equipoise.theory.mechanisms import OUTPUT
from equipoise.theory.plan import OutputPlan, Plan

Array = npt.NDArray[np.float64]

DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class SelectionPlan:
    """The fit that pays, and how often its noise alone decides about a feature.  Printing it costs nothing."""

    fit: Plan
    threshold: Threshold
    """In the units of the fit: a score's change for a feature of one, labels scaled to [−1, 1]."""

    def __repr__(self) -> str:
        size, at = self.threshold.value, self.threshold
        chances = [f"  {times:g} × threshold   {at.disagrees(times * size):.3g}" for times in (0.0, 0.5, 1.5, 2.0, 4.0)]
        head = f"threshold   {size:.6g}; chance that noise decides wrongly, by the coefficient without noise"
        return "\n".join([repr(self.fit), head, *chances])


@documented("selector")
class FeatureSelector(SelectorMixin, BaseEstimator):
    """Fits a private linear model and keeps the features whose released coefficients stand out from its noise.

    All of the budget is the estimator's; choosing among what it released is free.  `threshold="dynamic"` is so large
    that a feature with no weight at all is kept with a chance of `false_rate`, each by itself; a number is used as it
    is, in the features' own units.  Small coefficients that are not zero are mostly dropped too: `plan` says how often.

    The estimator must state its error: two classes or numbers, `mechanism="output"`.  Elastic nets put coefficients
    that say little near zero, where the threshold is.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(20_000, 4))
    >>> net = eq.ElasticNetClassifier(epsilon=2.0, mechanism="output", alpha=0.01)
    >>> selector = eq.FeatureSelector(net).fit(X, (X[:, 2] > 0).astype(int))
    >>> bool(selector.get_support()[2]), selector.transform(X).shape[1] < 4
    (True, True)
    """

    data_free = True
    """What it learns from rows is what its estimator releases, which is paid for."""

    def __init__(self, estimator: Any = None, *, threshold: float | str = DYNAMIC, false_rate: float = 0.05) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.false_rate = false_rate

    @documented(returns="SelectionPlan: Printing it costs nothing.")
    def plan(self, n: int, d: int) -> SelectionPlan:
        """The estimator's plan, and the chances that noise decides wrongly about a feature."""
        self._check()
        plan: OutputPlan = self.estimator.plan(n, d)
        noise = plan.noise
        if self.threshold == DYNAMIC:
            return SelectionPlan(plan, Threshold.for_rate(self._rate(), noise.law, noise.dim, noise.rms))
        return SelectionPlan(plan, Threshold(positive(threshold=self.threshold), noise.law, noise.dim, noise.rms))

    @documented(returns="self: The fitted selector.")
    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:
        """Fit the estimator, which debits its own ledger, and compare what it released with the threshold."""
        before = dict(vars(self))
        try:
            return self._fit(X, y, groups)
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind
            raise

    def _fit(self, X: Any, y: Any, groups: Any) -> Self:
        with before_the_debit():
            self._check()
            model = clone(self.estimator)
        model.fit(X, y, groups=groups)
        self.n_features_in_ = model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_
        self.estimator_, self.guarantee_ = model, model.guarantee_
        self.coef_ = np.array(model.coef_).reshape(-1)
        self.threshold_ = self._thresholds(model)
        return self

    def _thresholds(self, model: Any) -> Array:
        """One for each feature, in its own units."""
        if self.threshold != DYNAMIC:
            return np.full(self.coef_.shape, positive(threshold=self.threshold))
        known = model.model_.uncertainty
        errors = np.asarray(model.standard_errors()[0]).reshape(-1)
        units = [Threshold.for_rate(self._rate(), known.law, known.noisy, error).value for error in errors]
        return np.array(units)

    def _rate(self) -> float:
        rate = fraction(false_rate=self.false_rate)
        return positive(false_rate=rate)

    def _check(self) -> None:
        if not isinstance(self.estimator, PrivateLinear):
            name = type(self.estimator).__name__
            raise InvalidInput(f"estimator of type {name}: must be a private linear estimator, such as ElasticNet")
        if not self.estimator._searchable:
            name = type(self.estimator).__name__
            raise MechanismRefused(f"estimator of type {name}: its numbers belong to no column, use a linear model")
        if self.estimator.mechanism != OUTPUT.name or not _of_one_score(self.estimator):
            raise MechanismRefused(
                'estimator: must state its error to choose by it, use two classes or numbers and mechanism="output"'
            )
        self._rate()
        if not is_word(self.threshold, DYNAMIC):
            positive(threshold=self.threshold)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return np.asarray(np.abs(self.coef_) > self.threshold_, dtype=np.bool_)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """That of the model behind the choice."""
        check_is_fitted(self)
        card: Card = self.estimator_.card(data)
        return card

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _of_one_score(estimator: Any) -> bool:
    """Numbers, or two classes for certain: of a set that is only observed nobody knows before the debit."""
    tags = get_tags(estimator).classifier_tags
    if tags is None or not tags.multi_class or estimator.classes is None:
        return True
    return not isinstance(estimator.classes, str) and len(estimator.classes) == 2
