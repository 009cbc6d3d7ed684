"""A ledger is charged whatever it looks like to Python: one that can be counted is false while it is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import equipoise as eq
from equipoise import answering, calibration, tuning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)) / 2
Y = (X[:, 0] > 0).astype(int)
GRID = {"alpha": [0.01, 0.1]}
SCHEMA = eq.Schema.from_dict(
    {
        "target": {"column": "y", "classes": [0, 1]},
        "columns": {
            "x": {"kind": "number", "bounds": [-1, 1]},
            "c": {"kind": "category", "values": ["a"]},
        },
    }
)
TABLE: dict[str, Any] = {"x": X[:, 0], "y": Y, "c": ["a"] * len(Y)}


class Counted(eq.Ledger):
    """Somebody's own, which has a length."""

    def __len__(self) -> int:
        return len(self.entries())


def bounded(ledger: Any) -> Any:
    return eq.LogisticRegression(1.0, ledger=ledger)


SPENDERS: dict[str, Callable[[Any], Any]] = {
    "linear": lambda ledger: bounded(ledger).fit(X, Y),
    "additive": lambda ledger: eq.AdditiveClassifier(1.0, column_bounds=[(-1, 1)] * 3, ledger=ledger).fit(X, Y),
    "simplex": lambda ledger: eq.SimplexClassifier(1.0, ledger=ledger).fit(X, Y),
    "density": lambda ledger: eq.HistogramDensity(1.0, bounds=(-1, 1), ledger=ledger).fit(X[:, 0]),
    "peeling": lambda ledger: eq.PeelingSelector(1, 1.0, column_bounds=[(-1, 1)] * 3, ledger=ledger).fit(X, Y),
    "stability search": lambda ledger: tuning.StabilitySearch(bounded(None), GRID, ledger=ledger).fit(X, Y),
    "search by its estimator": lambda ledger: tuning.StabilitySearch(bounded(ledger), GRID).fit(X, Y),
    "budget split": lambda ledger: tuning.BudgetSplitSearch(bounded(None), GRID, ledger=ledger).fit(X, Y),
    "data split": lambda ledger: tuning.DataSplitSearch(bounded(None), GRID, ledger=ledger).fit(X, Y),
    "random": lambda ledger: tuning.RandomSearch(bounded(None), GRID, ledger=ledger).fit(X, Y),
    "random stop": lambda ledger: tuning.RandomStopSearch(
        bounded(None), GRID, epsilon=1.0, mean=2.0, ledger=ledger
    ).fit(X, Y),
    "voting": lambda ledger: (
        answering.VotingPredictor(LogisticRegression(), 1.0, shards=5, n_jobs=1, ledger=ledger).fit(X, Y).predict(X[:1])
    ),
    "stable": lambda ledger: answering.StablePredictor(1.0, ledger=ledger).fit(X, Y).predict(X[:1]),
    "calibration": lambda ledger: calibration.brier_score(bounded(None).fit(X, Y), X, Y, epsilon=1.0, ledger=ledger),
    "table": lambda ledger: eq.fit(TABLE, SCHEMA, 1.0, ledger=ledger),
    "evaluation": lambda ledger: eq.evaluate(eq.fit(TABLE, SCHEMA, 1.0), TABLE, epsilon=1.0, ledger=ledger),
    "bounds": lambda ledger: eq.PrivateBounds(SCHEMA, 1.0, ledger=ledger).fit(TABLE),
    "categories": lambda ledger: eq.PrivateCategories(SCHEMA, 1.0, ledger=ledger).fit(TABLE),
    "clipped": lambda ledger: eq.count_clipped(bounded(None), X, Y, epsilon=1.0, ledger=ledger),
}


@pytest.mark.parametrize("name", SPENDERS)
@pytest.mark.filterwarnings("ignore::equipoise.PrivacyWarning", "ignore::equipoise.tuning.NoisyChoice")
def test_an_empty_ledger_with_a_length_is_charged(name: str) -> None:
    ledger = Counted(20.0, 1e-5)
    assert not ledger
    SPENDERS[name](ledger)
    assert len(ledger) > 0
