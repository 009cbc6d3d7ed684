"""Parameters of every kind that nobody meant: told in one line before the debit, by an error of ours, or taken."""

from __future__ import annotations

import inspect
import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.lists.subjects import CALLS, CLASSES, ESTIMATORS, X, fit
from tests.lists.turns import in_turns

import equipoise as eq
from equipoise import answering, tuning
from equipoise.errors import EquipoiseError

SECRET = np.full((40, 3), 0.8765432)

ODD: list[Any] = [
    None, True, -1, 2**63, 10**400, math.nan, math.inf, 5e-324, 1e308, "", "x", b"x", [], {}, (1, 2), set(), object(),
    np.array([]), np.array([1.0, 2.0]), np.array(1.0), 1j, Decimal(1), Fraction(1, 2), [None], int, np.uint8(200),
    np.float32(0.5), (Fraction(-1), Fraction(1)), (0, [1]), [0, [1]], (2, 1), X, Fraction(25), Fraction(1, 10),
    10**6000, 1e-308, pd.NA, pd.NaT, Decimal("Infinity"), "a" * 500, "\0", lambda: 1, eq.Ledger,
    [math.nan, 1], [math.inf, 1], [10**5000, 1], (-math.inf, math.inf),
    SECRET, SECRET.tolist(), pd.DataFrame(SECRET), pd.Series(SECRET[:, 0]), {"a": SECRET},
]  # fmt: skip

CASES = [(kind, name) for kind in ESTIMATORS for name in inspect.signature(kind).parameters if name != "estimator"]
SHARED, TURNS = 10, 4
"""A parameter that so many estimators have meets every value, each of them meets a quarter; others meet them all."""


def tried(kind: Any, name: str) -> list[Any]:
    """What is given to this estimator under this name."""
    kinds = [each for each, other in CASES if other == name]
    return in_turns(ODD, kinds.index(kind), TURNS) if len(kinds) >= SHARED else ODD


def test_every_value_meets_every_parameter_in_several_estimators_and_every_estimator() -> None:
    for odd in range(len(ODD)):
        met = [(kind, name) for kind, name in CASES if any(each is ODD[odd] for each in tried(kind, name))]
        assert {name for _, name in met} == {name for _, name in CASES}
        assert all(len([each for each, name in met if name == shared]) > 1 for shared in ("epsilon", "public_n"))
        assert {kind for kind, _ in met} == set(ESTIMATORS)


def is_free(told: str) -> bool:
    """One line that quotes no table and says that nothing was spent."""
    return (
        "\n" not in told and "0.8765432" not in told and re.search("othing was (computed or )?spent", told) is not None
    )


@pytest.mark.parametrize("call", CALLS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", ["epsilon", "delta", "level", "bins", "public", "estimator", "random_state", "model"])
def test_an_odd_parameter_of_a_call_is_told_in_one_line_before_the_debit_or_taken(call: Any, name: str) -> None:
    if name not in inspect.signature(call).parameters:
        return
    for value in [each for each in (*ODD, 1e-12, 1e-30, 1e-200, 1e300) if each is not None or name != "random_state"]:
        ledger = eq.Ledger()
        settings: dict[str, Any] = {"ledger": ledger, "random_state": 0} | CALLS[call] | {name: value}
        told = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                call(**settings)
            except EquipoiseError as problem:
                told = str(problem)
        assert told is None or (is_free(told) and not ledger.entries()), told


@pytest.mark.parametrize("kind", [eq.LogisticRegression, eq.LinearRegression, eq.HuberRegressor, eq.KernelClassifier])
def test_a_table_in_the_place_of_a_parameter_is_not_quoted(kind: Any) -> None:
    for table in (SECRET, SECRET.tolist(), SECRET[:, 0], pd.DataFrame(SECRET), pl.DataFrame(SECRET)):
        for name in [*inspect.signature(kind).parameters, "n", "d"]:
            told, size = "", {name: table} if name in ("n", "d") else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    kind(**(ESTIMATORS[kind] if size else ESTIMATORS[kind] | {name: table})).plan(
                        **{"n": 40, "d": 2} | size
                    )
                    fit(kind, ESTIMATORS[kind] | {name: table})
                except EquipoiseError as problem:
                    told = str(problem)
            assert "0.8765432" not in told, name
            assert "\n" not in told, name


@pytest.mark.parametrize("number", [Fraction, np.float32, np.float16, np.int8, np.longdouble])
def test_bounds_of_another_type_are_the_doubles_that_they_equal_here_and_in_later_plans(number: Any) -> None:
    settings: dict[str, Any] = {"epsilon": 1.5, "random_state": 0, "row_norm": 3.0}  # of no other test
    odd = eq.LinearRegression(label_bounds=(number(-2), number(5)), **settings).fit(X, X[:, 1])
    usual = eq.LinearRegression(label_bounds=(-2.0, 5.0), **settings).fit(X, X[:, 1])
    assert odd.guarantee_ == usual.guarantee_
    assert odd.coef_.tobytes() == usual.coef_.tobytes()
    for model in (odd, usual):
        assert type(model.plan(40, 2).facts.bounds.label_scale) is float


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_an_odd_parameter_is_told_in_one_line_before_the_debit_or_taken(kind: Any, name: str, tmp_path: Path) -> None:
    for value in tried(kind, name):
        ledger = eq.Ledger(1000.0, 0.5)
        settings = {"ledger": ledger, "random_state": 0} | ESTIMATORS[kind] | {name: value}
        settings = {name: each for name, each in settings.items() if name in inspect.signature(kind).parameters}
        told = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = fit(kind, settings)
            except EquipoiseError as problem:
                told = str(problem)
            else:
                if hasattr(model, "save"):
                    model.save(tmp_path / "what was paid for can be kept")
        assert told is None or (is_free(told) and not ledger.entries()), (type(value), told)


@pytest.mark.parametrize("count", [2**17, 2**63, 10**400])
def test_a_search_that_could_not_end_is_refused_before_the_debit(count: int) -> None:
    ledger = eq.Ledger(1.0)
    search = tuning.StabilitySearch(eq.LogisticRegression(), {"alpha": [0.1, 1.0]}, draws=count, ledger=ledger)
    with pytest.raises(eq.InvalidInput, match="draws: must be at most"):
        search.fit(X, CLASSES)
    assert ledger.entries() == ()


@pytest.mark.parametrize(
    "search", [tuning.StabilitySearch, tuning.BudgetSplitSearch, tuning.DataSplitSearch, tuning.RandomSearch]
)
def test_a_search_says_that_it_takes_rows_as_they_are(search: Any) -> None:
    ledger = eq.Ledger(1.0)
    with pytest.raises(eq.InvalidInput, match="middle="):
        search(eq.LogisticRegression(middle="auto"), {"alpha": [0.1, 1.0]}, ledger=ledger).fit(X, CLASSES)
    assert ledger.entries() == ()


def test_advice_for_more_questions_than_anybody_asks_is_refused() -> None:
    predictor = answering.StablePredictor(0.1, ledger=eq.Ledger(1.0)).fit(X, CLASSES)
    with pytest.raises(eq.InvalidInput, match="k: must be at most"):
        predictor.compare_with_release(10**400)
