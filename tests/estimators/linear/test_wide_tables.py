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
GAUSSIAN: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "alpha": 1e-2, "random_state": 0}
FITS: dict[str, Callable[[], Any]] = {
    "logistic, output": lambda: eq.LogisticRegression(mechanism="output", **GAUSSIAN),
    "logistic, objective": lambda: eq.LogisticRegression(mechanism="objective", **GAUSSIAN),
    "hinge, output": lambda: eq.LinearSVC(mechanism="output", **GAUSSIAN),
    "rounded hinge, output": lambda: eq.LinearSVC(mechanism="output", smoothing=0.5, **GAUSSIAN),
    "rounded hinge, objective": lambda: eq.LinearSVC(mechanism="objective", smoothing=0.5, **GAUSSIAN),
}


@pytest.mark.parametrize("name", FITS)
def test_a_fit_holds_a_few_vectors_and_tables_at_once(name: str) -> None:
    """Dense, the table would take 8 gigabytes; three times the table and ten vectors are 0.1."""
    table, labels = url_like(ROWS, COLUMNS, ENTRIES)
    FITS[name]().fit(table[:50, :100], labels[:50])  # what is imported and planned once
    tracemalloc.start()
    model = FITS[name]().fit(table, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3 * (size(table) + 80 * COLUMNS)
    assert model.coef_.size == COLUMNS
    assert np.count_nonzero(model.coef_) > COLUMNS / 2, "every coefficient has its noise"
    answers = model.decision_function(table[:20])
    np.testing.assert_allclose(answers, table[:20] @ model.coef_.ravel() + model.intercept_, rtol=1e-9)
    assert set(model.predict(table[:20])) <= {0, 1}
