"""Private bridge regression: a power of the coefficients between the ridge and the lasso."""

from __future__ import annotations

from typing import Any

from equipoise._docs import documented
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Loss, Squared
from equipoise.theory.regularisers import Bridge, Penalty


@documented("regressor")
class BridgeRegressor(PrivateRegressor):
    """Minimises mean squared error + λ·Σ|w_j|^power, 1 < power ≤ 2, labels scaled to [−1, 1].

    Powers below 2 leave large coefficients longer and make small ones smaller.  `alpha` says how strong the penalty is
    where it is weakest, at the largest coefficient that any data can have; λ follows from it, and power 2 is the ridge
    of `LinearRegression`.  The penalty's corner at zero is rounded by less than the noise.  Output perturbation alone
    covers a power below 2.

    >>> import numpy as np, equipoise as eq
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(5000, 3))
    >>> model = eq.BridgeRegressor(epsilon=5.0, power=1.5, label_bounds=(-1, 1), alpha=0.01).fit(X, X[:, 0])
    >>> bool(model.score(X, X[:, 0]) > 0.5), model.guarantee_.mechanism
    (True, 'output')
    """

    centre = None

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        power: float = 1.5,
        mechanism: str = "auto",
        alpha: float | str = "auto",
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
        self.power = power
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
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _penalty(self, alpha: float, centre: tuple[float, ...] | None, bounds: Bounds, n: int) -> Penalty:
        return Bridge.of(alpha, self.power, bounds.norm, n, spared=bounds.intercept > 0)

    def _loss(self, classes: int) -> Loss:
        return Squared()
