"""From the debit on nothing that arithmetic or a library has to say about private values is heard.

Every private value that is made warns and divides by zero here; numpy is told to raise and Python to show everything.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import equipoise as eq
from equipoise.answering import (
    AveragingPredictor,
    SGDPredictor,
    StablePredictor,
    ThresholdPredictor,
    VotingPredictor,
)
from equipoise.calibration import brier_score
from equipoise.inside import Private
from equipoise.tuning import BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch

X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2)) / 2
Y = (X[:, 0] > 0).astype(int)
MODEL = eq.LogisticRegression(20.0, 1e-6, mechanism="output", random_state=0)
GRID = {"alpha": [0.5, 1.0]}


def asked(predictor: Any, width: int = 2) -> Any:
    return predictor.fit(X[:, :width], Y).predict(X[:5, :width])


SUBJECTS: dict[str, Callable[[], Any]] = {
    "classifier": lambda: MODEL.fit(X, Y),
    "regressor": lambda: eq.LinearRegression(20.0, 1e-6, label_bounds=(-1, 1), random_state=0).fit(X, X[:, 0]),
    "density": lambda: eq.HistogramDensity(epsilon=1.0, bounds=(-1, 1), random_state=0).fit(X[:, 0]),
    "brier score": lambda: brier_score(MODEL, X, Y, epsilon=1.0, random_state=0),
    **{
        kind.__name__: lambda kind=kind: kind(MODEL, GRID, random_state=0).fit(X, Y)  # type: ignore[misc]
        for kind in (BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch)
    },
    "vote": lambda: asked(VotingPredictor(DecisionTreeClassifier(max_depth=1), shards=3, n_jobs=1, random_state=0)),
    "mean": lambda: asked(
        AveragingPredictor(DecisionTreeRegressor(max_depth=1), bounds=(0, 1), n_jobs=1, random_state=0)
    ),
    "stable": lambda: asked(StablePredictor(5.0, random_state=0)),
    "one pass": lambda: asked(SGDPredictor(5.0, random_state=0)),
    "walk": lambda: asked(ThresholdPredictor(5.0, random_state=0), 1),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_nothing_is_heard_of_private_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MODEL.fit(X, Y)
    usual, made = Private.__init__, []

    def loud(self: Private[Any], value: Any) -> None:
        made.append(1)
        warnings.warn("a private value", UserWarning, stacklevel=1)
        np.ones(1) / np.zeros(1)
        usual(self, value)

    monkeypatch.setattr(Private, "__init__", loud)
    raised = False
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("always")
        try:
            SUBJECTS[name]()
        except FloatingPointError:
            raised = True
    assert not raised, "numpy's setting was heard"
    assert made, "private values were made"
    assert not [each for each in heard if "private value" in str(each.message)]
