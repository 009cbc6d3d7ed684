"""Coefficients of somebody's estimator, fitted alone; zeros where it has none.  docs/proofs/stated_stability.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside.answers.shards import fitted_alone
from equipoise.inside.design.contract import Array
from equipoise.inside.labels import class_places, numbers_within
from equipoise.inside.private import Private
from equipoise.inside.strangers import Failed, alone
from equipoise.rows.clip import clip_dense, clip_sparse
from equipoise.rows.owned import own_csr

READING = 2
"""Key: a fitted model's attributes may be properties that draw."""


@dataclass(frozen=True, slots=True)
class Form:
    """The public shape of what is read: scores per row, columns, whether there is an intercept for each score."""

    outputs: int
    columns: int
    intercept: bool
    classes: int = 0
    """How many classes there are; none for numbers."""

    @property
    def size(self) -> int:
        return self.outputs * (self.columns + (1 if self.intercept else 0))

    def split(self, vector: Array) -> tuple[Array, Array]:
        """Coefficients, a row for each score, and intercepts."""
        rows = vector.reshape(self.outputs, -1)
        if not self.intercept:
            return rows, np.zeros(self.outputs)
        return rows[:, :-1], rows[:, -1]


def fit_stranger(X: Any, targets: Array, estimator: Any, form: Form, row_norm: float, seed: int) -> Private[Array]:
    """The vector that a fit of these records ends with; they are clipped first."""
    return Private(coefficients(_clipped(X, row_norm), targets, estimator, form, seed))


def settled_targets(labels: npt.NDArray[Any], classes: tuple[Any, ...] | None, bounds: Any) -> Array:
    """Places of the classes, or numbers within their bounds."""
    if classes is not None:
        return class_places(labels, classes).astype(np.float64)
    return numbers_within(labels, *bounds)


def coefficients(X: Any, targets: Array, estimator: Any, form: Form, seed: int) -> Array:
    """The same of rows that are clipped already: zeros where the fit fails or has no such numbers."""
    found = attempt(X, targets, estimator, form, seed)
    return np.zeros(form.size) if isinstance(found, Failed) else found


def attempt(X: Any, targets: Array, estimator: Any, form: Form, seed: int) -> Array | Failed:
    """Fitted with a row of zeros for each class in front, so that no class is ever missing."""
    model = fitted_alone(estimator, *with_zeros(X, targets, form), seed)
    return model if isinstance(model, Failed) else alone(lambda: read(model, form), seed, model, key=READING)


def with_zeros(X: Any, targets: Array, form: Form) -> tuple[Any, Array]:
    """The table with a row of zeros for each class in front; as it is where there are no classes."""
    if not form.classes:
        return X, targets
    return _beneath_zeros(X, form.classes), np.concatenate([np.arange(form.classes, dtype=np.float64), targets])


def read(model: Any, form: Form) -> Array:
    """The vector; raises where the model does not have the form."""
    coef = np.array(model.coef_, dtype=np.float64).reshape(form.outputs, form.columns)
    parts = [coef]
    if form.intercept:
        parts.append(np.array(model.intercept_, dtype=np.float64).reshape(form.outputs, 1))
    vector: Array = np.hstack(parts).ravel()
    if not np.isfinite(vector).all():
        raise ValueError
    return vector


def _clipped(X: Any, row_norm: float) -> Any:
    rows = X.copy()
    (clip_sparse if sparse.issparse(rows) else clip_dense)(rows, row_norm)
    return rows


def _beneath_zeros(X: Any, rows: int) -> Any:
    shape = rows, X.shape[1]
    if sparse.issparse(X):
        parts: list[Any] = [sparse.csr_array(shape, dtype=np.float64), X]
        return own_csr(sparse.vstack(parts))
    return np.vstack([np.zeros(shape), X])
