"""Private additive regression: a value is a sum of one shape per column."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import is_word, moderate, positive, shown
from equipoise._docs import documented
from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.estimators._labels import clipped_labels
from equipoise.estimators.additive import bends, shared
from equipoise.estimators.linear.given import check_flag
from equipoise.estimators.linear.regressor import PrivateRegressor
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.outside.additive.shapes import Shape
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Huber, Loss, Squared
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]


THRESHOLD = 0.25
"""Of half the label range, for a mechanism by name: residuals beyond it count linearly."""


@documented("additive regressor")
class AdditiveRegressor(PrivateRegressor):
    """Minimises mean squared error + (alpha/2)·roughness of one shape per column, under differential privacy.

    `label_bounds` are public, and so is whatever is said of columns: see `AdditiveClassifier`.  `threshold`, in the
    labels' units, is where a residual begins to count linearly, which needs less noise than squares do; None leaves it
    to the plan, and a mechanism by name has an eighth of the label range.

    >>> import numpy as np, equipoise as eq
    >>> X = np.linspace(-1, 1, 4000)[:, None]
    >>> model = eq.AdditiveRegressor(1.0, 1e-6, label_bounds=(0, 1), column_bounds=(-1, 1)).fit(X, X[:, 0] ** 2)
    >>> bool(model.score(X, X[:, 0] ** 2) > 0.7), model.guarantee_.epsilon
    (True, 1.0)
    """

    row_norm = 1.0
    coef_norm = None
    centre = None
    _searchable = False
    _instead = "shapes"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 0.0,
        *,
        mechanism: str = "auto",
        alpha: float | str = "auto",
        fit_intercept: bool = True,
        label_bounds: Any = None,
        threshold: float | None = None,
        column_bounds: Any = None,
        categories: Any = None,
        knots: Any = None,
        pairs: Any = None,
        monotone: Any = None,
        smoothness: float | str = "auto",
        adjacency: str = "replace-one",
        public_n: int | None = None,
        rows_per_person: int | None = None,
        ledger: LedgerLike | None = None,
        random_state: RandomState = None,
        noise: str = "equipoise",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.label_bounds = label_bounds
        self.threshold = threshold
        self.column_bounds = column_bounds
        self.categories = categories
        self.knots = knots
        self.pairs = pairs
        self.monotone = monotone
        self.smoothness = smoothness
        self.adjacency = adjacency
        self.public_n = public_n
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.random_state = random_state
        self.noise = noise

    def _loss(self, classes: int) -> Loss:
        if not self._loss_is_given():
            return Squared()
        if self.threshold is None:
            return Huber(THRESHOLD)
        return Huber(moderate(threshold=positive(threshold=self.threshold) / self._bounds().label_scale))

    def _loss_is_given(self) -> bool:
        return self.threshold is not None or not is_word(self.mechanism, "auto")

    def _bounds(self) -> Bounds:
        if self.label_bounds is None:
            raise BoundsRequired("label_bounds: state the public range of the labels, (low, high)")
        try:
            low, high = self.label_bounds
        except (TypeError, ValueError):
            raise InvalidInput(f"label_bounds={shown(self.label_bounds)}: must be a pair (low, high)") from None
        plain = shared.plain_bounds(check_flag(fit_intercept=self.fit_intercept))
        return replace(plain, label_range=(low, high))

    def _bounds_for(self, d: int, n: int) -> Bounds:
        return shared.with_encoding(self._bounds(), self, d, n)

    def _plan(self, n: int, d: int, classes: int, bounds: Bounds | None = None) -> Plan:
        plan_for = partial(super()._plan, n, d, classes)
        return plan_for(bounds) if bounds else bends.planned(self, self._bounds_for(d, n), plan_for)

    def _middles(self, d: int, names: tuple[str, ...] | None) -> float:
        return np.nan

    def _in_numbers(self, X: Any) -> Any:
        return shared.in_numbers(self, X)

    def _asked(self, X: Any) -> Any:
        return shared.asked(self, X)

    def _refuse_filling(self, rows: Any) -> None:
        """Sparse tables are refused as they are read."""

    def _model(self, value: Array, plan: Plan, released: Released, classes: tuple[Any, ...] | None) -> LinearModel:
        bounds = plan.facts.bounds
        coef, intercept, shapes = shared.shaped(value, plan, released, self)
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator="AdditiveRegressor",
            coef=coef * bounds.label_scale,
            intercept=intercept * bounds.label_scale + bounds.label_centre,
            classes=None,
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(
                released.guarantee, notes=(*released.guarantee.notes, clipped_labels(bounds), *shared.notes(plan))
            ),
            feature_names=self._names(),
            shapes=shapes,
        )

    @property
    def shapes_(self) -> list[Shape]:
        """What each column, then each pair, adds to the score, as released."""
        check_is_fitted(self)
        return self.model_.shapes_

    @property
    def importances_(self) -> dict[str, float]:
        """The spread of each shape over its public grid, largest first."""
        check_is_fitted(self)
        return self.model_.importances_

    @documented()
    def plot_shapes(self, path: Any) -> None:
        """Draw every shape, the most important first, into a picture file."""
        check_is_fitted(self)
        self.model_.plot_shapes(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags
