"""Private ranking: pairs by public positions, 4ρ/(αn) attained, and nothing told by which pairs there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import roc_auc_score

import equipoise as eq
from equipoise.errors import InvalidInput
from equipoise.estimators.linear.pairwise_ranker import concordance
from equipoise.inside.objective import Objective
from equipoise.inside.pairs import enter_pairs
from equipoise.inside.solvers import solve
from equipoise.rows import RowBounds
from equipoise.theory import sensitivity
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic
from equipoise.theory.pairs import Ring
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]


def table(n: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-0.5, 0.5, size=(n, 3))
    return X, X @ [2.0, -1.0, 0.5] + 0.2 * rng.normal(size=n)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1.0, 1e-6)])
@pytest.mark.parametrize("partners", ["auto", 10])
def test_it_ranks(epsilon: float, delta: float, partners: Any) -> None:
    X, y = table(1200)
    model = eq.PairwiseRanker(epsilon, delta, partners=partners, random_state=0).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > 0.75
    two = (y > 0.3).astype(int)
    halves = eq.PairwiseRanker(epsilon, delta, partners=partners, random_state=0).fit(X[:600], two[:600])
    assert halves.score(X[600:], two[600:]) == pytest.approx(roc_auc_score(two[600:], halves.predict(X[600:])))
    assert halves.score(X[600:], two[600:]) > 0.8


def test_all_pairs_are_minimised_as_they_are_written_down() -> None:
    """Against a fit of scikit-learn's kind on all n(n−1)/2 differences."""
    X, y = table(60)
    alpha = 0.05
    model = eq.PairwiseRanker(1e9, mechanism="output", alpha=alpha, random_state=0).fit(X, y)
    left, right = np.triu_indices(60, 1)
    rows = (X[left] - X[right]) * np.sign(y[left] - y[right])[:, None]
    w = np.zeros(3)
    for _ in range(50):
        chance = 1 / (1 + np.exp(rows @ w))
        gradient = -rows.T @ chance / len(rows) + alpha * w
        hessian = (rows * (chance * (1 - chance))[:, None]).T @ rows / len(rows) + alpha * np.eye(3)
        w -= np.linalg.solve(hessian, gradient)
    assert model.coef_[0] == pytest.approx(w, abs=0.05)


def moved(n: int, partners: int, alpha: float, X: Array, y: Array, other: Array, labels: Array) -> tuple[float, float]:
    ring = Ring(n, partners)
    facts = Facts(Logistic(), L2(alpha), Bounds(2.0), ring.pairs, X.shape[1], partners=partners)
    ends = []
    for rows, told in ((X, y), (other, labels)):
        found = enter_pairs(rows, told, RowBounds(1.0), ring, np.arange(n)).map(
            lambda inner: solve(Objective(facts.loss, facts.penalty, inner, facts.n), 1e-9).point
        )
        ends.append(np.asarray(found._Private__value))  # type: ignore[attr-defined]
    return float(np.linalg.norm(ends[0] - ends[1])), sensitivity.of_minimiser(facts).l2


@pytest.mark.parametrize(("n", "partners"), [(20, 19), (20, 4), (21, 20)])
def test_one_record_moves_the_minimiser_as_far_as_stated_and_no_further(n: int, partners: int) -> None:
    """A record above all others becomes one below them: at least 90 % of 2D·2B/(αn)."""
    X, y = np.tile([-1.0, 0.0], (n, 1)), np.zeros(n)
    X[0], y[0] = [1.0, 0.0], 1.0
    labels = y.copy()
    labels[0] = -1.0
    far, claimed = moved(n, partners, 50.0, X, y, X, labels)
    assert 0.9 * claimed < far <= claimed
    assert claimed == pytest.approx(4 / (50.0 * n), rel=0.1)  # 8B/(αn) is for slopes of one; here they are a half
    rng = np.random.default_rng(0)
    for alpha in (0.01, 1.0):
        for _ in range(6):
            X, y = rng.normal(size=(n, 2)), rng.integers(3, size=n).astype(float)
            other, labels = X.copy(), y.copy()
            other[0], labels[0] = rng.normal(size=2), rng.integers(-1, 4)
            far, claimed = moved(n, partners, alpha, X, y, other, labels)
            assert far <= claimed


