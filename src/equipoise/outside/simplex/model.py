"""The frozen model of a released mixture: a few columns with weights, and predictions from them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise._checks import moderate, number
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.outside.card import Card
from equipoise.outside.inputs import Rows, numeric_rows, same_columns
from equipoise.outside.model import Label, label_array, plain_labels
from equipoise.outside.origin import Origin, named
from equipoise.outside.simplex.mixture import Mixture
from equipoise.rows.entries import EntryBound
from equipoise.theory.guarantees import Guarantee
from equipoise.theory.losses import Loss
from equipoise.theory.losses.links import OF_TWO, probabilities
from equipoise.theory.simplex.corners import Array


@documented(record=True)
@dataclass(frozen=True, slots=True, eq=False)
class SimplexModel:
    """Coefficients of L1 norm at most `coef_norm`, few of them not zero; rows are clipped to `row_norm` in every entry.

    It holds released values only, so predicting from it, saving it and copying it cost no privacy.
    """

    estimator: str
    mixture: Mixture
    coef_norm: float
    row_norm: float
    centre: float
    """What is predicted where every score is zero: the middle of the label bounds, or 0."""
    classes: tuple[Label, ...] | None
    loss: Loss
    guarantee: Guarantee
    feature_names: tuple[str, ...] | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        moderate(7, coef_norm=self.coef_norm)
        moderate(row_norm=self.row_norm)
        number(centre=self.centre)
        object.__setattr__(self, "classes", plain_labels(self.classes))
        if (self.classes is None) != (self.kind == "regressor"):
            raise InvalidInput(f"classes: do not go with the {self.loss.name} loss")
        if self.classes is not None and len(set(self.classes)) != 2:
            raise InvalidInput("classes: list two different labels")
        if self.feature_names is not None and len(self.feature_names) != self.n_features_in_:
            raise InvalidInput("feature_names: needs one name for each column")

    @property
    def kind(self) -> str:
        """Classifier or regressor."""
        return str(self.loss.traits.task)

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return self.mixture.corners.columns

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The two classes."""
        if self.classes is None:
            raise AttributeError(f"{self.estimator} is a regressor: it has no classes_")
        return label_array(self.classes)

    @property
    def guarantee_(self) -> Guarantee:
        """What was promised."""
        return self.guarantee

    def _parts(self) -> tuple[npt.NDArray[np.intp], Array, float]:
        """Columns that carry weight, their coefficients, and the intercept."""
        columns, weights = self.mixture.columns()
        own = columns < self.n_features_in_
        constant = float(np.sum(weights[~own])) * self.row_norm
        return columns[own], self.coef_norm * weights[own], self.coef_norm * constant + self.centre

    @property
    def sparse_coef_(self) -> csr_array:
        """The coefficients as a sparse row."""
        columns, coef, _ = self._parts()
        return csr_array((coef, (np.zeros(len(columns), dtype=np.intp), columns)), shape=(1, self.n_features_in_))

    @property
    def coef_(self) -> Array:
        """The same, all of them: (d,) for a regressor, (1, d) for a classifier."""
        dense = self.sparse_coef_.toarray()
        return dense[0] if self.classes is None else dense

    @property
    def intercept_(self) -> Array | float:
        """One number, in an array for a classifier."""
        intercept = self._parts()[2]
        return intercept if self.classes is None else np.array([intercept])

    @documented(returns="array of shape (n,): One score for each row.")
    def decision_function(self, X: Rows) -> Array:
        """X·coef + intercept for rows brought within the bound of the fit."""
        same_columns(X, self.feature_names)
        rows = numeric_rows(X, self.n_features_in_, self.estimator, None, gaps=True)
        columns, coef, intercept = self._parts()
        used = EntryBound(self.row_norm).brought_within(rows[:, columns])
        return np.asarray(used @ coef, dtype=np.float64) + intercept

    @documented(returns="array of shape (n,): A label or number for each row.")
    def predict(self, X: Rows) -> npt.NDArray[Any]:
        """The value, or the second class where the score is above 0."""
        scores = self.decision_function(X)
        return scores if self.classes is None else np.take(self.classes_, (scores > 0).astype(np.intp))

    @documented(returns="array of shape (n, 2): In the order of `classes_`.")
    def predict_proba(self, X: Rows) -> Array:
        """Chances of both classes."""
        if self.loss.traits.link not in OF_TWO:
            raise InvalidInput(f"predict_proba: {self.estimator} has no probabilities, use predict")
        return probabilities(self.decision_function(X), self.loss.traits.cap)

    @documented(returns="Card: As text, HTML and JSON.")
    def card(self, data: str | None = None) -> Card:
        """The page to ship with the model; `data` names the data set where the model does not know it."""
        return Card(
            estimator=self.estimator,
            kind=self.kind,
            features=self.n_features_in_,
            classes=self.classes,
            guarantee=self.guarantee,
            minimised=self.loss.traits.words,
            feature_names=self.feature_names,
            origin=named(self.origin, data),
        )

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write JSON that `equipoise.load` reads back exactly."""
        from equipoise.outside.simplex.files import save_simplex  # it builds models, so it cannot be imported above

        save_simplex(self, path)
