"""Steps that mask features serve rows that are lifted or encoded too, within the same bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.stability import SGD

STEPS = SGD(passes=2, batch=1, keep=0.5)
SETTINGS: dict[str, Any] = {"epsilon": 1e7, "mechanism": STEPS, "alpha": 0.5, "random_state": 0}
SEARCHED = [
    eq.KernelClassifier(frequencies=4, **SETTINGS),
    eq.MultiTaskRegressor(tasks=[0, 1], loss="huber", label_bounds=(0, 1), **SETTINGS),
    eq.AdditiveClassifier(column_bounds=[(-1, 1)] * 2, **SETTINGS),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", SEARCHED, ids=lambda model: type(model).__name__)
def test_a_replaced_record_moves_masked_steps_no_further_than_planned(model: Any) -> None:
    rng, furthest = np.random.default_rng(0), 0.0
    for _ in range(10):
        X, y = rng.integers(-1, 2, size=(4, 2)).astype(float), rng.integers(2, size=4)
        other, label = X.copy(), y.copy()
        other[0], label[0] = rng.integers(-1, 2, size=2), 1 - y[0]
        before, after = (model.fit(*table).coef_.copy() for table in ((X, y), (other, label)))
        scale = model.model_.guarantee.sensitivity
        furthest = max(furthest, 0.0 if model.model_.shapes is not None else float(np.linalg.norm(after - before)))
        assert model.guarantee_.mechanism == "sgd"
    assert furthest <= scale