def test_the_bound_is_four_rho_over_alpha_n_whatever_the_number_of_partners() -> None:
    """Where slopes can be one: 8B/(αn)."""
    n, alpha, B = 1000, 1e-7, 1.0
    for partners in (2, 10, n - 1):
        plan = eq.PairwiseRanker(partners=partners, mechanism="output", alpha=alpha).plan(n, 3)
        assert plan.sensitivity.l2 == pytest.approx(8 * B / (alpha * n), rel=0.02)
        assert plan.constants()["records"] == n
        assert plan.facts.unit == "one row"


@pytest.mark.parametrize("mechanism", ["output", "objective", "noisy-gradient", "sgd"])
def test_every_mechanism_counts_all_pairs_of_a_record(mechanism: str) -> None:
    """As many rows of one person as a record has partners, on as many rows as there are pairs."""
    delta = 1e-6 if mechanism == "noisy-gradient" else 0.0
    ours = eq.PairwiseRanker(1.0, delta, mechanism=mechanism, alpha=0.1, partners=6).plan(100, 2)
    known: dict[str, Any] = {"mechanism": mechanism, "alpha": 0.1, "row_norm": 2.0, "fit_intercept": False}
    persons = eq.LogisticRegression(1.0, delta, rows_per_person=6, **known).plan(300, 2)
    assert ours.noise_scale == persons.noise_scale
    assert ours.sensitivity.l2 == persons.sensitivity.l2


def test_a_person_with_several_records_is_in_all_their_pairs() -> None:
    one = eq.PairwiseRanker(mechanism="output", alpha=0.1, partners=6).plan(100, 2)
    three = eq.PairwiseRanker(mechanism="output", alpha=0.1, partners=6, rows_per_person=3).plan(100, 2)
    assert three.sensitivity.l2 == pytest.approx(3 * one.sensitivity.l2)
    X, y = table(60)
    model = eq.PairwiseRanker(1.0, rows_per_person=3).fit(X, y, groups=np.arange(60) // 3)
    assert "one person" in model.guarantee_.unit


def test_a_table_sorted_by_label_is_ranked_all_the_same() -> None:
    """Neighbours in the table would be equals: the order around the ring is drawn."""
    X, y = table(2000)
    order = np.argsort(y)
    model = eq.PairwiseRanker(3.0, partners=2, random_state=0).fit(X[order], (y[order] > 0).astype(int))
    assert model.score(X, (y > 0).astype(int)) > 0.8


def test_no_label_is_an_error_and_equal_ones_teach_nothing() -> None:
    X, y = table(40)
    y[0], y[1], y[2] = np.nan, np.inf, -np.inf
    assert np.isfinite(eq.PairwiseRanker().fit(X, y).coef_).all()
    for labels in (np.zeros(40), np.full(40, np.nan)):
        model = eq.PairwiseRanker(1e9, mechanism="output", alpha=0.1, random_state=0).fit(X, labels)
        assert np.abs(model.coef_).max() < 1e-2


def test_files_frames_and_cards(tmp_path: Path) -> None:
    X, y = table(80)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    box = [(-0.5, 0.5)] * 3
    model = eq.PairwiseRanker(1.0, column_bounds=box).fit(frame, y)
    model.save(tmp_path / "model.json")
    assert np.array_equal(eq.load(tmp_path / "model.json").decision_function(frame), model.predict(frame))
    assert "each record was compared with 79 others" in str(model.card())
    assert "pairs" in model.guarantee_.constants


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"pairs": "cross"}, "secret of the labels"),
        ({"pairs": "some"}, "pairs"),
        ({"partners": 80}, "only 79 others"),
        ({"partners": 3}, "must be even"),
        ({"partners": 0}, "partners"),
        ({"adjacency": "add-remove"}, "everybody's partners"),
        ({"column_bounds": [(0, 1)]}, "column_bounds"),
        ({"alpha": 0}, "alpha"),
        ({"mechanism": "sufficient-statistics"}, "sufficient-statistics"),
    ],
)
def test_what_makes_no_ranking_is_refused_for_free(wrong: dict[str, Any], told: str) -> None:
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.EquipoiseError, match=told):
        eq.PairwiseRanker(1.0, ledger=ledger, **wrong).fit(*table(80))
    with pytest.raises(InvalidInput, match="sparse"):
        eq.PairwiseRanker(1.0, ledger=ledger).fit(csr_array(table(80)[0]), table(80)[1])
    assert ledger.spent().epsilon == 0


def test_concordance_is_the_share_of_pairs_in_order() -> None:
    assert concordance(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 5.0])) == 1.0
    assert concordance(np.array([1.0, 1.0]), np.array([0.0, 1.0])) == 0.5
    assert concordance(np.array([1.0, 2.0]), np.array([4.0, 4.0])) == 0.5
