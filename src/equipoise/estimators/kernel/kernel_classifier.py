"""Private kernel machine: a linear classifier of random Fourier features that were drawn without the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import is_word, one_of, positive, whole
from equipoise._docs import documented
from equipoise.errors import MechanismRefused
from equipoise.estimators.kernel.usual import usual_bandwidth, usual_frequencies
from equipoise.estimators.linear.base import INTERCEPT_SHARE
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.entrance import Entrance
from equipoise.estimators.linear.source import LetsIn
from equipoise.gate import Bits, RandomState
from equipoise.gate.source import public_seed
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.rows import RowBounds
from equipoise.rows.lifts.fourier import KERNELS, Fourier
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Hinge, Logistic, Loss, Softmax
from equipoise.theory.plan import Plan
from equipoise.theory.stability.descents import SGD

Array = npt.NDArray[np.float64]

LOSSES = ("logistic", "hinge")


def _has_probabilities(estimator: Any) -> bool:
    return bool(estimator.loss == "logistic")


@documented("classifier")
class KernelClassifier(PrivateClassifier):
    """Minimises mean loss + (alpha/2)‖w‖² over cosines and sines of the rows, under differential privacy.

    Their products approximate a kernel: curved boundaries at the price of a linear model.  The frequencies are drawn
    before a record is read and published with the model.  Every row has norm one, whatever it holds, so privacy does
    not depend on how the columns are scaled; accuracy does: give `column_bounds`, or rows that fill `row_norm`.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(5000, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)
    >>> model = eq.KernelClassifier(epsilon=3.0, column_bounds=[(-1, 1)] * 2).fit(X, y)
    >>> bool(model.score(X, y) > 0.75), model.guarantee_.epsilon
    (True, 3.0)
    """

    centre = None
    _searchable = False
    _instead = "those of random features"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        kernel: str = "rbf",
        bandwidth: float | str = "auto",
        frequencies: int | str = "auto",
        loss: str = "logistic",
        mechanism: str | SGD = "auto",
        alpha: float | str = "auto",
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
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.frequencies = frequencies
        self.loss = loss
        self.mechanism = mechanism
        self.alpha = alpha
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

    def _loss(self, classes: int) -> Loss:
        if one_of(LOSSES, loss=self.loss) == "logistic":
            return Logistic() if classes == 2 else Softmax(classes)
        if classes > 2:
            raise MechanismRefused('loss="hinge": Only binary classification is supported, use loss="logistic"')
        return Hinge()

    def _bounds_for(self, d: int, n: int) -> Bounds:
        given = self._bounds_of(d, self._names())
        kernel = one_of(KERNELS, kernel=self.kernel)
        wide = usual_bandwidth(kernel, d) if is_word(self.bandwidth, "auto") else positive(bandwidth=self.bandwidth)
        many = self.frequencies
        many = usual_frequencies(n, self.epsilon, self.delta) if is_word(many, "auto") else whole(frequencies=many)
        lift = Fourier(RowBounds(given.row_norm, given.columns), d, kernel, wide, many)
        intercept = INTERCEPT_SHARE if given.intercept > 0 else 0.0
        return Bounds(lift.norm, intercept, coef_norm=given.coef_norm, lift=lift)

    def _entrance(self, rows: Any, labels: npt.NDArray[Any], bounds: Bounds, plan: Plan, bits: Bits) -> LetsIn:
        """With frequencies of its own: a plan is the same whichever they are."""
        assert isinstance(bounds.lift, Fourier)
        lift = replace(bounds.lift, seed=public_seed(bits))
        return Entrance(rows, labels, replace(bounds, lift=lift))

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        model = self._logistic_model(value, plan, released, classes)
        assert isinstance(model.lift, Fourier)
        made = f"{model.lift.frequencies} frequencies of the {self.kernel} kernel, drawn without the records"
        note = f"{made}, bandwidth {model.lift.bandwidth:.4g} of the longest row: every row has norm one by proof"
        return replace(model, guarantee=replace(model.guarantee, notes=(*model.guarantee.notes, note)))

    @available_if(_has_probabilities)
    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities, in the order of `classes_`; with `loss="logistic"` alone."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._asked(X))

    @available_if(_has_probabilities)
    @documented(returns="array of shape (n, number of classes): In the order of `classes_`.")
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms."""
        return np.asarray(np.log(self.predict_proba(X)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = is_word(self.loss, "logistic")
        return tags
