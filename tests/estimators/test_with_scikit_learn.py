"""In pipelines, copies, files and searches; and a search really spends and really stops."""

from __future__ import annotations

import pickle
from io import BytesIO
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import equipoise as eq


def test_pipeline_with_a_stateless_step(kind: Any, table: Any) -> None:
    X, y = table
    halved = make_pipeline(FunctionTransformer(lambda rows: rows / 2), kind(random_state=0)).fit(X, y)
    np.testing.assert_array_equal(halved[-1].coef_, kind(random_state=0).fit(X / 2, y).coef_)
    assert halved.predict(X).shape == y.shape


def test_pipeline_with_a_scaler_fitted_on_public_data(kind: Any, table: Any) -> None:
    public = StandardScaler().fit(np.random.default_rng(1).normal(size=(50, 3)))
    pipeline = make_pipeline(FunctionTransformer(public.transform), kind(random_state=0)).fit(*table)
    assert 0 <= pipeline.score(*table) <= 1 or kind in (eq.LinearRegression, eq.HuberRegressor)


def test_parameters_are_read_and_set(kind: Any) -> None:
    model = kind(0.5)
    assert model.get_params()["epsilon"] == 0.5
    assert set(model.get_params()) >= {
        "epsilon", "delta", "mechanism", "alpha", "row_norm", "fit_intercept", "adjacency", "ledger", "random_state"
    }  # fmt: skip
    assert model.set_params(delta=1e-6).delta == 1e-6
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(gamma=1)


def test_defaults_are_those_promised(kind: Any) -> None:
    params = kind().get_params()
    assert (params["epsilon"], params["delta"], params["row_norm"]) == (1.0, 0.0, 1.0)
    assert (params["mechanism"], params["alpha"], params["adjacency"]) == ("auto", "auto", "replace-one")
    assert params["fit_intercept"] is True
    assert params["ledger"] is None
    assert params["random_state"] is None


def test_clone_keeps_parameters_and_ledger_but_nothing_fitted(kind: Any, table: Any) -> None:
    ledger = eq.Ledger()
    model = kind(0.5, ledger=ledger, random_state=3).fit(*table)
    copy = clone(model)
    assert copy.ledger is ledger
    assert not [name for name in vars(copy) if name.endswith("_")]
    np.testing.assert_array_equal(copy.fit(*table).coef_, model.coef_)
    assert ledger.spent().epsilon == pytest.approx(1.0)


def test_fitted_model_survives_pickle_and_joblib(kind: Any, table: Any) -> None:
    model = kind(ledger=eq.Ledger(), random_state=0).fit(*table)
    file = BytesIO()
    joblib.dump(model, file)
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(file)):  # noqa: S301  # we wrote it ourselves
        np.testing.assert_array_equal(copy.predict(table[0]), model.predict(table[0]))
        assert copy.guarantee_ == model.guarantee_


def test_every_fit_is_debited_once_under_the_estimators_name(kind: Any, table: Any) -> None:
    ledger = eq.Ledger(1.0)
    for _ in range(2):
        kind(0.5, ledger=ledger).fit(*table)
    assert [(record.label, record.state) for record in ledger.entries()] == [(kind.__name__, "committed")] * 2
    with pytest.raises(eq.BudgetExhausted):
        kind(0.5, ledger=ledger).fit(*table)
    assert ledger.spent().epsilon == pytest.approx(1.0)


def test_predicting_costs_nothing(kind: Any, table: Any) -> None:
    ledger = eq.Ledger(1.0)
    model = kind(ledger=ledger).fit(*table)
    for _ in range(3):
        model.predict(table[0])
        model.score(*table)
        model.card()
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient"])
def test_gaussian_releases_fit_a_limit_with_delta(mechanism: str, table: Any) -> None:
    ledger = eq.Ledger(1.0, 1e-6)
    eq.LogisticRegression(1.0, 1e-6, mechanism=mechanism, ledger=ledger).fit(*table)
    assert 0.9 <= ledger.spent().epsilon <= 1.0
    with pytest.raises(eq.BudgetExhausted):
        eq.LogisticRegression(0.1, mechanism="output", ledger=ledger).fit(*table)


HEARD = pytest.mark.filterwarnings("ignore::equipoise.errors.PrivacyWarning")
"""That their scores are not paid for is the guard's business, tests/estimators/test_guard.py."""


@HEARD
def test_cross_validation_spends_once_per_fold_and_stops(kind: Any, table: Any) -> None:
    ledger = eq.Ledger(1.0)
    cross_val_score(kind(0.25, ledger=ledger), *table, cv=3, error_score="raise")
    assert len(ledger.entries()) == 3
    with pytest.raises(eq.BudgetExhausted):
        cross_val_score(kind(0.25, ledger=ledger), *table, cv=3, error_score="raise")
    assert ledger.spent().epsilon == pytest.approx(1.0)


@HEARD
def test_grid_search_spends_for_every_fit_and_stops(kind: Any, table: Any) -> None:
    grid = {"alpha": [0.1, 1.0]}
    ledger = eq.Ledger(5 * 0.2)
    GridSearchCV(kind(0.2, ledger=ledger), grid, cv=2, error_score="raise").fit(*table)
    assert len(ledger.entries()) == 5
    with pytest.raises(eq.BudgetExhausted):
        GridSearchCV(kind(0.2, ledger=ledger), grid, cv=2, error_score="raise").fit(*table)
    assert len(ledger.entries()) == 5


@HEARD
@pytest.mark.usefixtures("lasting_workers")
def test_parallel_search_spends_from_one_file_and_stops(table: Any, tmp_path: Path) -> None:
    ledger = eq.SQLLedger(tmp_path / "ledger.db", 1.0)
    model = eq.LogisticRegression(0.2, ledger=ledger)
    GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=2, n_jobs=2, error_score="raise").fit(*table)
    assert ledger.spent().epsilon == pytest.approx(1.0)
    with pytest.raises(eq.BudgetExhausted):
        cross_val_score(model, *table, cv=2, n_jobs=2, error_score="raise")
    assert len(ledger.entries()) == 5
