"""Private logistic regression: two classes, or K jointly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import number, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators._inputs import rows_as_fitted
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.theory.losses import CappedLogistic, CappedSoftmax, Logistic, Loss, Softmax
from equipoise.theory.losses.capped_logistic import SMALLEST_CAP
from equipoise.theory.plan import Plan
from equipoise.theory.stability.descents import SGD

Array = npt.NDArray[np.float64]


@documented("classifier")
class LogisticRegression(PrivateClassifier):
    """Minimises mean logistic loss + (alpha/2)‖w‖², intercept included, under differential privacy.

    Give `epsilon` and public bounds; the rest is chosen from public facts.  Rows longer than `row_norm` are clipped.
    `classes=None` means 0/1, and a label of −1 counts as 0; list any other labels.  More than two classes are fitted
    jointly (softmax).  What is missing counts as the middle of its column, a label that is no class as the first.

    `slope_cap` is the steepest slope of the loss, from 0.5 to 1: beyond it the loss goes on as a straight line, which
    needs less noise, and probabilities take it into account.  None leaves it to `mechanism="auto"`; a mechanism by name
    then has the plain loss.

    >>> import numpy as np, equipoise as eq
    >>> X = np.linspace(-1, 1, 2000)[:, None]
    >>> model = eq.LogisticRegression(epsilon=1.0).fit(X, (X[:, 0] > 0).astype(int))
    >>> bool(model.score(X, X[:, 0] > 0) > 0.9), model.guarantee_.epsilon
    (True, 1.0)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str | SGD = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        classes: Sequence[Any] | str | None = None,
        slope_cap: float | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        middle: str | None = None,
        centre: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.slope_cap = slope_cap
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.middle = middle
        self.centre = centre
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _loss(self, classes: int) -> Loss:
        cap = 1.0 if self.slope_cap is None else number(slope_cap=self.slope_cap)
        if cap == 1:
            return Logistic() if classes == 2 else Softmax(classes)
        if not SMALLEST_CAP <= cap < 1:
            raise InvalidInput(f"slope_cap={shown(cap)}: must be from {SMALLEST_CAP} to 1")
        return CappedLogistic(cap) if classes == 2 else CappedSoftmax(classes, cap)

    def _loss_is_given(self) -> bool:
        return self.slope_cap is not None

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        return self._logistic_model(value, plan, released, classes)

    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities, in the order of `classes_`."""
        check_is_fitted(self)
        return self.model_.predict_proba(rows_as_fitted(self, X, self._names()))

    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms."""
        return np.log(self.predict_proba(X))
