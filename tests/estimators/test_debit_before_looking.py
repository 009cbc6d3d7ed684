"""Nothing is looked at before it is paid for: an empty account stops a fit at once, a crash leaves the entry spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import SPENT
from equipoise.tuning import BudgetSplitSearch, DataSplitSearch, RandomSearch, StabilitySearch

GRID = {"alpha": [0.1, 1.0]}
LINEAR = "equipoise.estimators.linear.entrance.enter"
SEARCH = "equipoise.estimators.search"

LOOKS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a classifier": (lambda ledger: eq.LogisticRegression(ledger=ledger), LINEAR),
    "a regressor": (lambda ledger: eq.LinearRegression(ledger=ledger, label_bounds=(-1, 1)), LINEAR),
    "data split": (lambda ledger: DataSplitSearch(eq.LogisticRegression(), GRID, ledger=ledger), LINEAR),
    "budget split": (lambda ledger: BudgetSplitSearch(eq.LogisticRegression(), GRID, ledger=ledger), LINEAR),
    "random": (lambda ledger: RandomSearch(eq.LogisticRegression(), GRID, ledger=ledger), LINEAR),
    "stability": (
        lambda ledger: StabilitySearch(eq.LogisticRegression(), GRID, ledger=ledger),
        f"{SEARCH}.far_rows.enter",
    ),
    "few columns": (
        lambda ledger: eq.SimplexClassifier(ledger=ledger),
        "equipoise.estimators.simplex.base.enter_mixtures",
    ),
    "a density": (
        lambda ledger: eq.HistogramDensity(bins=4, bounds=[(-1, 1), (-1, 1)], ledger=ledger),
        "equipoise.estimators.density.histogram_density.enter_points",
    ),
}
"""How to make one, and where its records enter."""


class Crash(Exception):
    """In the middle of a fit."""


@pytest.mark.filterwarnings("ignore::UserWarning")  # so few rows choose noisily
@pytest.mark.parametrize("name", LOOKS)
def test_records_enter_after_the_debit_and_a_crash_stays_paid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, entrance = LOOKS[name]

    def crash(*_: Any, **named: Any) -> None:
        raise Crash

    monkeypatch.setattr(entrance, crash)
    X, y = np.tile(np.eye(2), (100, 1)), np.tile([0, 1], 100)
    empty, full = eq.Ledger(0.5), eq.Ledger(5.0)
    with pytest.raises(eq.BudgetExhausted):
        make(empty).fit(X, y)
    assert empty.entries() == ()
    with pytest.raises(Crash) as told:
        make(full).fit(X, y)
    assert told.value.__notes__ == [SPENT]
    assert [record.state for record in full.entries()] == ["reserved"]
