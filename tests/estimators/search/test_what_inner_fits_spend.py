"""What a search debits pays for what its inner fits plan, whatever mechanism "auto" finds for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import equipoise as eq
from equipoise import tuning
from equipoise.estimators.linear import base
from equipoise.ledger import Ledger
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.events import Event

RNG = np.random.default_rng(0)
N = 4000
X = RNG.normal(size=(N, 6)) / 40
SCORES = X[:, 0] * 40 + 0.3 * RNG.normal(size=N)

MODELS: dict[str, Any] = {
    "two classes": lambda: eq.LogisticRegression(2.0, 1e-6, classes=[0, 1]),
    "three classes": lambda: eq.LogisticRegression(2.0, 1e-6, classes=[0, 1, 2]),
    "support vectors": lambda: eq.LinearSVC(2.0, 1e-6, classes=[0, 1]),
    "numbers": lambda: eq.LinearRegression(2.0, 1e-6, label_bounds=(-30, 30)),
    "numbers, pure": lambda: eq.LinearRegression(2.0, label_bounds=(-30, 30)),
}


def labels_of(model: Any) -> Any:
    if not hasattr(model, "classes"):
        return SCORES
    return np.digitize(SCORES, [0] if len(model.classes) == 2 else [-0.5, 0.5])


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every plan that is fitted, in turn."""
    found: list[Any] = []
    made = vars(base)["release"]

    def noted(enter: Any, plan: Any, *more: Any) -> Any:
        found.append(plan)
        return made(enter, plan, *more)

    monkeypatch.setattr(base, "release", noted)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_one_candidate_spends_the_event_that_was_debited(name: str, planned: list[Any]) -> None:
    ledger = Ledger()
    model = MODELS[name]()
    search = tuning.StabilitySearch(model, {"mechanism": ["auto"]}, ledger=ledger, random_state=0)
    search.fit(X, labels_of(model))
    (entry,) = ledger.entries()
    assert [plan.event for plan in planned] == [entry.event]


@pytest.mark.filterwarnings("ignore::equipoise.tuning.NoisyChoice")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("candidates", [["auto"], ["auto", "output"]], ids=str)
@pytest.mark.parametrize("kind", [tuning.StabilitySearch, tuning.DataSplitSearch, tuning.BudgetSplitSearch])
def test_inner_fits_cost_no_more_than_the_search(
    kind: Any, candidates: list[str], name: str, planned: list[Any]
) -> None:
    """Fits on parts of the rows cost the dearest of them; those on all of them cost their sum."""
    ledger, model = Ledger(), MODELS[name]()
    kind(model, {"mechanism": candidates}, ledger=ledger, random_state=0).fit(X, labels_of(model))
    (entry,) = ledger.entries()
    for delta in (1e-9, 1e-6, 1e-3):
        paid = total_spent([entry.event], delta).epsilon
        together: list[list[Event]] = [[plan.event] for plan in planned]
        if kind is tuning.BudgetSplitSearch:
            together = [[plan.event for plan in planned]]
        for events in together:
            assert total_spent(events, delta).epsilon <= paid * (1 + 1e-9)
    assert all(plan.length is None and plan.labels is None for plan in planned)
