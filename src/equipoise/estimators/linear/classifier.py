"""What the private classifiers share on top of `PrivateLinear`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._docs import documented
from equipoise.errors import BoundsRequired
from equipoise.estimators import _labels
from equipoise.estimators.linear.base import MISSING, PrivateLinear
from equipoise.estimators.linear.given import check_flag
from equipoise.outside import LinearModel, Released
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import zero_sum_basis
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]


class PrivateClassifier(ClassifierMixin, PrivateLinear):
    """Abstract."""

    classes: Sequence[Any] | str | None

    def _bounds(self) -> Bounds:
        check_flag(fit_intercept=self.fit_intercept)
        return self._given_bounds()

    def _planned_classes(self) -> int:
        if self.classes is None:
            return 2
        if isinstance(self.classes, str):
            raise BoundsRequired("classes: list them to plan ahead, the observed ones are only known when fitting")
        return len(_labels.listed(self.classes))

    def _declared(self, labels: npt.NDArray[Any]) -> tuple[Any, ...]:
        return _labels.declared(self.classes, labels)

    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        return _labels.own_classes(y, self.classes, type(self).__name__)

    def _settled_labels(self, labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return _labels.settled(labels, self._declared(labels))

    def _publish(self, model: LinearModel) -> None:
        super()._publish(model)
        self.classes_ = model.classes_

    def _label_note(self) -> tuple[str, ...]:
        if isinstance(self.classes, str):
            return (f"classes read off the data on the caller's word that the label set is public; {MISSING}",)
        if self.classes is None:
            return (f"labels are 0 and 1: any other counts as 0, -1 included; list classes= otherwise; {MISSING}",)
        return (f"a label that is none of the classes counts as the first of them; {MISSING}",)

    def _logistic_model(
        self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None
    ) -> LinearModel:
        """Released numbers as coefficients whose scores are log-odds; those of many classes sum to zero."""
        names = classes or (0, 1)
        if len(names) > 2:
            value = zero_sum_basis(len(names)).T @ value
        coef, intercept = self._split(value, plan.facts.bounds)
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator=type(self).__name__,
            coef=coef,
            intercept=intercept,
            classes=names,
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(released.guarantee, notes=(*released.guarantee.notes, *self._label_note())),
            feature_names=self._names(),
            uncertainty=self._uncertainty(plan, released),
            row_bounds=self._row_bounds(plan),
            lift=plan.facts.bounds.lift,  # type: ignore[arg-type]  # one that files can hold
            origin=released.origin,
        )

    @documented(returns="float: In [0, 1].")
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of these rows that is predicted right, for free: they are not protected.

        With `classes=None` a label of -1 is 0, as it was in the fit.
        """
        labels = np.asarray(y)
        usual = self.classes is None and labels.dtype.kind in "if"
        return float(super().score(X, np.where(labels == -1, 0, labels) if usual else y, sample_weight))

    @documented(returns="array of shape (n,) or (n, K): Above 0 speaks for the second class.")
    def decision_function(self, X: Any) -> Array:
        """Scores: (n,) for two classes, (n, K) for more."""
        check_is_fitted(self)
        return self.model_.decision_function(self._asked(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at small ε honest noise can leave little of the signal
        return tags
