"""Searching over settings on parts of the table: one payment, disjoint parts, one promise."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor

import equipoise as eq
from equipoise.estimators.search import base as _search
from equipoise.estimators.search import candidates as _candidates
from equipoise.estimators.search import charges as _charges
from equipoise.estimators.search import data_split_search
from equipoise.estimators.search.parts import split_rows
from equipoise.gate import bits_from
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.noise.choice import Coins
from equipoise.inside import enter
from equipoise.inside.scores.of_linear_models import as_scores, mean_losses
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import ApproximateRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Squared
from equipoise.theory.sensitivity import largest_squared_loss, of_mean_loss
from equipoise.theory.tuning.choices import data_independent
from equipoise.tuning import DataSplitSearch

Array = npt.NDArray[np.float64]
GRID = {"alpha": [0.01, 50.0], "coef_norm": [0.5, 2.0]}


def people(n: int = 600, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 2
    return X, np.clip(X[:, 0] - X[:, 1] / 2 + 0.05 * rng.normal(size=n), -1, 1)


def regression(epsilon: float = 3.0, delta: float = 0.0, **settings: Any) -> eq.LinearRegression:
    return eq.LinearRegression(epsilon, delta, mechanism="output", **{"label_bounds": (-1, 1)} | settings)


@pytest.fixture
def fitted_parts(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """The inner models of each search, losers too: something only a test may see."""
    seen: list[list[Any]] = []

    def watched(*given: Any) -> list[Any]:
        seen.append(_search.fit_parts(*given))
        return seen[-1]

    monkeypatch.setattr(data_split_search, "fit_parts", watched)
    return seen


def test_parts_are_disjoint_cover_every_row_and_know_only_how_many_there_are() -> None:
    for rows, candidates, validation in ((50, 4, None), (53, 4, None), (100, 3, 0.4), (6, 2, None)):
        sizes = _candidates.part_sizes(rows, candidates, validation)
        parts = split_rows(sizes, None, bits_from(1))
        assert [len(part) for part in parts] == list(sizes)
        assert sorted(np.concatenate(parts)) == list(range(rows))
        assert max(sizes[:-1]) - min(sizes[:-1]) <= 1
    assert _candidates.part_sizes(100, 3, 0.4)[-1] == 40


def test_without_a_seed_every_split_is_another() -> None:
    first, second = (split_rows((50, 50), None, bits_from(None))[0] for _ in range(2))
    assert not np.array_equal(first, second)


def test_replacing_one_record_changes_one_part_only(fitted_parts: list[list[Any]]) -> None:
    X, y = people(100)
    search = DataSplitSearch(regression(), GRID, random_state=5)
    search.fit(X, y)
    touched: set[int] = set()
    kept = len(fitted_parts[0])
    for row in range(0, 100, 9):
        other_X, other_y = X.copy(), y.copy()
        other_X[row], other_y[row] = [1.0, 0.0, 0.0], -1.0
        search.fit(other_X, other_y)
        moved = [
            place
            for place, (left, right) in enumerate(zip(fitted_parts[0], fitted_parts[-1], strict=True))
            if not np.array_equal(left.coef_, right.coef_) or left.intercept_ != right.intercept_
        ]
        assert len(moved) <= 1
        touched |= set(moved) or {kept}
    assert len(touched) >= 4, "the rows tried should fall into most parts"


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("owner", ["search", "estimator"])
def test_a_whole_search_is_debited_once(delta: float, owner: str) -> None:
    ledger = eq.Ledger(3.0, 1e-5)
    given: dict[str, Any] = {"ledger": ledger}
    inner = regression(3.0, delta, **(given if owner == "estimator" else {}))
    DataSplitSearch(inner, GRID, **(given if owner == "search" else {})).fit(*people())
    (record,) = ledger.entries()
    assert record.state == "committed"
    assert isinstance(record.event, ApproximateRelease if delta else PureRelease)
    assert record.event.epsilon == 3.0


def test_a_gaussian_fit_is_not_paid_for_by_a_gaussian_event_since_choosing_is_not_gaussian() -> None:
    plan = regression(1.0, 1e-6, alpha=1.0).plan(100, 3)
    budget = Budget(1.0, 1e-6)
    both = _charges.parallel_event([plan, plan], True, budget, None)
    assert both == ApproximateRelease(1.0, 1e-6, plan.event.delta_numeric)
    assert _charges.parallel_event([plan], False, budget, None) == plan.event


def test_an_exhausted_budget_stops_the_search_before_it_starts(fitted_parts: list[list[Any]]) -> None:
    ledger = eq.Ledger(1.0)
    search = DataSplitSearch(regression(3.0), GRID, ledger=ledger)
    with pytest.raises(eq.BudgetExhausted):
        search.fit(*people())
    assert not ledger.entries()
    assert not fitted_parts
    assert not [name for name in vars(search) if name.endswith("_")]


def test_one_guarantee_covers_the_search_and_the_model_carries_it(tmp_path: Path) -> None:
    search = DataSplitSearch(regression(2.0, 1e-6), GRID).fit(*people())
    promise = search.guarantee_
    assert (promise.epsilon, promise.delta, promise.mechanism) == (2.0, 1e-6, "data-split search")
    assert promise.private
    assert promise.delta_numeric <= 2.0**-40
    constants = promise.constants
    assert constants["records of all parts"] == 600
    assert constants["candidates"] == 4
    assert constants["records to choose on"] == constants["smallest part"] == constants["records"] == 120
    assert constants["largest loss of a record"] == pytest.approx((2.0 * math.hypot(1, 0.5) + 1) ** 2)
    assert constants["score sensitivity"] == pytest.approx(constants["largest loss of a record"] / 120)
    assert search.best_estimator_.guarantee_ == search.best_estimator_.model_.guarantee == promise
    assert "data-split search" in str(search.best_estimator_.card())
    search.best_estimator_.save(tmp_path / "model.json")
    assert eq.load(tmp_path / "model.json").guarantee == promise


def test_a_seed_on_either_side_marks_the_whole_search() -> None:
    X, y = people()
    for search in (
        DataSplitSearch(regression(), GRID, random_state=3),
        DataSplitSearch(regression(random_state=3), GRID),
    ):
        first, second = clone(search).fit(X, y), clone(search).fit(X, y)
        assert first.guarantee_.seeded
        assert first.best_params_ == second.best_params_
        assert np.array_equal(first.best_estimator_.coef_, second.best_estimator_.coef_)


def test_losing_models_are_not_kept(fitted_parts: list[list[Any]]) -> None:
    search = DataSplitSearch(regression(), GRID, random_state=0).fit(*people())
    winner = search.best_estimator_
    assert winner is fitted_parts[0][search.best_index_]
    kept = {name for name in vars(search) if name.endswith("_")}
    assert kept == {"n_features_in_", "best_estimator_", "best_index_", "best_params_", "cv_results_", "guarantee_"}


def test_the_winner_has_the_callers_parameters_back() -> None:
    ledger = eq.Ledger()
    search = DataSplitSearch(eq.LogisticRegression(3.0, ledger=ledger), {"alpha": [0.1, 1.0]})
    X, y = people()
    search.fit(X, (y > 0).astype(int))
    settings = search.best_estimator_.get_params()
    assert settings["ledger"] is ledger
    assert (settings["classes"], settings["random_state"]) == (None, None)
    assert settings["alpha"] == search.best_params_["alpha"]
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize("case", ["regression", "two classes", "signs", "three classes", "huber"])
def test_with_next_to_no_privacy_the_sensible_setting_wins(case: str) -> None:
    X, y = people(2000)
    thirds = np.array(["a", "b", "c"])[np.digitize(y, [-0.2, 0.2])]
    cases: dict[str, tuple[Any, npt.NDArray[Any]]] = {
        "regression": (regression(50.0, label_bounds=(-1, 2)), y),
        "two classes": (eq.LogisticRegression(50.0), (y > 0).astype(int)),
        "signs": (eq.LinearSVC(50.0, smoothing=0.5), np.where(y > 0.2, 1, -1)),
        "three classes": (eq.LogisticRegression(50.0, classes=["a", "b", "c"]), thirds),
        "huber": (eq.HuberRegressor(50.0, label_bounds=(-1, 1)), y),
    }
    estimator, labels = cases[case]
    search = DataSplitSearch(estimator, {"alpha": [1e4, 0.05, 3e4]}, random_state=1).fit(X, labels)
    assert search.best_params_ == {"alpha": 0.05}
    assert search.best_index_ == 1
    assert search.score(X, labels) > 0.7
    assert np.array_equal(search.predict(X), search.best_estimator_.predict(X))
    assert (is_classifier(search), is_regressor(search)) == (is_classifier(estimator), is_regressor(estimator))


def test_frames_and_sparse_rows_keep_their_names_and_shapes() -> None:
    X, y = people()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = DataSplitSearch(regression(), GRID).fit(frame, pd.Series(y))
    assert named.best_estimator_.model_.feature_names == ("a", "b", "c")
    assert named.predict(frame).shape == (600,)
    assert DataSplitSearch(regression(), GRID).fit(sparse.csr_matrix(X), y).predict(X).shape == (600,)


def test_one_candidate_is_fitted_on_everything_and_the_guarantee_says_so() -> None:
    ledger = eq.Ledger()
    search = DataSplitSearch(regression(1.0, 1e-6), {"alpha": [0.5]}, ledger=ledger).fit(*people())
    assert search.best_params_ == {"alpha": 0.5}
    assert search.guarantee_.constants["records"] == 600
    assert any("one candidate" in note for note in search.guarantee_.notes)
    assert [record.event for record in ledger.entries()] == [regression(1.0, 1e-6, alpha=0.5).plan(600, 3).event]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"param_grid": []}, "param_grid"),
    ({"param_grid": {}}, "param_grid"),
    ({"param_grid": {"alpha": []}}, "param_grid"),
    ({"param_grid": "alpha"}, "param_grid"),
    ({"param_grid": {"epsilon": [1.0, 5.0]}}, "epsilon"),
    ({"param_grid": {"alpha": [1.0, -1.0]}}, "alpha"),
    ({"param_grid": {"alpha": list(np.linspace(1, 2, 300))}}, "600 rows are too few for 300 candidates"),
    ({"validation": 0.001}, "600 rows are too few"),
    ({"validation": 1.5}, "validation"),
    ({"estimator": object()}, "estimator"),
    ({"estimator": regression(adjacency="add-remove", public_n=600)}, "adjacency"),
    ({"estimator": regression(-1.0)}, "epsilon"),
    ({"estimator": regression(ledger=eq.Ledger())}, "different ones"),
    ({"random_state": "x"}, "random_state"),
]


@pytest.mark.parametrize(("wrong", "named"), BAD, ids=[f"{index} {named}" for index, (_, named) in enumerate(BAD)])
def test_refusals_are_one_line_and_spend_nothing(wrong: dict[str, Any], named: str, refused: Any) -> None:
    ledger = eq.Ledger(100.0)
    settings: dict[str, Any] = {"estimator": regression(), "param_grid": GRID, "ledger": ledger} | wrong
    assert named in refused(DataSplitSearch(**settings), *people())
    assert not ledger.entries()


# --- scores -----------------------------------------------------------------------------------------------------------


def test_no_record_moves_a_mean_loss_by_more_than_its_share_of_the_cap() -> None:
    """Near the bound for a record at the far end, and never past it, even for models far outside the ball."""
    cap, bounds = largest_squared_loss(1.0, 1.0), Bounds(1.0, label_range=(-1.0, 1.0))
    models = [np.array([1.0, 0.0]), np.array([-300.0, 2.0]), np.zeros(2)]

    def losses(first: list[float], label: float) -> Array:
        X, y = np.zeros((10, 2)), np.zeros(10)
        X[0], y[0] = first, label
        records = enter(X, y, bounds)
        return mean_losses(records, Squared().value, models, cap).reveal()

    tries = [([a, b], label) for a in (-9.0, 0.0, 1.0) for b in (0.0, 1.0) for label in (-1.0, 0.0, 1.0)]
    worst = max(np.max(np.abs(losses(*left) - losses(*right))) for left in tries for right in tries)
    assert 0.99 * of_mean_loss(cap, 10) <= worst <= of_mean_loss(cap, 10)


def chosen_log_ratio(sensitivity: float, epsilon: float) -> float:
    """Two models at opposite ends of the ball; a row that spoke against both equally now speaks for one."""
    bounds, models = Bounds(1.0, label_range=(-1.0, 1.0)), [np.array([1.0]), np.array([-1.0])]
    X, grid = np.array([[1.0], [1.0], [0.0], [0.0]]), grid_for(sensitivity)

    def chance_of_the_worse(first_label: float) -> float:
        records = enter(X, np.array([first_label, 1.0, 0.0, 0.0]), bounds)
        losses = mean_losses(records, Squared().value, models, largest_squared_loss(1.0, 1.0))
        steps = [int(step) for step in grid.quantise(as_scores(losses).reveal())]
        coins = Coins(steps, steps_moved(sensitivity, grid), epsilon)
        return math.exp(-float(max(coins.exponents))) / 2

    return abs(math.log(chance_of_the_worse(-1.0) / chance_of_the_worse(1.0)))


def test_records_can_spend_the_whole_epsilon_of_the_choice_but_no_more_and_the_printed_constant_fails() -> None:
    right = of_mean_loss(largest_squared_loss(1.0, 1.0), 4)
    assert 0.999 * 0.8 <= chosen_log_ratio(right, 0.8) <= 0.8
    assert chosen_log_ratio(right / 2, 0.8) > 1.5
    assert chosen_log_ratio(1.0**2 / 4, 0.8) > 3.0, "R squared instead of (R + 1) squared, per row"


def test_flat_models_score_as_the_fitted_estimator_predicts() -> None:
    X, y = people(300)
    X *= 0.3  # nothing is clipped
    for settings in ({}, {"fit_intercept": False}, {"label_bounds": (-1.0, 4.0)}):
        model = regression(5.0, **settings)
        plan = model.plan(300, 3)
        model.fit(X, y)
        bounds = plan.facts.bounds
        w = _candidates.flat_model(model, bounds, 2)
        internal = X @ w[:3] + (w[3] * bounds.intercept if bounds.intercept else 0.0)
        assert internal * bounds.label_scale + bounds.label_centre == pytest.approx(model.predict(X))


def test_the_data_independent_ridge_balances_noise_and_bias() -> None:
    n, d, epsilon, R = 500, 4, 0.7, 0.5
    slope = 2 * R + 2

    def bound(alpha: float) -> float:
        return slope * d * 2 * slope / (alpha * n * epsilon) + alpha * R**2 / 2

    best = data_independent(n, d, epsilon, R)
    assert best == pytest.approx(2 * slope / R * math.sqrt(d / (n * epsilon)))
    assert bound(best) < min(bound(0.95 * best), bound(1.05 * best))
    for wrong in ({"n": 0}, {"d": 0}, {"epsilon": 0.0}, {"R": -1.0}):
        with pytest.raises(eq.InvalidInput):
            data_independent(**{"n": n, "d": d, "epsilon": epsilon} | wrong)
