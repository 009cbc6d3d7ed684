"""Related tasks: between one model for all and one for each, better than both, at the price of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.sparse import csr_array

import equipoise as eq
from equipoise.inside import enter
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import solve
from equipoise.rows import RowBounds
from equipoise.rows.lifts.tasks import Tasks
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Huber, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
TASKS, COLUMNS = 12, 3
HARDLY_NOISY: dict[str, Any] = {"mechanism": "output", "random_state": 0}


def related(n: int, seed: int, tasks: int = 12) -> tuple[Array, Array]:
    """Tasks of very different sizes whose coefficients lie around common ones; the last column is the task."""
    rng, weights = np.random.default_rng(seed), np.random.default_rng(1)
    common = np.array([2.0, -1.5, 1.0])
    coef = common + 0.8 * weights.normal(size=(tasks, COLUMNS))
    task = rng.choice(tasks, size=n, p=np.arange(1, tasks + 1) / (tasks * (tasks + 1) / 2))
    X = rng.uniform(-0.5, 0.5, size=(n, COLUMNS))
    y = np.sum(X * coef[task], axis=1) + 0.3 * rng.normal(size=n)
    return np.column_stack([X, task]), y


def make(epsilon: float = 1.0, delta: float = 0.0, **given: Any) -> Any:
    stated: dict[str, Any] = {"tasks": list(range(TASKS)), "task_column": COLUMNS, "label_bounds": (-4.0, 4.0)}
    return eq.MultiTaskRegressor(epsilon, delta, **stated | given)


def test_coupled_for_good_it_is_one_model_for_everybody() -> None:
    X, y = related(600, 0)
    one = eq.LinearRegression(1e9, alpha=0.1, label_bounds=(-4, 4), **HARDLY_NOISY).fit(X[:, :-1], y)
    model = make(1e9, alpha=0.1, coupling=1.0, **HARDLY_NOISY).fit(X, y)
    assert model.task_coef_ == pytest.approx(np.tile(one.coef_, (TASKS, 1)), abs=4e-3)
    assert model.task_intercept_ == pytest.approx(one.intercept_, abs=4e-3)


def test_not_coupled_at_all_each_task_has_the_ridge_of_its_own_rows() -> None:
    """α·N/n_t, since the mean is over all rows."""
    X, y = related(600, 0)
    model = make(1e9, alpha=0.1, coupling=0.0, **HARDLY_NOISY).fit(X, y)
    for task in range(TASKS):
        own = X[:, -1] == task
        alpha = 0.1 * len(y) / own.sum()
        alone = eq.LinearRegression(1e9, alpha=alpha, label_bounds=(-4, 4), **HARDLY_NOISY).fit(X[own, :-1], y[own])
        assert model.task_coef_[task] == pytest.approx(alone.coef_, abs=4e-3)
        assert model.task_intercept_[task] == pytest.approx(alone.intercept_, abs=4e-3)
    assert not model.shared_coef_.any()


def test_in_between_it_minimises_the_coupled_penalty() -> None:
    """Solved again by least squares on (v, u_1, …) themselves: loss/N + α/2(‖v‖²/c + Σ‖u‖²/(1 − c))."""
    X, y = related(400, 2)
    alpha, c, n = 0.05, 0.7, 400
    model = make(1e9, alpha=alpha, coupling=c, fit_intercept=False, **HARDLY_NOISY).fit(X, y)
    rows, task = X[:, :-1], X[:, -1].astype(int)
    each = np.zeros((n, TASKS, COLUMNS))
    each[np.arange(n), task] = rows
    stacked = np.column_stack([rows, each.reshape(n, -1)])
    ridge = alpha / 2 * np.append(np.full(COLUMNS, 1 / c), np.full(TASKS * COLUMNS, 1 / (1 - c)))
    w = np.linalg.solve(stacked.T @ stacked / n + np.diag(ridge), stacked.T @ (y / 4) / n) * 4
    assert model.shared_coef_ == pytest.approx(w[:COLUMNS], abs=4e-3)
    assert model.task_coef_ == pytest.approx(w[:COLUMNS] + w[COLUMNS:].reshape(TASKS, -1), abs=4e-3)


def test_related_tasks_are_learnt_better_than_alone_or_as_one() -> None:
    """Means over fixed seeds: the comparison has no false alarms."""
    X, y = related(4000, 3, tasks=30)
    queries, truth = related(3000, 4, tasks=30)
    score = {
        c: np.mean([
            make(3.0, tasks=list(range(30)), coupling=c, random_state=seed).fit(X, y).score(queries, truth)
            for seed in range(3)
        ])
        for c in (0.0, 0.5, 1.0)
    }  # fmt: skip
    assert score[0.5] > score[0.0] + 0.03
    assert score[0.5] > score[1.0] + 0.03


@pytest.mark.parametrize("loss", [Squared(), Huber(0.5)])
@pytest.mark.parametrize("coupling", [0.0, 0.4, 1.0])
def test_one_row_of_one_task_moves_the_stacked_minimiser_as_far_as_stated(loss: Loss, coupling: float) -> None:
    """2ρ/(λN), N all rows; at least 90 % of the refined bound is reached by a label that goes to the other end."""
    n, rng, worst = 30, np.random.default_rng(5), 0.0
    lift = Tasks(RowBounds(1.0), 3, 0, (0, 1, 2), coupling)
    bounds = Bounds(lift.norm, label_range=(-1.0, 1.0), lift=lift)
    facts = Facts(loss, L2(30.0), bounds, n, lift.features)
    claimed = sensitivity.of_minimiser(facts).l2
    for _ in range(8):
        X = np.column_stack([rng.integers(3, size=n), rng.normal(size=(n, 2)) * 5])
        y = rng.choice([-1.0, 1.0], size=n)
        other, labels = X.copy(), y.copy()
        labels[0] = -y[0]
        if rng.random() < 0.5:
            other[0] = [rng.integers(4), *rng.normal(size=2)]
        moved = np.linalg.norm(minimiser(facts, X, y) - minimiser(facts, other, labels))
        assert moved <= claimed
        worst = max(worst, float(moved / claimed))
    assert worst > 0.9


def minimiser(facts: Facts, X: Array, y: Array) -> Array:
    found = enter(X, y, facts.bounds).map(
        lambda inner: solve(Objective(facts.loss, facts.penalty, inner, facts.n), 1e-9).point
    )
    return np.asarray(found._Private__value)  # type: ignore[attr-defined]


def test_all_tasks_together_cost_and_need_what_one_model_does() -> None:
    """The same sensitivity as one model on all rows: a row's length is not changed by being lifted."""
    for coupling in (0.0, 0.5, 1.0):
        plan = make(alpha=0.1, mechanism="output", coupling=coupling).plan(1000, 4)
        one = eq.LinearRegression(alpha=0.1, mechanism="output", label_bounds=(-4, 4)).plan(1000, 3)
        assert plan.sensitivity.l2 == pytest.approx(one.sensitivity.l2, rel=1e-12)


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient", "sufficient-statistics", "sgd"])
def test_every_mechanism_of_linear_regression_serves(mechanism: str) -> None:
    X, y = related(300, 6)
    ledger = eq.Ledger()
    model = make(1.0, 1e-6, mechanism=mechanism, ledger=ledger, coef_norm=5.0).fit(X, y)
    assert ledger.spent(1e-6).epsilon == pytest.approx(1.0, rel=1e-3)
    assert model.guarantee_.mechanism == mechanism
    assert model.predict(X).shape == y.shape


