"""Private logistic regression over the simplex or the L1 ball."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._docs import documented
from equipoise.estimators import _labels
from equipoise.estimators.simplex.base import PrivateSimplex, two_of
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside.simplex.model import SimplexModel
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss

Array = npt.NDArray[np.float64]


@documented("simplex classifier")
class SimplexClassifier(ClassifierMixin, PrivateSimplex):
    """Logistic regression whose coefficients are `coef_norm` times weights on few columns, two classes.

    As `SimplexRegressor`, with the logistic loss and a score whose sign decides.  Here `signed=True` is the default:
    a column may speak for either class.

    >>> import numpy as np, equipoise as eq
    >>> X = np.sign(np.random.default_rng(0).normal(size=(4000, 500)))
    >>> model = eq.SimplexClassifier(2.0, 1e-6, classes=[-1, 1]).fit(X, -X[:, 7])
    >>> int(np.argmin(model.coef_)), bool(model.score(X, -X[:, 7]) > 0.9)
    (7, True)
    """

    _usual_score = 2.0

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        coef_norm: float | None = None,
        signed: bool = True,
        fit_intercept: bool = True,
        classes: Sequence[Any] | str | None = None,
        adjacency: str = "replace-one",
        rows_per_person: int | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.row_norm = row_norm
        self.coef_norm = coef_norm
        self.signed = signed
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.adjacency = adjacency
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state

    def _loss(self) -> Loss:
        return Logistic()

    def _labelled(self, bounds: Bounds) -> Bounds:
        return bounds

    def _own_labels(self, y: Any) -> npt.NDArray[Any]:
        return _labels.own_classes(y, self.classes, type(self).__name__)

    def _declared(self, labels: npt.NDArray[Any]) -> tuple[Any, ...]:
        return two_of(_labels.declared(self.classes, labels))

    def _label_notes(self) -> tuple[str, ...]:
        if isinstance(self.classes, str):
            return ("classes read off the data on the caller's word that the label set is public",)
        return ("a label that is none of the classes counts as the first of them",)

    def _publish(self, model: SimplexModel) -> None:
        super()._publish(model)
        self.classes_ = model.classes_

    @documented(returns="array of shape (n,): Above 0 speaks for the second class.")
    def decision_function(self, X: Any) -> Array:
        """Scores."""
        check_is_fitted(self)
        return self.model_.decision_function(self._asked(X))

    @documented(returns="array of shape (n, 2): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> Array:
        """Chances of both classes."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._asked(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at small ε a few draws can leave little of the signal
        tags.classifier_tags.multi_class = False
        return tags
