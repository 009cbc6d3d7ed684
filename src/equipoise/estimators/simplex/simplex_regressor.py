"""Private least squares over the simplex or the L1 ball."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from equipoise._docs import documented
from equipoise.estimators._labels import label_range, own_numbers
from equipoise.estimators.simplex.base import PrivateSimplex
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Loss, Squared

Array = npt.NDArray[np.float64]


@documented("simplex regressor")
class SimplexRegressor(RegressorMixin, PrivateSimplex):
    """Least squares whose coefficients are `coef_norm` times weights on few columns, for tables with very many.

    Minimises mean squared error + alpha·Σθ log θ over weights θ that add up to one, and releases the average of a few
    columns drawn by them: what that costs in accuracy grows with the logarithm of the number of columns alone.
    `signed=True` takes every column both ways, so that coefficients fill the L1 ball.  An intercept is two more
    corners, a constant column of `row_norm` both ways.  `mechanism="frank-wolfe"`
    steps from corner to corner instead; "auto" takes what public facts predict to do better.

    >>> import numpy as np, equipoise as eq
    >>> X = np.sign(np.random.default_rng(0).normal(size=(4000, 500)))
    >>> model = eq.SimplexRegressor(2.0, 1e-6, label_bounds=(-1, 1), fit_intercept=False, coef_norm=1.0)
    >>> model = model.fit(X, X[:, 7])
    >>> int(np.argmax(model.coef_)), model.guarantee_.epsilon
    (7, 2.0)
    """

    _usual_score = 1.0

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        coef_norm: float | None = None,
        signed: bool = False,
        fit_intercept: bool = True,
        label_bounds: tuple[float, float] | None = None,
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
        self.label_bounds = label_bounds
        self.adjacency = adjacency
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state

    def _loss(self) -> Loss:
        return Squared()

    def _labelled(self, bounds: Bounds) -> Bounds:
        return replace(bounds, label_range=label_range(self.label_bounds))

    def _own_labels(self, y: Any) -> Array:
        return own_numbers(y, type(self).__name__)

    def _label_notes(self) -> tuple[str, ...]:
        low, high = label_range(self.label_bounds)
        return (f"labels outside {low:g} to {high:g} were clipped to that range, missing ones are its middle",)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # at small ε a few draws can leave little of the signal
        return tags
