"""How many rows and labels are clipped is told for a price, before which nothing is looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

import equipoise as eq

N = 4000
RNG = np.random.default_rng(1)
X = RNG.uniform(-0.5, 0.5, (N, 3))
X[:1000] *= 50
Y = np.where(np.arange(N) < 400, 7, np.arange(N) % 2)
MODEL = eq.LogisticRegression(classes=[0, 1])


@pytest.mark.parametrize("table", [X, csr_array(X)], ids=["dense", "sparse"])
def test_the_shares_are_near_the_true_ones(table: Any) -> None:
    """Each count is within 20 of the truth but for a chance below 1e-8."""
    found = eq.count_clipped(MODEL, table, Y, epsilon=2.0)
    truth = float(np.sum(np.linalg.norm(X, axis=1) > 1))
    assert abs(found.rows_clipped - truth) < 40
    assert abs(found.labels_clipped - 400) < 40
    assert found.share_of_rows == pytest.approx(truth / N, abs=0.01)
    assert 1 < found.reach < 40
    assert "wider bounds may help" in str(found)


def test_numbers_beyond_their_bounds_and_missing_cells_count() -> None:
    rows = np.full((N, 2), 3.0)
    rows[:300, 0], rows[300:500, 1] = np.nan, np.inf
    model = eq.LinearRegression(label_bounds=(0, 1), column_bounds=[(0, 4), (0, 4)])
    found = eq.count_clipped(model, rows, np.where(np.arange(N) < 1000, 2.0, 0.5), epsilon=5.0)
    assert abs(found.rows_clipped - 500) < 20
    assert abs(found.labels_clipped - 1000) < 20


def test_a_row_at_its_very_bound_does_not_count() -> None:
    rows = np.tile([[0.6, 0.8]], (N, 1))
    assert abs(eq.count_clipped(MODEL, rows, np.zeros(N), epsilon=5.0).rows_clipped) < 20


def test_it_is_paid_for_and_says_what_it_promises() -> None:
    ledger = eq.Ledger(1.0)
    found = eq.count_clipped(MODEL, X, Y, epsilon=0.75, ledger=ledger)
    assert ledger.spent().epsilon == pytest.approx(0.75)
    assert (found.guarantee.epsilon, found.guarantee.sensitivity, found.guarantee.delta) == (0.75, 2.0, 0.0)
    with pytest.raises(eq.BudgetExhausted):
        eq.count_clipped(MODEL, X, Y, epsilon=0.75, ledger=ledger)


def test_what_is_wrong_with_types_is_refused_for_free() -> None:
    ledger = eq.Ledger()
    for rows, labels, model in (
        (X.astype(str), Y, MODEL),
        (X, Y[:-1], MODEL),
        (X, Y, eq.LinearRegression()),
        (csr_array(X), Y, eq.LogisticRegression(column_bounds=[(0, 1)] * 3)),
    ):
        with pytest.raises(eq.EquipoiseError):
            eq.count_clipped(model, rows, labels, epsilon=1.0, ledger=ledger)
    assert ledger.entries() == ()


def test_the_estimator_is_left_as_it_was() -> None:
    model = eq.LogisticRegression()
    eq.count_clipped(model, X, Y % 2, epsilon=1.0)
    assert "n_features_in_" not in vars(model)


def test_under_add_remove_the_number_of_rows_stays_secret() -> None:
    model = eq.LogisticRegression(adjacency="add-remove", public_n=1)
    found = eq.count_clipped(model, X, Y % 2, epsilon=1.0)
    assert found.guarantee.sensitivity == 1.0
    assert found.records != N
    assert abs(found.records - N) < 100
    assert eq.count_clipped(model, X[:0], Y[:0], epsilon=1.0).rows_clipped < 100


def test_one_record_moves_one_cell_to_another() -> None:
    """The same noise on two neighbours: counts differ by one each."""
    other, labels = X.copy(), Y.copy()
    other[3999], labels[3999] = 99.0, 99
    left, right = (eq.count_clipped(MODEL, *table, epsilon=1.0, random_state=5) for table in ((X, Y), (other, labels)))
    assert right.rows_clipped - left.rows_clipped == 1
    assert right.labels_clipped - left.labels_clipped == 1


def test_the_noise_is_that_of_two_cells_that_move() -> None:
    """Scale 2/epsilon: of 400 sums of two such counts the mean size is 3, and 2.5 but for a chance below 1e-6."""
    rows, labels = np.zeros((4, 1)), np.zeros(4)
    found = [eq.count_clipped(MODEL, rows, labels, epsilon=1.0, random_state=seed).rows_clipped for seed in range(400)]
    assert np.mean(np.abs(found)) > 2.5


def test_counts_for_an_estimator_that_protects_persons_are_refused_for_free() -> None:
    ledger, persons = eq.Ledger(), eq.LogisticRegression(classes=[0, 1], rows_per_person=3)
    with pytest.raises(eq.MechanismRefused, match=r"rows_per_person.*set_params.*nothing was spent"):
        eq.count_clipped(persons, X, Y, epsilon=1.0, ledger=ledger)
    assert not ledger.entries()
    found = eq.count_clipped(clone(persons).set_params(rows_per_person=None), X, Y, epsilon=1.0, ledger=ledger)
    assert found.guarantee.unit == "one row"
