"""What would be clipped is counted without the tasks' column, wherever its name stands, and mistakes are free."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import equipoise as eq


def table() -> pd.DataFrame:
    return pd.DataFrame({"x": np.full(200, 0.1), "z": np.full(200, 0.1), "site": np.arange(200.0) % 4 + 5})


@pytest.mark.parametrize("order", [["x", "z", "site"], ["site", "x", "z"]])
@pytest.mark.parametrize("fitted", [False, True])
def test_the_tasks_column_is_left_out_by_its_name(order: list[str], *, fitted: bool) -> None:
    X, y = table(), np.zeros(200)
    model = eq.MultiTaskRegressor(
        1.0, tasks=[5, 6, 7, 8], task_column="site", label_bounds=(-1, 1), alpha=1.0, random_state=0
    )
    if fitted:
        model.fit(X, y)
    found = eq.count_clipped(model, X[order], y, epsilon=100.0, random_state=0)
    assert found.share_of_rows < 0.05


def test_bounds_of_another_width_cost_nothing() -> None:
    ledger = eq.Ledger(1.0)
    model = eq.LogisticRegression(column_bounds=[(0, 1), (0, 1)])
    with pytest.raises(eq.EquipoiseError, match="column_bounds"):
        eq.count_clipped(model, np.zeros((10, 3)), np.zeros(10), epsilon=0.5, ledger=ledger)
    assert ledger.spent().epsilon == 0
