"""The methods of the tuning study, each through the public search objects, and what each is compared with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression as OpenRegression

from equipoise.errors import EquipoiseError
from equipoise.estimators import LogisticRegression
from equipoise.tuning import (
    BudgetSplitSearch,
    DataSplitSearch,
    NoisyChoice,
    OracleSearch,
    RandomSearch,
    RandomStopSearch,
    StabilitySearch,
)

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int_]

ALPHAS = tuple(float(alpha) for alpha in np.geomspace(1e-4, 1.0, 10))
"""Ten regularisers, spaced evenly on a logarithmic scale."""

DELTA = 1e-6
OPEN_ALPHA = 1e-5
"""Next to no ridge, for the fit without privacy."""


@dataclass(frozen=True, slots=True)
class Method:
    """How one line of the study is fitted: `make(epsilon, seed)` gives something with fit."""

    key: str
    label: str
    make: Callable[[float, int], Any]
    private: bool = True
    knows_epsilon: bool = True
    tunes: bool = True
    delta: float = 0.0


def regression(epsilon: float, delta: float = 0.0, seed: int | None = None) -> LogisticRegression:
    """Mechanism and, unless a search sets it, alpha are left to the library."""
    return LogisticRegression(epsilon=epsilon, delta=delta, classes=[0, 1], random_state=seed)


def grid() -> dict[str, list[float]]:
    """The ridges that every search chooses from."""
    return {"alpha": list(ALPHAS)}


METHODS = (
    Method("stability", "Stability", lambda e, s: StabilitySearch(regression(e), grid(), random_state=s)),
    Method("budget", "alphaSplit", lambda e, s: BudgetSplitSearch(regression(e), grid(), random_state=s)),
    Method("data", "dataSplit", lambda e, s: DataSplitSearch(regression(e), grid(), random_state=s)),
    Method("random", "Random", lambda e, s: RandomSearch(regression(e), grid(), random_state=s)),
    Method("stop", "RandomStop", lambda e, s: RandomStopSearch(regression(e), grid(), random_state=s)),
    Method("auto", "auto without tuning", lambda e, s: regression(e, seed=s), tunes=False),
    Method(
        "auto-delta", "auto without tuning, δ = 1e-6", lambda e, s: regression(e, DELTA, s), tunes=False, delta=DELTA
    ),
    Method(
        "control",
        "Control (not private)",
        lambda e, s: OracleSearch(regression(e), grid(), allow_nonprivate=True, random_state=s),
        private=False,
    ),
    Method(
        "open",
        "no privacy",
        lambda _, s: Open(),
        private=False,
        knows_epsilon=False,
        tunes=False,
    ),
    Method("guess", "the same for all", lambda _, s: Guess(), private=False, knows_epsilon=False, tunes=False),
)
BY_KEY = {method.key: method for method in METHODS}


class Open:
    """scikit-learn on the same rows, clipped as ours are; protects nobody."""

    def fit(self, X: Array, y: Labels) -> Open:
        self._model = OpenRegression(C=1 / (OPEN_ALPHA * len(y)), max_iter=1000).fit(_clipped(X), y)
        return self

    def predict_proba(self, X: Array) -> Array:
        return np.asarray(self._model.predict_proba(_clipped(X)))


class Guess:
    """The share of ones among the training rows, for everybody."""

    def fit(self, X: Array, y: Labels) -> Guess:
        self._share = float(np.mean(y))
        return self

    def predict_proba(self, X: Array) -> Array:
        return np.tile([1 - self._share, self._share], (len(X), 1))


def _clipped(X: Array) -> Array:
    return np.asarray(X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Probabilities of the second class, and the place of the chosen setting; −1 where none was chosen."""

    probability: Callable[[Array], Array]
    chosen: int


def fit(method: Method, epsilon: float, X: Array, y: Labels, seed: int) -> Fitted | str:
    """The fitted method, or why it refused."""
    model = method.make(epsilon, seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoisyChoice)
            model.fit(X, y)
    except EquipoiseError as problem:
        return str(problem)
    final = model.best_estimator_ if method.tunes else model
    chosen = int(model.best_index_) if method.tunes else -1
    return Fitted(lambda rows: np.asarray(final.predict_proba(rows)[:, 1]), chosen)
