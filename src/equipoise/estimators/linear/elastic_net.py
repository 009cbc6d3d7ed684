"""Private elastic nets: an L1 part beside the ridge, for numbers and for two classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import fraction
from equipoise._docs import documented
from equipoise.errors import MechanismRefused
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, Squared
from equipoise.theory.plan import Plan
from equipoise.theory.regularisers import L2, Elastic, Penalty

Array = npt.NDArray[np.float64]

MANY = "The type of the target is multiclass: use LogisticRegression"
"""As scikit-learn says it."""


def elastic(alpha: float, l1_ratio: float, bounds: Bounds, n: int) -> Penalty:
    """(alpha/2)‖w‖² and as much of ‖w‖₁ beside it as scikit-learn's `l1_ratio` says; the intercept has no L1 part."""
    share = fraction(l1_ratio=l1_ratio)
    if share == 0:
        return L2(alpha)
    return Elastic.of(alpha, share / (1 - share), bounds.norm, n, spared=bounds.intercept > 0)


@documented("regressor")
class ElasticNet(PrivateRegressor):
    """Minimises mean squared error + (alpha/2)‖w‖² + alpha·l1_ratio/(1 − l1_ratio)·‖w‖₁, labels scaled to [−1, 1].

    The L1 part changes nothing about how far one record moves the minimiser: it costs no privacy and buys none.  The
    corners of ‖w‖₁ are rounded by less than the noise, and no released coefficient is exactly zero.  Set small ones to
    zero afterwards, for free; `standard_errors` says how much of them is noise.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(5000, 3))
    >>> model = eq.ElasticNet(epsilon=5.0, label_bounds=(-1, 1), alpha=0.01).fit(X, X[:, 0])
    >>> bool(abs(model.coef_[0]) > 2 * abs(model.coef_[1])), model.guarantee_.mechanism
    (True, 'output')
    """

    centre = None

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str = "auto",
        alpha: float | str = "auto",
        l1_ratio: float = 0.1,
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        label_bounds: tuple[float, float] | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.label_bounds = label_bounds
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _penalty(self, alpha: float, centre: tuple[float, ...] | None, bounds: Bounds, n: int) -> Penalty:
        return elastic(alpha, self.l1_ratio, bounds, n)

    def _loss(self, classes: int) -> Loss:
        return Squared()


@documented("classifier")
class ElasticNetClassifier(PrivateClassifier):
    """Minimises mean logistic loss + (alpha/2)‖w‖² + alpha·l1_ratio/(1 − l1_ratio)·‖w‖₁, for two classes.

    As `ElasticNet`: the L1 part shrinks coefficients that say little, and changes nothing about privacy.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(5000, 3))
    >>> model = eq.ElasticNetClassifier(epsilon=5.0, alpha=0.01).fit(X, (X[:, 0] > 0).astype(int))
    >>> bool(model.score(X, X[:, 0] > 0) > 0.8)
    True
    """

    centre = None

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str = "auto",
        alpha: float | str = "auto",
        l1_ratio: float = 0.1,
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        classes: Sequence[Any] | str | None = None,
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        coef_norm: float | None = None,
        column_bounds: Any = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.classes = classes
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.coef_norm = coef_norm
        self.column_bounds = column_bounds
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _penalty(self, alpha: float, centre: tuple[float, ...] | None, bounds: Bounds, n: int) -> Penalty:
        return elastic(alpha, self.l1_ratio, bounds, n)

    def _loss(self, classes: int) -> Loss:
        if classes > 2:
            raise MechanismRefused(f"classes: Only binary classification is supported. {MANY}")
        return Logistic()

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        return self._logistic_model(value, plan, released, classes)

    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities, in the order of `classes_`."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._asked(X))

    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