def test_coefficients_of_tasks_are_what_predicts() -> None:
    X, y = related(300, 7)
    box = [(-0.5, 0.5), (-0.25, 1.0), (-2.0, 2.0)]
    model = make(1.0, column_bounds=box, loss="huber", threshold=1.0).fit(X, y)
    rows = np.clip(X[:, :-1], *np.array(box).T)
    task = X[:, -1].astype(int)
    by_hand = np.sum(rows * model.task_coef_[task], axis=1) + model.task_intercept_[task]
    assert model.predict(X) == pytest.approx(by_hand)
    X[:, -1] = 99
    assert model.predict(X) == pytest.approx(rows @ model.shared_coef_ + model.shared_intercept_)


def test_names_files_and_sparse_tables(tmp_path: Path) -> None:
    X, y = related(300, 8)
    names = [f"clinic {place}" for place in range(TASKS)]
    frame = pd.DataFrame({"clinic": [names[int(t)] for t in X[:, -1]], "a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    worded = make(1.0, tasks=names, task_column="clinic", random_state=0).fit(frame, y)
    worded.save(tmp_path / "model.json")
    again = eq.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(frame), worded.predict(frame))
    assert worded.tasks_.tolist() == names
    plain = make(1.0, random_state=0).fit(X, y)
    assert np.allclose(plain.predict(X), worded.predict(frame))
    assert np.array_equal(make(1.0, random_state=0).fit(csr_array(X), y).coef_, plain.coef_)
    assert eq.count_clipped(make(), X, y, epsilon=1e6).rows_clipped == pytest.approx(0, abs=1e-3)


def test_a_task_nobody_listed_or_that_is_missing_is_no_error() -> None:
    X, y = related(50, 9)
    X[3, -1], X[4, -1], X[5, -1] = np.nan, 1e300, -3
    assert np.isfinite(make().fit(X, y).predict(X)).all()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"tasks": None}, "tasks"),
        ({"tasks": "observed"}, "tasks"),
        ({"tasks": []}, "tasks"),
        ({"tasks": [1, 1]}, "tasks"),
        ({"tasks": 3}, "tasks"),
        ({"task_column": 4}, "task_column"),
        ({"task_column": "clinic"}, "task_column"),
        ({"task_column": None}, "task_column"),
        ({"coupling": 1.5}, "coupling"),
        ({"coupling": None}, "coupling"),
        ({"loss": "absolute"}, "loss"),
        ({"threshold": 1.0}, "threshold"),
        ({"label_bounds": None}, "label_bounds"),
        ({"column_bounds": [(0, 1)] * 4}, "column_bounds"),
    ],
)
def test_what_makes_no_tasks_is_refused_for_free(wrong: dict[str, Any], named: str) -> None:
    X, y = related(20, 10)
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.EquipoiseError, match=named) as caught:
        make(ledger=ledger, **wrong).fit(X, y)
    assert "\n" not in str(caught.value)
    assert ledger.spent().epsilon == 0


def test_the_card_says_what_is_protected() -> None:
    X, y = related(50, 11)
    assert "one row of one task is protected" in str(make().fit(X, y).card())


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_card_lists_the_bounds_of_every_column_but_the_tasks(place: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = np.insert(rng.normal(size=(90, 2)), place, np.arange(90) % 3, axis=1)
    model = eq.MultiTaskRegressor(
        tasks=[0, 1, 2], task_column=place, label_bounds=(-1, 1), column_bounds=[(-3, 4), (-5, 6)], random_state=0
    ).fit(X, np.zeros(90))
    named = [f"column {each + 1}" for each in range(3) if each != place]
    for card in (model.card(), _loaded(model, tmp_path).card()):
        assert f"{named[0]} -3 to 4, {named[1]} -5 to 6" in " ".join(str(card).split())


def _loaded(model: Any, folder: Path) -> Any:
    model.save(folder / "model.json")
    return eq.load(folder / "model.json")
