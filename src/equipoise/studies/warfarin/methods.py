"""The methods that the warfarin study compares: the paper's, the baselines it used, and what this library offers.

All count neighbours by replacing a row.  Those of the paper are ε-private (δ = 0); methods that need a δ use `DELTA`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import dummy, linear_model
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

import equipoise as eq
from equipoise.cohort import LABEL_BOUNDS
from equipoise.errors import EquipoiseError, InvalidInput, MechanismRefused
from equipoise.studies.warfarin.data import LABEL_SCALE, ROW_NORM
from equipoise.theory.tuning.choices import data_independent
from equipoise.tuning import DataSplitSearch, OracleSearch

Array = npt.NDArray[np.float64]

DELTA = 1e-6
SMALL_BALLS, LARGE_BALLS = (0.25, 0.5, 1.0), (0.5, 1.0, 2.0)
"""The paper's two sets of R, in units of the fit."""

ALPHAS = tuple(float(alpha) for alpha in np.geomspace(0.003, 10.0, 8))
CHUNKS = len(SMALL_BALLS) * len(ALPHAS) + 1
"""Parts that tuning splits the training rows into: one for each candidate, one to choose on."""

ORACLE_DRAWS = 5
"""Noise draws over which the oracle judges a setting; with fewer it falls for settings that were lucky once."""


@dataclass(frozen=True, slots=True)
class Method:
    """`build(epsilon, n, d, seed)` gives something to fit; ε = ∞ for what is not private at all."""

    key: str
    label: str
    build: Callable[[float, int, int, int], Any]
    private: bool = True
    delta: float = 0.0


@dataclass(frozen=True, slots=True)
class SettingsOracle:
    """NOT PRIVATE.  The setting with the least mean training loss over a few draws, then a fit with fresh noise.

    `OracleSearch` keeps the very fit that did best, so it chooses among draws of the noise as well; the paper's oracle
    knows the best setting but not the noise.
    """

    estimator: Any
    grid: dict[str, list[float]]
    seed: int

    def fit(self, X: Array, y: Array) -> Any:
        best = min(ParameterGrid(self.grid), key=lambda setting: self._loss(setting, X, y))
        return clone(self.estimator).set_params(**best, random_state=self.seed + ORACLE_DRAWS).fit(X, y)

    def _loss(self, setting: dict[str, float], X: Array, y: Array) -> float:
        tries = [
            clone(self.estimator).set_params(**setting, random_state=self.seed + draw) for draw in range(ORACLE_DRAWS)
        ]
        return float(np.mean([np.mean((model.fit(X, y).predict(X) - y) ** 2) for model in tries]))


def regression(
    mechanism: str, epsilon: float, seed: int, *, R: float | None = None, alpha: float | None = None, delta: float = 0.0
) -> eq.LinearRegression:
    """R and alpha in units of the fit; left out, the library chooses them from public facts."""
    return eq.LinearRegression(
        epsilon,
        delta,
        mechanism=mechanism,
        alpha="auto" if alpha is None else alpha,
        row_norm=ROW_NORM,
        label_bounds=LABEL_BOUNDS,
        coef_norm=None if R is None else R * LABEL_SCALE,
        random_state=seed,
    )


def grid(balls: tuple[float, ...]) -> dict[str, list[float]]:
    """The balls and ridges to choose from, in the units of the labels."""
    return {"coef_norm": [ball * LABEL_SCALE for ball in balls], "alpha": list(ALPHAS)}


def paper_alpha(n: int, d: int, epsilon: float) -> float:
    """√(d/(nε)), as Wu et al. print it; `data_independent` is the corrected one."""
    return math.sqrt(d / (n * epsilon))


def _own(mechanism: str, delta: float = 0.0, R: float | None = None) -> Callable[[float, int, int, int], Any]:
    """The library's own choice of the ridge."""
    return lambda epsilon, n, d, seed: regression(mechanism, epsilon, seed, R=R, delta=delta)


