"""The counts for whoever may see the records: exact, free, and marked as what they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import equipoise as eq
from equipoise.not_private import check_values


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_strange_values_are_counted_and_nothing_is_charged(store: type) -> None:
    ledger = eq.Ledger()
    X = np.array([[0.5, 0.1], [np.nan, 0.2], [3.0, 0.0], [np.inf, 0.0], [0.1, 0.1]])
    found = check_values(eq.LogisticRegression(ledger=ledger), store(X), np.array([0, 1, 7, -1, 1]))
    assert (found.rows, found.missing_cells, found.infinite_cells) == (5, 1, 1)
    assert found.rows_clipped == 2
    assert found.labels_settled == 2
    assert str(found).startswith("NOT PRIVATE")
    assert ledger.entries() == ()


def test_bounds_of_columns_and_labels_are_counted_too() -> None:
    model = eq.LinearRegression(column_bounds=[(0, 1), (0, 10)], label_bounds=(0, 1))
    found = check_values(model, [[0.5, 11.0], [None, 5.0], [2.0, -1.0]], [0.5, None, 3.0])
    assert (found.cells_outside_column_bounds, found.missing_cells, found.labels_settled) == (3, 1, 2)
