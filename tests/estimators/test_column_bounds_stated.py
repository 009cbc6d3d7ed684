"""Ranges of columns for all alike, one after the other, or by place or name: in linear and in additive models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest

import equipoise as eq
from equipoise import tuning
from equipoise.not_private import check_values

Array = npt.NDArray[np.float64]

N = 600
RANGES = {"age": (0, 120), "dose": (0, 10), "size": (-1, 1)}
LISTED = list(RANGES.values())


def table() -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(N, 3)) * [120, 10, 2] - [0, 0, 1]
    return X, (X[:, 0] / 120 + X[:, 1] / 10 + rng.normal(0, 0.3, N) > 1).astype(float)


def frame() -> pd.DataFrame:
    return pd.DataFrame(table()[0], columns=list(RANGES))


FORMS: dict[str, Any] = {
    "by name": RANGES,
    "by name, in another order": dict(reversed(RANGES.items())),
    "by place": dict(enumerate(LISTED)),
    "by both": {"age": (0, 120), 1: (0, 10), np.int64(2): (-1, 1)},
    "rows of an array": np.array(LISTED, dtype=float),
}

KINDS: dict[str, Callable[..., Any]] = {
    "logistic": lambda **more: eq.LogisticRegression(1.0, 1e-6, random_state=0, **more),
    "hinge": lambda **more: eq.LinearSVC(1.0, random_state=0, **more),
    "numbers": lambda **more: eq.LinearRegression(1.0, label_bounds=(0, 1), random_state=0, **more),
    "net": lambda **more: eq.ElasticNet(1.0, label_bounds=(0, 1), random_state=0, **more),
    "kernel": lambda **more: eq.KernelClassifier(1.0, random_state=0, **more),
    "ranker": lambda **more: eq.PairwiseRanker(1.0, random_state=0, **more),
    "shapes": lambda **more: eq.AdditiveClassifier(1.0, random_state=0, **more),
}


def released(kind: str, column_bounds: Any, X: Any = None) -> Array:
    """The numbers that a fit lets out."""
    model = KINDS[kind](column_bounds=column_bounds).fit(frame() if X is None else X, table()[1]).model_
    return np.append(np.ravel(model.coef), np.ravel(model.intercept))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_of_stating_ranges_is_the_same_fit(kind: str, form: str) -> None:
    np.testing.assert_array_equal(released(kind, FORMS[form]), released(kind, LISTED))


@pytest.mark.parametrize("kind", KINDS)
def test_one_pair_is_the_range_of_every_column(kind: str) -> None:
    for one in ((-1, 120), [-1.0, 120.0], np.array([-1, 120])):
        plan, other = (KINDS[kind](column_bounds=each).plan(N, 3) for each in (one, [(-1, 120)] * 3))
        assert plan == other


def test_two_pairs_are_those_of_two_columns_and_two_numbers_one_pair() -> None:
    both, pair = (eq.LogisticRegression(column_bounds=each).plan(N, 2) for each in ([(0, 1), (0, 2)], (0, 2)))
    assert both.facts.bounds.columns == ((0.0, 1.0), (0.0, 2.0))
    assert pair.facts.bounds.columns == ((0.0, 2.0), (0.0, 2.0))


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_refused_for_a_table_without_names_before_anything_is_spent(kind: str) -> None:
    ledger = eq.Ledger(9.0)
    with pytest.raises(eq.InvalidInput, match="no column names"):
        KINDS[kind](column_bounds=RANGES, ledger=ledger).fit(*table())
    assert not ledger.entries()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_counted_by_guessed_columns(kind: str) -> None:
    """Names were taken in the order in which they were mentioned: what a fit refuses was counted, and charged."""
    ledger, given = eq.Ledger(9.0), KINDS[kind](column_bounds=RANGES)
    for count in (partial(eq.count_clipped, epsilon=1.0, ledger=ledger), check_values):
        with pytest.raises(eq.InvalidInput, match="no column names"):
            count(given, *table())
    assert not ledger.entries()


BAD: list[tuple[Any, type[eq.EquipoiseError], str]] = [
    ({"age": (0, 120), "dose": (0, 10)}, eq.BoundsRequired, "column"),
    ({"age": (0, 120), "dose": (0, 10), "height": (0, 1)}, eq.InvalidInput, "no column is called"),
    ({0: (0, 120), "age": (0, 10), 2: (0, 1)}, eq.InvalidInput, "one column twice"),
    ({0: (0, 120), 1: (0, 10), 3: (0, 1)}, eq.InvalidInput, "3 is no column"),
    ({0: (0, 120), 1: (0, 10), 1.5: (0, 1)}, eq.InvalidInput, "is no column"),
    ({"age": 7, "dose": (0, 10), "size": (-1, 1)}, eq.InvalidInput, "column_bounds"),
    ([(0, 1)] * 4, eq.InvalidInput, "each of the 3 columns"),
    ((1, 0), eq.InvalidInput, "below"),
    ("ages", eq.InvalidInput, "column_bounds"),
    (3, eq.InvalidInput, "column_bounds"),
]


@pytest.mark.parametrize(("wrong", "kind", "told"), BAD, ids=[f"{place}" for place in range(len(BAD))])
@pytest.mark.parametrize("model", KINDS)
def test_what_is_no_range_of_each_column_is_one_line_and_free(model: str, wrong: Any, kind: Any, told: str) -> None:
    ledger = eq.Ledger(9.0)
    with pytest.raises(kind, match=told) as caught:
        KINDS[model](column_bounds=wrong, ledger=ledger).fit(frame(), table()[1])
    assert "\n" not in str(caught.value)
    assert not ledger.entries()


@pytest.mark.filterwarnings("ignore::equipoise.tuning.NoisyChoice")
def test_a_search_fits_its_candidates_in_the_ranges_of_the_names() -> None:
    turned = dict(reversed(RANGES.items()))
    for search in (tuning.DataSplitSearch, tuning.StabilitySearch, tuning.BudgetSplitSearch):
        chosen = [
            search(KINDS["logistic"](column_bounds=each), {"alpha": [0.01, 0.1]}, random_state=0).fit(*known)
            for each, known in ((turned, (frame(), table()[1])), (LISTED, table()))
        ]
        by_name, by_place = (each.best_estimator_ for each in chosen)
        np.testing.assert_array_equal(by_name.coef_, by_place.coef_)


def test_a_search_over_a_table_without_names_refuses_names() -> None:
    search = tuning.DataSplitSearch(KINDS["logistic"](column_bounds=RANGES), {"alpha": [0.01, 0.1]})
    with pytest.raises(eq.InvalidInput, match="no column names"):
        search.fit(*table())


def test_a_missing_cell_in_a_search_counts_as_the_middle_of_its_named_range() -> None:
    holed, filled = frame(), frame()
    holed.loc[:99, "age"], filled.loc[:99, "age"] = np.nan, 60.0
    found = [
        tuning.DataSplitSearch(KINDS["logistic"](column_bounds=RANGES), {"alpha": [0.01, 0.1]}, random_state=0)
        .fit(each, table()[1])
        .best_estimator_.coef_
        for each in (holed, filled)
    ]
    np.testing.assert_array_equal(found[0], found[1])


def test_a_task_column_needs_no_range_and_others_are_named() -> None:
    X, y = table()
    tasks = pd.DataFrame(X, columns=list(RANGES)).assign(ward=np.arange(N) % 2)[["age", "ward", "dose", "size"]]
    found = [
        eq.MultiTaskRegressor(
            1.0, tasks=[0, 1], task_column="ward", label_bounds=(0, 1), column_bounds=each, random_state=0
        )
        .fit(tasks, y)
        .coef_
        for each in (LISTED, dict(reversed(RANGES.items())))
    ]
    np.testing.assert_array_equal(found[0], found[1])


def test_peeling_clipped_counts_and_values_take_names_too() -> None:
    X, y = table()
    chosen = [
        eq.PeelingSelector(1, 1.0, column_bounds=each, random_state=0).fit(frame(), y).chosen_.tolist()
        for each in (RANGES, LISTED)
    ]
    assert chosen[0] == chosen[1]
    wide = frame().assign(age=lambda held: held["age"] * 2)
    model = eq.LogisticRegression(column_bounds=dict(reversed(RANGES.items())))
    assert check_values(model, wide, y).cells_outside_column_bounds == int(np.sum(X[:, 0] > 60))
    assert eq.count_clipped(model, wide, y, epsilon=100.0, random_state=0).share_of_rows == pytest.approx(
        np.mean(X[:, 0] > 60), abs=0.02
    )


def test_frames_of_other_libraries_are_named_alike() -> None:
    of_polars = pl.DataFrame({name: table()[0][:, place] for place, name in enumerate(RANGES)})
    turned = dict(reversed(RANGES.items()))
    np.testing.assert_array_equal(released("logistic", turned, of_polars), released("logistic", LISTED))


def test_a_plan_before_the_table_takes_names_in_any_order() -> None:
    plan, other = (eq.LogisticRegression(column_bounds=each).plan(N, 3) for each in (RANGES, LISTED))
    assert plan == other
    with pytest.raises(eq.InvalidInput, match="names 3 of 4 columns"):
        eq.LogisticRegression(column_bounds=RANGES).plan(N, 4)
