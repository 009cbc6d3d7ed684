"""Cross-validation and searches copy their estimator; the copies really spend and really stop."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

from equipoise.errors import BudgetExhausted, LedgerFailure
from equipoise.ledger import Ledger, LedgerLike, SQLLedger
from equipoise.theory.events import PureRelease

X = np.arange(40.0).reshape(20, 2)
Y = np.tile([0, 1], 10)


def coin(ledger: LedgerLike, epsilon: float = 0.25) -> Any:
    """A classifier that learns nothing and pays for it.  Local, so that workers receive the class by value."""

    class Coin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
        def __init__(self, ledger: LedgerLike, epsilon: float) -> None:
            self.ledger = ledger
            self.epsilon = epsilon

        def fit(self, X: Any, y: Any) -> Any:
            with self.ledger.reserve(PureRelease(self.epsilon), label="coin") as entry:
                self.classes_ = np.array([0, 1])
                entry.commit()
            return self

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

    return Coin(ledger, epsilon)


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> LedgerLike:
    return Ledger(1.0) if request.param == "memory" else SQLLedger(tmp_path / "ledger.db", 1.0)


def test_clone_shares_the_ledger(ledger: LedgerLike) -> None:
    estimator = coin(ledger)
    assert clone(estimator).ledger is ledger
    assert copy.deepcopy(estimator).ledger is ledger


def test_cross_validation_spends_once_per_fold(ledger: LedgerLike) -> None:
    cross_val_score(coin(ledger), X, Y, cv=4, error_score="raise")
    assert ledger.spent().epsilon == 1.0
    assert [record.state for record in ledger.entries()] == ["committed"] * 4


def test_cross_validation_stops_when_the_budget_is_exhausted(ledger: LedgerLike) -> None:
    with pytest.raises(BudgetExhausted):
        cross_val_score(coin(ledger), X, Y, cv=5, error_score="raise")
    assert ledger.spent().epsilon == 1.0


def test_exhausted_folds_score_nothing_where_errors_are_not_raised(ledger: LedgerLike) -> None:
    """scikit-learn's default turns a refusal into a missing score; what matters is that nothing is overspent."""
    with pytest.warns(FitFailedWarning, match="BudgetExhausted"):
        scores = cross_val_score(coin(ledger), X, Y, cv=5)
    assert np.isnan(scores).tolist() == [False] * 4 + [True]
    assert ledger.spent().epsilon == 1.0


def test_grid_search_spends_for_every_candidate_and_for_the_last_fit(ledger: LedgerLike) -> None:
    GridSearchCV(coin(ledger), {"epsilon": [0.1, 0.2]}, cv=2, error_score="raise").fit(X, Y)
    assert ledger.spent().epsilon == pytest.approx(2 * (0.1 + 0.2) + 0.1)


def test_grid_search_stops_when_the_budget_is_exhausted(ledger: LedgerLike) -> None:
    with pytest.raises(BudgetExhausted):
        GridSearchCV(coin(ledger), {"epsilon": [0.1, 0.3]}, cv=3, error_score="raise").fit(X, Y)
    assert ledger.spent().epsilon <= 1.0


@pytest.mark.usefixtures("lasting_workers")
def test_parallel_cross_validation_spends_from_the_shared_ledger(tmp_path: Path) -> None:
    ledger = SQLLedger(tmp_path / "ledger.db", 1.0)
    cross_val_score(coin(ledger), X, Y, cv=4, n_jobs=2, error_score="raise")
    assert ledger.spent().epsilon == 1.0
    with pytest.raises(BudgetExhausted):
        cross_val_score(coin(ledger), X, Y, cv=2, n_jobs=2, error_score="raise")
    assert ledger.spent().epsilon == 1.0


@pytest.mark.usefixtures("lasting_workers")
def test_parallel_cross_validation_refuses_a_ledger_in_memory() -> None:
    ledger = Ledger(1.0)
    with pytest.raises(LedgerFailure, match="SQLLedger"):
        cross_val_score(coin(ledger), X, Y, cv=2, n_jobs=2, error_score="raise")
    assert ledger.entries() == ()
