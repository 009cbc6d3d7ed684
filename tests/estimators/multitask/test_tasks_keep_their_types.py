"""What one model's tasks are called does not depend on models that were planned before it."""

from __future__ import annotations

import numpy as np
import pytest

import equipoise as eq


@pytest.mark.filterwarnings("ignore")
def test_equal_tasks_of_other_types_stay_apart() -> None:
    X, y = np.column_stack([np.arange(40) % 2, np.linspace(-0.5, 0.5, 40)]), np.zeros(40)
    for tasks in ([0, 1], [False, True], [0.0, 1.0]):
        model = eq.MultiTaskRegressor(1.0, tasks=tasks, label_bounds=(-1, 1), alpha=0.5, random_state=0).fit(X, y)
        assert [type(task) for task in model.tasks_.tolist()] == [type(task) for task in tasks]