def _tuned(mechanism: str, balls: tuple[float, ...]) -> Callable[[float, int, int, int], Any]:
    return lambda epsilon, n, d, seed: DataSplitSearch(
        regression(mechanism, epsilon, seed, R=1.0), grid(balls), random_state=seed
    )


def _oracle(mechanism: str) -> Callable[[float, int, int, int], Any]:
    balls = tuple(sorted({*SMALL_BALLS, *LARGE_BALLS}))
    return lambda epsilon, n, d, seed: SettingsOracle(regression(mechanism, epsilon, seed), grid(balls), seed)


def _lucky_oracle(epsilon: float, n: int, d: int, seed: int) -> Any:
    balls = tuple(sorted({*SMALL_BALLS, *LARGE_BALLS}))
    return OracleSearch(regression("output", epsilon, seed), grid(balls), allow_nonprivate=True)


def _data_independent(
    mechanism: str, alpha: Callable[[int, int, float], float]
) -> Callable[[float, int, int, int], Any]:
    """R = 1; the constant column counts among the d + 1 of the fit."""
    return lambda epsilon, n, d, seed: regression(mechanism, epsilon, seed, R=1.0, alpha=alpha(n, d + 1, epsilon))


METHODS = (
    Method("functional", "functional mechanism", _own("functional")),
    Method("histogram", "projected histogram", _own("projected-histogram")),
    Method("tuned", "output, tuned privately, R in ¼ ½ 1", _tuned("output", SMALL_BALLS)),
    Method("tuned-large", "output, tuned privately, R in ½ 1 2", _tuned("output", LARGE_BALLS)),
    Method("tuned-printed", "output as printed, tuned, R in ¼ ½ 1", _tuned("output-as-printed", SMALL_BALLS)),
    Method("free", "output, data-independent", _data_independent("output", data_independent)),
    Method("free-paper", "output, data-independent, paper's α", _data_independent("output", paper_alpha)),
    Method("free-printed", "output as printed, data-independent", _data_independent("output-as-printed", paper_alpha)),
    Method("oracle", "output, oracle's setting", _oracle("output")),
    Method("oracle-printed", "output as printed, oracle's setting", _oracle("output-as-printed")),
    Method("oracle-lucky", "output, oracle's setting and noise", _lucky_oracle),
    Method("output", "output, R = 1", _own("output", R=1.0)),
    Method("objective", "objective, R = 1", _own("objective", R=1.0)),
    Method("statistics-pure", "sufficient statistics", _own("sufficient-statistics")),
    Method("statistics", "sufficient statistics, δ", _own("sufficient-statistics", DELTA), delta=DELTA),
    Method("gradient", "noisy gradient, δ", _own("noisy-gradient", DELTA), delta=DELTA),
    Method("auto-pure", "Equipoise's choice", _own("auto")),
    Method("auto", "Equipoise's choice, δ", _own("auto", DELTA), delta=DELTA),
    Method("mean", "predicting the mean", lambda *_: dummy.DummyRegressor(), private=False),
    Method("open", "least squares, no privacy", lambda *_: linear_model.LinearRegression(), private=False),
)
BY_KEY = {method.key: method for method in METHODS}


def refusal(method: Method, n: int, d: int) -> str | None:
    """Why the installed library cannot run this method; None when it can."""
    try:
        built = method.build(1.0, n, d, 0)
        inner = built.estimator if isinstance(built, DataSplitSearch | OracleSearch | SettingsOracle) else built
        if isinstance(inner, eq.LinearRegression):
            inner.plan(n, d)
    except (InvalidInput, MechanismRefused) as problem:
        return str(problem)
    return None


def fit(method: Method, epsilon: float, X: Array, y: Array, seed: int) -> Callable[[Array], Array] | str:
    """The fitted model's predictions of encoded rows, or why it was refused.  What is not private sees clipped labels
    as well, so that all learn from the same."""
    labels = np.clip(y, *LABEL_BOUNDS)
    try:
        model = method.build(epsilon, len(X), X.shape[1], seed).fit(X, labels)
    except EquipoiseError as problem:
        return str(problem)
    return lambda rows: np.asarray(model.predict(rows), dtype=np.float64)
