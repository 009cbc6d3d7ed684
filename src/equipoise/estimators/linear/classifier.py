"""What the private classifiers share on top of `PrivateLinear`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from equipoise.errors import BoundsRequired
from equipoise.estimators import _labels
from equipoise.estimators._inputs import query_rows
from equipoise.estimators.linear.base import PrivateLinear, check_flag
from equipoise.outside import LinearModel
from equipoise.theory.bounds import Bounds

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

    def _classes_before_looking(self, y: npt.NDArray[Any]) -> tuple[Any, ...] | None:
        return _labels.declared(self.classes, y)

    def _classes_after_debit(self, y: npt.NDArray[Any]) -> tuple[Any, ...] | None:
        return _labels.convention(y)

    def _publish(self, model: LinearModel) -> None:
        super()._publish(model)
        self.classes_ = model.classes_

    def _label_note(self) -> tuple[str, ...]:
        if isinstance(self.classes, str):
            return ("classes read off the data on the caller's word that the label set is public",)
        if self.classes is None:
            return (
                "labels follow a public convention, 0/1 or -1/1; which one is taken as public, list classes= otherwise",
            )
        return ()

    def decision_function(self, X: Any) -> Array:
        """Scores: (n,) for two classes, (n, K) for more."""
        check_is_fitted(self)
        return self.model_.decision_function(query_rows(self, X, self._names()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at small ε honest noise can leave little of the signal
        return tags
