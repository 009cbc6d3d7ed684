"""What every search shares: one interface, one payment, one promise, groups honoured, and results that leak nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import equipoise as eq
from equipoise import tuning
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search import data_split_search
from equipoise.estimators.search.parts import split_rows
from equipoise.theory.accounting import total_spent

Array = npt.NDArray[np.float64]
pytestmark = pytest.mark.filterwarnings("ignore::equipoise.tuning.NoisyChoice")
GRID = {"alpha": [0.01, 1.0, 50.0]}
PRIVATE = ("StabilitySearch", "DataSplitSearch", "BudgetSplitSearch", "RandomSearch", "RandomStopSearch")
NAMES = (*PRIVATE, "OracleSearch")
FITTED = {"n_features_in_", "best_estimator_", "best_index_", "best_params_", "cv_results_", "guarantee_"}


def people(n: int = 300, seed: int = 0) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, (X[:, 0] > 0).astype(np.int64)


def classifier(epsilon: float = 3.0, delta: float = 0.0, **settings: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(epsilon, delta, mechanism="output", **settings)


def search_of(name: str, estimator: Any = None, grid: Any = None, **settings: Any) -> Any:
    if name == "OracleSearch":
        settings["allow_nonprivate"] = True
    return getattr(tuning, name)(estimator or classifier(), grid or GRID, **settings)


@pytest.mark.parametrize("name", NAMES)
def test_fitted_searches_hold_the_choice_and_nothing_about_what_was_not_chosen(name: str) -> None:
    search = search_of(name, random_state=0).fit(*people())
    assert {key for key in vars(search) if key.endswith("_")} == FITTED
    results = search.cv_results_
    assert set(results) == {"params", "chosen"}
    assert results["params"] == [{"alpha": alpha} for alpha in GRID["alpha"]]
    assert [type(flag) for flag in results["chosen"]] == [bool] * 3
    assert results["chosen"].index(True) == search.best_index_
    assert sum(results["chosen"]) == 1
    assert search.best_params_ == results["params"][search.best_index_]


@pytest.mark.parametrize("name", NAMES)
def test_a_search_predicts_as_what_it_chose_does(name: str) -> None:
    X, y = people()
    search = search_of(name, random_state=0).fit(X, y)
    assert np.array_equal(search.predict_proba(X), search.best_estimator_.predict_proba(X))
    assert np.array_equal(search.decision_function(X), search.best_estimator_.decision_function(X))
    assert np.array_equal(search.classes_, [0, 1])
    regression = search_of(name, eq.LinearRegression(3.0, mechanism="output", label_bounds=(-1, 1)))
    assert not any(hasattr(regression, method) for method in ("predict_proba", "decision_function", "classes_"))


@pytest.mark.parametrize("name", NAMES)
def test_results_are_a_function_of_the_choice_alone(name: str) -> None:
    """Whatever the records were, the same choice gives the same results: they cannot carry anything else."""
    by_choice: dict[int, Any] = {}
    for seed in range(4):
        search = search_of(name, random_state=seed).fit(*people(seed=seed))
        assert by_choice.setdefault(search.best_index_, search.cv_results_) == search.cv_results_


@pytest.mark.parametrize("name", NAMES)
def test_searches_follow_scikit_learns_conventions(name: str) -> None:
    X, y = people()
    search = search_of(name, random_state=3)
    copy = clone(search)
    assert repr(copy.get_params()) == repr(search.get_params())
    assert is_classifier(copy)
    assert copy.set_params(estimator__epsilon=2.0).estimator.epsilon == 2.0
    first, second = clone(search).fit(X, y), clone(search).fit(X, y)
    assert first.best_params_ == second.best_params_
    assert np.array_equal(first.predict(X), second.predict(X))
    halved = make_pipeline(FunctionTransformer(lambda rows: rows / 2), search).fit(X, y)
    assert halved.predict(X).shape == y.shape
    assert 0 <= halved.score(X, y) <= 1


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", PRIVATE)
def test_a_search_is_debited_once_and_within_its_promise(name: str, delta: float) -> None:
    ledger = eq.Ledger(3.0, 1e-5)
    search = search_of(name, classifier(3.0, delta), ledger=ledger).fit(*people())
    (record,) = ledger.entries()
    assert (record.state, record.label) == ("committed", name)
    spent = total_spent([record.event], delta)
    assert 0.98 * 3.0 <= spent.epsilon <= 3.0 * (1 + 1e-11)  # the accountant rounds up
    assert (search.guarantee_.epsilon, search.guarantee_.delta) == (3.0, delta)
    assert search.guarantee_.delta_numeric <= 2.0**-40
    assert search.guarantee_.private
    assert search.best_estimator_.guarantee_ == search.guarantee_


@pytest.mark.parametrize("name", PRIVATE)
def test_an_exhausted_budget_stops_every_search_before_it_starts(name: str) -> None:
    ledger = eq.Ledger(1.0)
    search = search_of(name, ledger=ledger)
    with pytest.raises(eq.BudgetExhausted):
        search.fit(*people())
    assert not ledger.entries()
    assert not [key for key in vars(search) if key.endswith("_")]


@pytest.mark.parametrize("name", NAMES)
def test_one_candidate_is_no_choice_costs_its_fit_alone_and_is_said(name: str) -> None:
    ledger = None if name == "OracleSearch" else eq.Ledger()
    search = search_of(name, grid={"alpha": [0.5]}, **({} if ledger is None else {"ledger": ledger}))
    search.fit(*people())
    assert search.best_params_ == {"alpha": 0.5}
    assert search.guarantee_.constants["records"] == 300
    if ledger is not None:
        assert any("one candidate" in note for note in search.guarantee_.notes)
        assert [record.event for record in ledger.entries()] == [classifier(alpha=0.5).plan(300, 3).event]


@pytest.mark.parametrize("name", NAMES)
def test_the_unit_is_the_row_unless_groups_are_given(name: str) -> None:
    X, y = people()
    plain = search_of(name).fit(X, y).guarantee_
    assert plain.unit == "one row"
    assert any("unit of privacy is the row" in note for note in plain.notes)
    grouped = search_of(name).fit(X, y, groups=[f"person {row // 4}" for row in range(300)]).guarantee_
    assert grouped.unit == "one group of at most 4 rows"
    assert grouped.constants["rows of the largest group"] == 4
    assert not any("unit of privacy is the row" in note for note in grouped.notes)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("name", PRIVATE)
def test_with_groups_a_row_pays_a_share_and_the_ledger_the_whole(name: str, delta: float) -> None:
    ledger = eq.Ledger(4.0, 1e-5)
    X, y = people()
    search = search_of(name, classifier(4.0, delta), {"alpha": [0.5]}, ledger=ledger)
    search.fit(X, y, groups=np.arange(300) // 4)
    (record,) = ledger.entries()
    assert total_spent([record.event], delta).epsilon == 4.0
    assert search.guarantee_.epsilon == 4.0
    alone = classifier(1.0, delta, alpha=0.5).plan(300, 3)
    assert search.guarantee_.noise_scale >= alone.noise_scale * (1 - 1e-9)
    if delta == 0:
        assert search.guarantee_.noise_scale == pytest.approx(alone.noise_scale)


@pytest.mark.parametrize("name", ["DataSplitSearch", "BudgetSplitSearch", "RandomStopSearch"])
def test_no_search_cuts_through_a_group(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[Any]] = []

    def watched(*given: Any) -> list[Any]:
        seen.append(split_rows(*given))
        return seen[-1]

    monkeypatch.setattr(_candidates, "split_rows", watched)
    monkeypatch.setattr(data_split_search, "split_rows", watched)
    X, y = people()
    ids = np.random.default_rng(1).integers(0, 60, size=300)
    search_of(name).fit(X, y, groups=ids)
    (parts,) = seen
    homes = [set(ids[part]) for part in parts]
    assert sum(len(home) for home in homes) == len(set(ids))


@pytest.mark.parametrize("name", NAMES)
def test_bad_groups_spend_nothing_and_are_not_quoted(name: str, manners: Any) -> None:
    ledger = None if name == "OracleSearch" else eq.Ledger()
    search = search_of(name, **({} if ledger is None else {"ledger": ledger}))
    X, y = people()
    for ids in (["secret-7"] * 299, ["secret-7"] * 299 + [None]):
        with pytest.raises(eq.InvalidInput, match="groups") as caught:
            search.fit(X, y, groups=ids)
        manners(caught.value)
    assert ledger is None or not ledger.entries()


@pytest.mark.parametrize("name", ["DataSplitSearch", "BudgetSplitSearch", "RandomStopSearch"])
def test_groups_too_large_to_split_are_refused_before_anything_is_spent(name: str) -> None:
    ledger = eq.Ledger()
    with pytest.raises(eq.InvalidInput, match="smaller groups"):
        search_of(name, ledger=ledger).fit(*people(), groups=[0] * 300)
    assert not ledger.entries()


@pytest.mark.parametrize("name", PRIVATE)
def test_missing_values_and_strange_labels_are_no_error(name: str) -> None:
    ledger = eq.Ledger()
    X, y = people()
    X[:, 1], X[7, 0] = math.nan, math.inf
    strange = y.astype(float)
    strange[3:5] = math.nan, 4711.0
    made = search_of(name, ledger=ledger, random_state=0).fit(X, strange)
    assert [record.state for record in ledger.entries()] == ["committed"]
    assert np.isfinite(made.best_estimator_.coef_).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("grid", [[], {}, {"alpha": []}, "alpha", {"epsilon": [1.0, 2.0]}], ids=repr)
def test_empty_and_wrong_grids_are_refused(name: str, grid: Any, refused: Any) -> None:
    search = search_of(name).set_params(param_grid=grid)
    assert "param_grid" in refused(search, *people())


@pytest.mark.parametrize("name", PRIVATE)
def test_a_sparse_table_that_centring_would_fill_is_refused_before_anything_is_spent(name: str, refused: Any) -> None:
    X, y = people()
    ledger = eq.Ledger(100.0)
    search = search_of(name, classifier(column_bounds=[(-1, 1)] * 3), ledger=ledger)
    assert "column_bounds" in refused(search, csr_matrix(X), y)
    assert ledger.entries() == ()


@pytest.mark.parametrize(("name", "known"), [
    ("StabilitySearch", True), ("RandomSearch", True), ("DataSplitSearch", False), ("BudgetSplitSearch", False),
    ("RandomStopSearch", False),
])  # fmt: skip
def test_standard_errors_are_told_only_where_the_noise_had_no_say(name: str, known: bool) -> None:
    """A model that won because of its noise has other noise than what was drawn for it: intervals would not cover.

    Chosen blindly, or fitted afresh after the choice, it has the law that was planned.
    """
    X, y = people()
    search = search_of(name).fit(X, y)
    assert (search.best_estimator_.model_.uncertainty is not None) is known
    assert ("standard errors" in search.best_estimator_.card().text()) is known
