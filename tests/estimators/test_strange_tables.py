"""Tables with a few strange cells and labels, in every container, through every door: no exception and no warning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.answering import StablePredictor, ThresholdPredictor, VotingPredictor
from equipoise.estimators.calibration import brier_score
from equipoise.tuning import DataSplitSearch, RandomStopSearch

ROWS = 40
BOUNDS = [(-1.0, 1.0)] * 3
GRID = {"alpha": [0.1, 1.0]}

NUMBERS: list[Any] = [np.nan, np.inf, -np.inf, 1.8e308, -0.0, 5e-324, 1e-300]
OBJECTS: list[Any] = [None, "x", "1.5", b"x", 10**400, -(10**400), 1j, {"a": 1}, [1], (), object(), pd.NA, pd.NaT, True]
LABELS: list[Any] = [*NUMBERS, *OBJECTS, 2, -1, 0.5, np.datetime64("2020"), np.float32("nan"), np.array([1])]


def strange(seed: int) -> tuple[list[list[Any]], list[list[Any]], list[Any]]:
    """Rows with strange numbers, the same with strange objects, and labels."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(ROWS, 3)).tolist()
    labels: list[Any] = rng.integers(0, 2, ROWS).tolist()
    for _ in range(3):
        numbers[rng.integers(ROWS)][rng.integers(3)] = NUMBERS[rng.integers(len(NUMBERS))]
        labels[rng.integers(ROWS)] = LABELS[rng.integers(len(LABELS))]
    objects = [list(row) for row in numbers]
    for _ in range(3):
        objects[rng.integers(ROWS)][rng.integers(3)] = OBJECTS[rng.integers(len(OBJECTS))]
    return numbers, objects, labels


def containers(numbers: list[list[Any]], objects: list[list[Any]]) -> Iterator[Any]:
    table = np.array(numbers)
    yield from (objects, table, pd.DataFrame(table), pd.DataFrame(table).astype("Float64"), pl.DataFrame(table))
    with np.errstate(all="ignore"):
        yield table.astype(np.float32)


def doors() -> Iterator[Any]:
    yield eq.LogisticRegression(1.0)
    yield eq.LogisticRegression(1.0, 1e-6, mechanism="objective", classes=["a", 1, 0])
    yield eq.LinearRegression(1.0, column_bounds=BOUNDS, label_bounds=(-1, 1))
    yield eq.HuberRegressor(1.0, label_bounds=(-1, 1))
    yield eq.SimplexClassifier(1.0)
    yield eq.SimplexRegressor(1.0, label_bounds=(-1, 1), mechanism="frank-wolfe")
    yield DataSplitSearch(eq.LogisticRegression(1.0), GRID)
    yield RandomStopSearch(eq.LogisticRegression(2.0), GRID, mean=3.0)
    yield StablePredictor(1.0)
    yield VotingPredictor(DecisionTreeClassifier(max_depth=2), 1.0, shards=5, n_jobs=1)
    yield eq.HistogramDensity(1.0, bounds=BOUNDS, bins=3)


def run(seed: int, model: Any) -> int:
    """How many doors let the table through."""
    numbers, objects, labels = strange(seed)
    passed = 0
    for X in containers(numbers, objects):
        for door in doors():
            door.fit(X, labels)
            passed += 1
        passed += brier_score(model, X, labels, epsilon=1.0).guarantee is not None
    thin = sparse.csr_array(np.array(numbers))
    eq.LogisticRegression(1.0).fit(thin, labels)
    ThresholdPredictor(1.0).fit([row[:1] for row in objects], labels)
    return passed


@pytest.fixture(scope="module")
def model() -> Any:
    rng = np.random.default_rng(0)
    return eq.LogisticRegression(1.0, random_state=0).fit(rng.normal(size=(50, 3)), rng.integers(0, 2, 50))


@pytest.mark.parametrize("seed", range(3))
def test_a_strange_table_stops_nothing(seed: int, model: Any) -> None:
    assert run(seed, model) == 72


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_more_strange_tables_stop_nothing(seed: int, model: Any) -> None:
    assert run(seed, model) == 72
