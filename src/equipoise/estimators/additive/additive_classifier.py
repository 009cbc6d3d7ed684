"""Private additive classification: the log-odds are a sum of one shape per column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators.additive import bends, shared
from equipoise.estimators.linear.base import MISSING
from equipoise.estimators.linear.classifier import PrivateClassifier
from equipoise.estimators.linear.given import check_flag
from equipoise.gate import RandomState
from equipoise.ledger import LedgerLike
from equipoise.outside import LinearModel, Released
from equipoise.outside.additive.shapes import Shape
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, Softmax, zero_sum_basis
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]


@documented("additive classifier")
class AdditiveClassifier(PrivateClassifier):
    """Minimises mean logistic loss + (alpha/2)·roughness of one shape per column, under differential privacy.

    Columns are named by place or, in a data frame, by name.  Every column of numbers needs public `column_bounds`: one
    (low, high) for all, a list, or `{column: (low, high)}`.  `categories={column: [values]}` lists the values of the
    others.  `pairs` are fitted jointly, `monotone={column: 1}` rises, −1 falls.  `knots` are a number, or for each
    column a number or a list.

    >>> import numpy as np, equipoise as eq
    >>> X = np.linspace(-1, 1, 4000)[:, None]
    >>> model = eq.AdditiveClassifier(1.0, 1e-6, column_bounds=(-1, 1)).fit(X, (abs(X[:, 0]) > 0.5).astype(int))
    >>> bool(model.score(X, abs(X[:, 0]) > 0.5) > 0.8), len(model.shapes_[0].values)
    (True, 16)
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
        classes: Sequence[Any] | str | None = None,
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
        self.classes = classes
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
        if classes > 2 and self.monotone:
            raise InvalidInput("monotone: is for two classes, with more no single shape decides")
        return Logistic() if classes == 2 else Softmax(classes)

    def _bounds(self) -> Bounds:
        return shared.plain_bounds(check_flag(fit_intercept=self.fit_intercept))

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
        names = classes or (0, 1)
        coef, intercept, shapes = shared.shaped(value, plan, released, self)
        if len(names) > 2:
            turn = zero_sum_basis(len(names)).T
            coef, intercept, shapes = turn @ coef, turn @ intercept, replace(shapes, noise=None)
        said = (note.removesuffix(f"; {MISSING}") for note in self._label_note())
        notes = (*released.guarantee.notes, *said, *shared.notes(plan))
        return LinearModel(
            kind=plan.facts.loss.traits.task,
            estimator="AdditiveClassifier",
            coef=coef,
            intercept=intercept,
            classes=names,
            link=plan.facts.loss.traits.link,
            loss=plan.facts.loss,
            guarantee=replace(released.guarantee, notes=notes),
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

    @documented(returns="array of shape (n, K): One row for each.")
    def predict_proba(self, X: Any) -> Array:
        """Probabilities, in the order of `classes_`."""
        check_is_fitted(self)
        return self.model_.predict_proba(self._asked(X))

    @documented(returns="array of shape (n, K): One row for each.")
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms."""
        return np.log(self.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags
