"""Everything public that pays for an answer from records, on a table so small that trying it costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise import answering, calibration, tuning

rng = np.random.default_rng(0)
X = np.round(rng.uniform(-0.7, 0.7, size=(40, 2)), 3)
CLASSES = (X[:, 1] > 0).astype(int)
RANGE = {"label_bounds": (-1.0, 1.0)}
SCHEMA = eq.Schema.from_dict(
    {
        "target": {"column": "t", "bounds": [-1, 1]},
        "columns": {"a": {"kind": "number", "bounds": [-1, 1]}, "c": {"kind": "category", "values": ["x"]}},
    }
)
TABLE = {"t": X[:, 1].tolist(), "a": X[:, 0].tolist(), "c": ["x", "y"] * 20}
CLAIM = eq.stability.regularised_erm(lipschitz=2 * (2**0.5 + 1), strong_convexity=2.0, n=40)
MODEL = eq.fit(TABLE, SCHEMA, 1.0, random_state=0)
CLASSIFIER = eq.LogisticRegression(1.0, random_state=0).fit(X, CLASSES)

ESTIMATORS: dict[Any, dict[str, Any]] = {
    eq.LogisticRegression: {},
    eq.LinearSVC: {},
    eq.LinearRegression: RANGE,
    eq.HuberRegressor: RANGE,
    eq.ElasticNet: RANGE,
    eq.ElasticNetClassifier: {},
    eq.BridgeRegressor: RANGE,
    eq.KernelClassifier: {"frequencies": 4},
    eq.MultiTaskRegressor: {"tasks": [0, 1], **RANGE},
    eq.PairwiseRanker: {},
    eq.SimplexRegressor: RANGE,
    eq.SimplexClassifier: {},
    eq.HistogramDensity: {"bounds": [(0, 1), (0, 1)]},
    eq.PeelingSelector: {"k": 1, "column_bounds": [(-1, 1)] * 2, **RANGE},
    eq.AdditiveClassifier: {"column_bounds": (-1, 1), "knots": 3},
    eq.AdditiveRegressor: {"column_bounds": (-1, 1), "knots": 3, **RANGE},
    eq.SimplexFTRL: {"experts": 3, "horizon": 4},
    answering.StablePredictor: {},
    answering.SGDPredictor: {},
    tuning.StabilitySearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.BudgetSplitSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.DataSplitSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.RandomSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    eq.PrivateBounds: {"schema": SCHEMA, "columns": ["t", "a"], "steps": 16},
    eq.PrivateScaler: {"schema": SCHEMA},
    eq.PrivateCategories: {"schema": SCHEMA},
    eq.OutputPerturbed: {"estimator": Ridge(40.0, fit_intercept=False), "stability": CLAIM, **RANGE},
    answering.ThresholdPredictor: {"bounds": (-1, 1)},
    answering.VotingPredictor: {"estimator": DecisionTreeClassifier(max_depth=1)},
    answering.AveragingPredictor: {"estimator": Ridge(), "bounds": (-1, 1)},
    tuning.OracleSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
    tuning.RandomStopSearch: {"estimator": eq.LogisticRegression(), "param_grid": {"alpha": [0.1, 1.0]}},
}

CALLS: dict[Any, dict[str, Any]] = {
    eq.evaluate: {"model": MODEL, "data": TABLE, "epsilon": 1.0},
    eq.count_clipped: {"estimator": eq.LogisticRegression(), "X": X, "y": CLASSES, "epsilon": 1.0},
    calibration.reliability_curve: {"model": CLASSIFIER, "X": X, "y": CLASSES, "epsilon": 1.0},
    calibration.brier_score: {"model": CLASSIFIER, "X": X, "y": CLASSES, "epsilon": 1.0},
}


def fit(kind: Any, settings: dict[str, Any]) -> Any:
    model = kind(**settings)
    if kind is eq.SimplexFTRL:
        model.partial_fit([0.0, 1.0, 0.5])
    elif kind is eq.HistogramDensity:
        model.fit(X)
    elif "schema" in settings:
        model.fit(TABLE)
    elif kind is answering.ThresholdPredictor:
        model.fit(X[:, :1], CLASSES).predict(X[:1, :1])
    else:
        numbers = {"label_bounds", "bounds"} & set(ESTIMATORS[kind])
        model.fit(X, X[:, 1] if numbers else CLASSES)
        if isinstance(model, answering.PrivatePredictor):
            model.predict(X[:2])
    return model
