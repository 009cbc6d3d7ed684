"""The methods of the dimension study, each through a public estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression as OpenRegression

from equipoise.errors import EquipoiseError
from equipoise.estimators import LogisticRegression, SimplexClassifier

DELTA = 1e-3
"""The paper's."""

ALPHA = 0.001
"""One ridge for the four perturbations and every width: with "auto" the ridge itself would follow the width."""

RADIUS = 50.0
"""L1 norm of drawn models: rows of a few numbers within one need coefficients as large."""


@dataclass(frozen=True, slots=True)
class Method:
    """How one line is fitted: `make(epsilon, seed)` gives something with fit and predict."""

    key: str
    label: str
    make: Callable[[float, int], Any]
    knows_epsilon: bool = True
    only_widened: bool = False
    """Whether it is run against the width alone, as in the paper."""


def perturbed(mechanism: str, delta: float) -> Callable[[float, int], Any]:
    """Logistic regression with given mechanism; δ = 0 asks for spherical ("Gamma") noise."""
    return lambda epsilon, seed: LogisticRegression(
        epsilon, delta, mechanism=mechanism, alpha=ALPHA, slope_cap=1.0, classes=[0, 1], random_state=seed
    )


def drawn(mechanism: str) -> Callable[[float, int], Any]:
    """Few columns, within an L1 ball of a public radius."""
    return lambda epsilon, seed: SimplexClassifier(
        epsilon, DELTA, mechanism=mechanism, coef_norm=RADIUS, classes=[0, 1], random_state=seed
    )


METHODS = (
    Method("output-gauss", "output, Gaussian", perturbed("output", DELTA)),
    Method("output-gamma", "output, Gamma", perturbed("output", 0.0)),
    Method("objective-gauss", "objective, Gaussian", perturbed("objective", DELTA)),
    Method("objective-gamma", "objective, Gamma", perturbed("objective", 0.0)),
    Method("sample", "drawn from the simplex", drawn("sample"), only_widened=True),
    Method("frank-wolfe", "Frank-Wolfe", drawn("frank-wolfe"), only_widened=True),
    Method("open", "no privacy", lambda _, seed: Open(), knows_epsilon=False),
)
BY_KEY = {method.key: method for method in METHODS}


class Open:
    """scikit-learn on the same rows, clipped as ours are; protects nobody."""

    def fit(self, X: sparse.csr_array, y: npt.NDArray[np.int_]) -> Open:
        self._model = OpenRegression(C=1 / (ALPHA * len(y)), max_iter=500).fit(_clipped(X), y)
        return self

    def predict(self, X: sparse.csr_array) -> npt.NDArray[Any]:
        return np.asarray(self._model.predict(_clipped(X)))


def _clipped(X: sparse.csr_array) -> Any:
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags_array(1 / np.maximum(1.0, norms)) @ X)


def accuracy(method: Method, epsilon: float, train: Any, test: Any, seed: int) -> float | str:
    """Per cent of the test rows that are told right, or why it refused."""
    model = method.make(epsilon, seed)
    try:
        model.fit(*train)
    except EquipoiseError as problem:
        return str(problem)
    return 100 * float(np.mean(model.predict(test[0]) == test[1]))
