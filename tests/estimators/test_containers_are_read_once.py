"""A container is read once, before the debit: what it would say later changes nothing and is no error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.answering import StablePredictor, VotingPredictor
from equipoise.estimators.calibration import reliability_curve
from equipoise.tuning import BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch

Array = npt.NDArray[np.float64]

RNG = np.random.default_rng(3)
X: Array = RNG.normal(size=(120, 2)) / 2
Y = (X[:, 0] > 0).astype(np.int64)
GRID = {"alpha": [0.1, 1.0]}


class Once:
    """Gives its table a single time; then it is another one, shorter and of words."""

    def __init__(self, table: npt.NDArray[Any]) -> None:
        self.shape = table.shape
        self.tables = [table]

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return self.tables.pop() if self.tables else np.array([["secret-7"]])


def compared(table: Any, labels: Any) -> Any:
    asked = StablePredictor(0.5, 1e-6, ledger=eq.Ledger(5.0, 1e-5)).fit(X, Y)
    return asked.compare_with_release(
        100, train=(table, labels), held_out=(Once(X), Once(Y)), charge=(2.0, 1e-6), model=eq.LogisticRegression()
    )


def searched(kind: Any) -> Callable[[Any, Any], Any]:
    return lambda table, labels: kind(eq.LogisticRegression(2.0), GRID).fit(table, labels)


ENTRANCES: dict[str, Callable[[Any, Any], Any]] = {
    "classifier": lambda table, labels: eq.LogisticRegression().fit(table, labels),
    "regressor": lambda table, labels: eq.LinearRegression(label_bounds=(0, 1), column_bounds=[(-1, 1)] * 2).fit(
        table, labels
    ),
    "density": lambda table, labels: eq.HistogramDensity(bins=4, bounds=[(-1, 1)] * 2).fit(table),
    "stability": searched(StabilitySearch),
    "data split": searched(DataSplitSearch),
    "budget split": searched(BudgetSplitSearch),
    "random": searched(RandomSearch),
    "random stop": searched(RandomStopSearch),
    "votes": lambda table, labels: VotingPredictor(DecisionTreeClassifier(), 1.0, shards=4).fit(table, labels),
    "answers": lambda table, labels: StablePredictor(1.0).fit(table, labels),
    "comparison": compared,
    "calibration": lambda table, labels: (
        reliability_curve(eq.LogisticRegression().fit(X, Y), table, labels, epsilon=1.0).brier
    ),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_nobody_is_asked_a_second_time(entrance: str) -> None:
    given, labels = Once(X), Once(Y)
    failed = ""
    try:
        ENTRANCES[entrance](given, labels)
    except Exception as error:  # noqa: BLE001 - any of them is heard by the caller
        failed = type(error).__name__
    assert not failed
    assert not given.tables, "was not read at all"
