"""Private Huber regression: linear beyond a threshold, so that one outlying label pulls no harder than another."""

from __future__ import annotations

from typing import Any

from equipoise._checks import moderate, positive
from equipoise._docs import documented
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.theory.losses import Huber, Loss
from equipoise.theory.stability.descents import SGD


@documented("regressor")
class HuberRegressor(PrivateRegressor):
    """Minimises mean Huber loss + (alpha/2)‖w‖², intercept included, with labels scaled to [−1, 1].

    `threshold` is in the labels' units: residuals beyond it count linearly.  A smaller one needs less noise.
    None takes a quarter of the label range, or of the usual one where that is found first.
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
        label_bounds: tuple[float, float] | None = None,
        threshold: float | None = None,
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
        self.threshold = threshold
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

    def _loss_is_given(self) -> bool:
        return self.threshold is not None  # which is in the labels' units

    def _loss(self, classes: int) -> Loss:
        scale = self._bounds().label_scale
        return Huber(0.5 if self.threshold is None else moderate(threshold=positive(threshold=self.threshold) / scale))
