"""Private ridge regression."""

from __future__ import annotations

from typing import Any

from equipoise._docs import documented
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.theory.losses import Loss, Squared
from equipoise.theory.plan import Descent


@documented("regressor")
class LinearRegression(PrivateRegressor):
    """Minimises mean squared error + (alpha/2)‖w‖², intercept included, with labels scaled to [−1, 1].

    Give `epsilon`, `label_bounds` and the features' `row_norm`: public facts, chosen before looking.  Rows and
    labels beyond them are clipped.

    "auto" minimises the squared error with residuals clipped at a public threshold, which needs no bound on the
    coefficients and less noise; the threshold grows with the number of records and epsilon, and the card states it.
    Where records pay for it, the intercept is released last, as the mean of what the slopes leave over.

    >>> import numpy as np, equipoise as eq
    >>> X = np.linspace(-1, 1, 2000)[:, None]
    >>> model = eq.LinearRegression(epsilon=1.0, label_bounds=(0, 10)).fit(X, 5 + 4 * X[:, 0])
    >>> bool(model.score(X, 5 + 4 * X[:, 0]) > 0.8), model.guarantee_.epsilon
    (True, 1.0)
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str | Descent = "auto",
        alpha: float | str = "auto",
        row_norm: float = 1.0,
        fit_intercept: bool = True,
        label_bounds: tuple[float, float] | None = None,
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
        self.label_bounds = label_bounds
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
        return Squared()
