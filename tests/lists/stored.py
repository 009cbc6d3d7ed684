"""Files of released models, one for each way to release, as whoever audits a file has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import equipoise as eq
from equipoise.schema import Schema

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3)) / 2
Y = (X[:, 0] > 0).astype(int)
Z = 3 * X[:, 0] + 2
WIDE = RNG.normal(size=(3000, 20)) / 5
WHO = RNG.integers(150, size=400)
TABLE: dict[str, Any] = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "y": Y.tolist(), "who": WHO.tolist()}
SCHEMA = Schema.from_dict(
    {
        "equipoise-schema": 1,
        "target": {"column": "y", "classes": [0, 1]},
        "columns": {name: {"kind": "number", "bounds": [-2, 2]} for name in "ab"},
        "person": {"column": "who", "rows_per_person": 5},
    }
)
TWO: dict[str, Any] = {"classes": (0, 1)}
RANGE: dict[str, Any] = {"label_bounds": (0, 5)}


def of_numbers(mechanism: str) -> Any:
    return eq.LinearRegression(1.0, 1e-6, mechanism=mechanism, **RANGE).fit(X, Z)


MODELS: dict[str, Callable[[], Any]] = {
    "output": lambda: eq.LogisticRegression(1.0, mechanism="output", **TWO).fit(X, Y),
    "a given ridge": lambda: eq.LogisticRegression(1.0, mechanism="output", alpha=0.1, **TWO).fit(X, Y),
    "objective": lambda: eq.LogisticRegression(1.0, 1e-6, mechanism="objective", **TWO).fit(X, Y),
    "auto": lambda: eq.LogisticRegression(1.0, 1e-6, **TWO).fit(X, Y),
    "gradients": lambda: of_numbers("noisy-gradient"),
    "anchor": lambda: eq.LinearRegression(3.0, 1e-6, label_bounds=(0, 5)).fit(WIDE, 2 + 3 * WIDE[:, 0]),
    "statistics": lambda: of_numbers("sufficient-statistics"),
    "functional": lambda: of_numbers("functional"),
    "histogram": lambda: of_numbers("projected-histogram"),
    "support vectors": lambda: eq.LinearSVC(1.0, **TWO).fit(X, Y),
    "huber": lambda: eq.HuberRegressor(1.0, **RANGE).fit(X, Z),
    "elastic net": lambda: eq.ElasticNet(1.0, 1e-6, **RANGE).fit(X, Z),
    "secret size": lambda: eq.LogisticRegression(
        1.0, mechanism="output", adjacency="add-remove", public_n=400, **TWO
    ).fit(X, Y),
    "usual length": lambda: eq.LogisticRegression(4.0, **TWO).fit(np.vstack([X, X]) / 20, np.append(Y, Y)),
    "usual labels": lambda: eq.LinearRegression(20.0, label_bounds=(0, 300)).fit(X, Z),
    "persons": lambda: eq.LogisticRegression(1.0, rows_per_person=5, mechanism="output", **TWO).fit(X, Y, groups=WHO),
    "tasks": lambda: eq.MultiTaskRegressor(1.0, 1e-6, tasks=[0, 1], **RANGE).fit(np.column_stack([Y, X]), Z),
    "pairs": lambda: eq.PairwiseRanker(1.0, 1e-6).fit(X, Z),
    "a schema": lambda: eq.fit(TABLE, SCHEMA, 1.0),
    "additive": lambda: eq.fit(TABLE, SCHEMA, 1.0, model="additive"),
    "bends": lambda: eq.AdditiveClassifier(1.0, 1e-6, column_bounds=[(-2, 2)] * 3).fit(X, Y),
    "draws": lambda: eq.SimplexClassifier(1.0).fit(X, Y),
    "corners": lambda: eq.SimplexRegressor(1.0, mechanism="frank-wolfe", **RANGE).fit(X, Z),
    "density": lambda: eq.HistogramDensity(1.0, bounds=(0, 1), bins=4).fit(np.linspace(0, 1, 50)[:, None]),
}


def kept(made: Any) -> Any:
    """What can be saved of it."""
    return made if hasattr(made, "save") else getattr(made, "density_", None) or made.model_
