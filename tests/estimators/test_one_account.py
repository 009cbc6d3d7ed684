"""Steps that pay from another account than the model behind them: the model's account would not show the total."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline

import equipoise as eq
from equipoise.errors import InvalidInput, PrivacyWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)) / 2
Y = (X[:, 0] > 0).astype(int)


def model(ledger: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(1.0, ledger=ledger, random_state=0)


def selectors(ledger: Any) -> list[Any]:
    peeling = eq.PeelingSelector(2, 3.0, ledger=ledger, random_state=0)
    kept = eq.FeatureSelector(eq.LogisticRegression(3.0, mechanism="output", ledger=ledger, random_state=0))
    return [peeling, kept]


@pytest.mark.parametrize("place", [0, 1])
def test_a_step_with_another_account_is_named(place: int) -> None:
    for other in (None, eq.Ledger(10.0)):
        step = selectors(other)[place]
        with pytest.warns(PrivacyWarning, match=f"{type(step).__name__} in a Pipeline pays from another account"):
            make_pipeline(step, model(eq.Ledger(10.0))).fit(X, Y)


@pytest.mark.parametrize("place", [0, 1])
def test_a_step_with_the_same_account_is_not(place: int) -> None:
    ledger = eq.Ledger(10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        make_pipeline(selectors(ledger)[place], model(ledger)).fit(X, Y)
    assert ledger.spent().epsilon == pytest.approx(4.0)


def test_a_step_inside_another_is_found() -> None:
    columns = ColumnTransformer([("some", selectors(None)[0], [0, 1, 2])])
    with pytest.warns(PrivacyWarning, match="another account"):
        make_pipeline(columns, model(eq.Ledger(10.0))).fit(X, Y)


def test_words_for_tasks_in_a_list_are_refused_before_the_debit() -> None:
    """They would count as missing, and the budget be spent on rows without a task; the same for every list."""
    ledger, rows = eq.Ledger(1.0), [["a", *row] for row in X.tolist()]
    asked = eq.MultiTaskRegressor(1.0, tasks=["a", "b"], task_column=0, label_bounds=(0, 1), ledger=ledger)
    with pytest.raises(InvalidInput, match="not from lists"):
        asked.fit(rows, Y)
    assert ledger.spent().epsilon == 0
