"""Sparse tables with very many columns: what a fit holds at once, and predictions on sparse rows."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from benchmarks.wide import size, url_like

import equipoise as eq

ROWS, COLUMNS, ENTRIES = 2500, 400_000, 60
LARGE = 16_000, 160_000, 100
GAUSSIAN: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "alpha": 1e-2, "random_state": 0}
FITS: dict[str, Callable[[], Any]] = {
    "logistic, output": lambda: eq.LogisticRegression(mechanism="output", **GAUSSIAN),
    "logistic, objective": lambda: eq.LogisticRegression(mechanism="objective", **GAUSSIAN),
    "hinge, output": lambda: eq.LinearSVC(mechanism="output", **GAUSSIAN),
    "rounded hinge, output": lambda: eq.LinearSVC(mechanism="output", smoothing=0.5, **GAUSSIAN),
    "rounded hinge, objective": lambda: eq.LinearSVC(mechanism="objective", smoothing=0.5, **GAUSSIAN),
}


def _peak(fit: Callable[[], Any], table: Any, labels: Any) -> tuple[int, Any]:
    """Most bytes that a fit holds at once, the caller's table not counted, and the model."""
    tracemalloc.start()
    model = fit().fit(table, labels)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most, model


@pytest.mark.parametrize("order", ["sorted", "unsorted"])
@pytest.mark.parametrize("name", FITS)
def test_a_fit_takes_less_than_three_times_its_table(name: str, order: str) -> None:
    """Columns for each row, and entries, as in the benchmark of a million columns.  There is one copy of the table when
    it is read, a second one for a moment when columns are made of rows, then one copy and vectors."""
    table, labels = url_like(*LARGE)
    FITS[name]().fit(table[:50, :100], labels[:50])
    if order == "unsorted":
        table.data, table.indices = table.data[::-1].copy(), table.indices[::-1].copy()
        table.indptr = table.indptr[-1] - table.indptr[::-1]
    most, _ = _peak(FITS[name], table, labels)
    assert most <= 2.5 * size(table)


@pytest.mark.parametrize("name", FITS)
def test_a_fit_holds_a_few_vectors_and_tables_at_once(name: str) -> None:
    """Dense, the table would take 8 gigabytes; twice the table and ten vectors are 0.07."""
    table, labels = url_like(ROWS, COLUMNS, ENTRIES)
    FITS[name]().fit(table[:50, :100], labels[:50])  # what is imported and planned once
    peak, model = _peak(FITS[name], table, labels)
    assert peak <= 2 * (size(table) + 80 * COLUMNS)
    assert model.coef_.size == COLUMNS
    assert np.count_nonzero(model.coef_) > COLUMNS / 2, "every coefficient has its noise"
    answers = model.decision_function(table[:20])
    np.testing.assert_allclose(answers, table[:20] @ model.coef_.ravel() + model.intercept_, rtol=1e-9)
    assert set(model.predict(table[:20])) <= {0, 1}
