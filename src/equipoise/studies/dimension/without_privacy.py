"""Models without privacy beside the private ones: they say what the rows can tell, and protect nobody.

Columns that are zero in every row change neither, so they are left out before fitting.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

Labels = npt.NDArray[np.int_]
Array = npt.NDArray[np.float64]

RIDGES = (1e-2, 1e-3, 1e-4, 1e-5)
"""Of which the one is taken that does best on a quarter of the training rows."""

STEPS = 1500


class Open:
    """scikit-learn's logistic regression on rows clipped to norm one, as the private ones see them."""

    def fit(self, X: sparse.csr_array, y: Labels) -> Self:
        self._used = _used(X)
        rows = _clipped(X[:, self._used])
        part, rest = train_test_split(np.arange(len(y)), test_size=0.25, random_state=0, stratify=y)
        scores = [_ridge(alpha, rows[part], y[part]).score(rows[rest], y[rest]) for alpha in RIDGES]
        self._model = _ridge(RIDGES[int(np.argmax(scores))], rows, y)
        return self

    def predict(self, X: sparse.csr_array) -> npt.NDArray[Any]:
        return np.asarray(self._model.predict(_clipped(X[:, self._used])))


class OpenBall:
    """The least mean logistic loss over the L1 ball that drawn models come from, by accelerated mirror descent."""

    def __init__(self, radius: float) -> None:
        self.radius = radius

    def fit(self, X: sparse.csr_array, y: Labels) -> Self:
        self._used = _used(X)
        signs = 2.0 * y - 1
        scores = signs[:, None] * _with_constant(X[:, self._used]) * self.radius
        corners = np.hstack([scores, -scores])
        slowest = float(np.mean(np.max(np.abs(corners), axis=1) ** 2)) / 4
        mean = heavy = np.full(corners.shape[1], 1 / corners.shape[1])
        logs = np.zeros(corners.shape[1])
        for step in range(STEPS):
            share = 2 / (step + 2)
            middle = (1 - share) * mean + share * heavy
            gradient = -corners.T @ (1 / (1 + np.exp(corners @ middle))) / len(y)
            logs -= (step + 1) / (2 * slowest) * gradient
            heavy = np.exp(logs - logs.max())
            heavy /= heavy.sum()
            mean = (1 - share) * mean + share * heavy
        own = len(mean) // 2
        self._coef = mean[:own] - mean[own:]
        return self

    def predict(self, X: sparse.csr_array) -> Labels:
        return np.asarray(_with_constant(X[:, self._used]) @ self._coef > 0, dtype=np.int_)


def _ridge(alpha: float, X: Any, y: Labels) -> LogisticRegression:
    return LogisticRegression(C=1 / alpha / len(y), max_iter=500).fit(X, y)


def _used(X: sparse.csr_array) -> npt.NDArray[np.intp]:
    return np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]))


def _with_constant(X: sparse.csr_array) -> Array:
    return np.hstack([X.toarray(), np.ones((X.shape[0], 1))])


def _clipped(X: sparse.csr_array) -> Any:
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.maximum(1.0, norms)) @ X)
