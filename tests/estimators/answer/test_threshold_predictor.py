"""ThresholdPredictor: thresholds and intervals on one feature, O(log n) a query."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import MechanismRefused
from equipoise.estimators.answer.threshold_predictor import ThresholdPredictor
from equipoise.ledger import Ledger
from equipoise.theory.events import BoundedRangeRelease

Array = npt.NDArray[np.float64]


def table(n: int = 2000) -> tuple[Array, npt.NDArray[np.int64]]:
    X = np.random.default_rng(0).uniform(0, 1, size=(n, 1))
    return X, (X[:, 0] > 0.4).astype(int)


def test_thresholds_are_followed() -> None:
    predictor = ThresholdPredictor(1.0, random_state=0).fit(*table())
    queries = np.random.default_rng(1).uniform(0, 1, size=(500, 1))
    assert predictor.score(queries, queries[:, 0] > 0.4) > 0.93


def test_unions_of_intervals_are_followed_and_the_error_told_holds() -> None:
    X, _ = table(4000)
    y = ((X[:, 0] > 0.1) & (X[:, 0] < 0.3)) | (X[:, 0] > 0.7)
    predictor = ThresholdPredictor(1.0, intervals=2, classes=[False, True], random_state=0).fit(X, y)
    queries = np.random.default_rng(1).uniform(0, 1, size=(2000, 1))[:, 0]
    truth = ((queries > 0.1) & (queries < 0.3)) | (queries > 0.7)
    error = np.mean(predictor.predict(queries[:, None]) != truth)
    told = predictor.guarantee_.constants["expected error at most, if intervals fit all rows"]
    assert told < 0.04
    assert error < told + 4 * math.sqrt(told / 2000)


def test_ties_and_labels_of_any_name_are_taken() -> None:
    X = np.repeat([[1.0], [2.0]], 50, axis=0)
    y = np.repeat(["cold", "warm"], 50)
    predictor = ThresholdPredictor(2.0, classes=["cold", "warm"], random_state=0).fit(X, y)
    assert predictor.predict([[1.5], [2.5]]).tolist() == ["cold", "warm"]


def test_the_ledger_is_charged_with_bounded_range() -> None:
    ledger = Ledger()
    predictor = ThresholdPredictor(0.5, ledger=ledger).fit(*table())
    predictor.predict([[0.1], [0.2], [0.1]])
    assert [entry.event for entry in ledger.entries()] == [BoundedRangeRelease(0.5, steps=2)]
    assert predictor.guarantee_.epsilon == 0.5


def test_several_columns_are_refused_and_composing_is_named() -> None:
    X, y = table()
    with pytest.raises(MechanismRefused, match="one walk per feature must be composed") as told:
        ThresholdPredictor().fit(np.hstack([X, X]), y)
    assert "same ledger" in str(told.value)


def test_walks_on_two_features_with_one_ledger_compose() -> None:
    ledger = Ledger(1.0)
    X, y = table()
    for column in (X, X[::-1]):
        ThresholdPredictor(0.5, ledger=ledger).fit(column, y).predict([[0.3]])
    assert ledger.spent().epsilon == pytest.approx(1.0)


def test_queries_outside_the_bounds_are_those_at_the_bounds() -> None:
    predictor = ThresholdPredictor(1.0, bounds=(0, 1)).fit(*table())
    told = predictor.predict([[0.0], [1.0], [0.5]])
    assert np.array_equal(predictor.predict([[-7.0], [1.001], [np.nan]]), told)
    assert (predictor.last_cost_.new, predictor.last_cost_.repeated) == (0, 3)


def test_rows_outside_the_bounds_are_clipped() -> None:
    X, _ = table()
    predictor = ThresholdPredictor(5.0, bounds=(0, 1), random_state=0).fit(X * 100 - 50, X[:, 0] > 0.5)
    assert predictor.predict([[0.0], [1.0]]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": 0.0}, "epsilon=0.0"),
        ({"accuracy": 0.0}, "accuracy=0.0"),
        ({"intervals": 0}, "intervals=0"),
        ({"bounds": (1, 0)}, "low must be below high"),
        ({"bounds": "wide"}, "must be a pair"),
        ({"classes": [0, 1, 2]}, "two classes"),
        ({"classes": ["a", "b"]}, "holds none of classes="),
    ],
)
def test_bad_parameters_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as told:
        ThresholdPredictor(**given).fit(*table())
    assert "\n" not in str(told.value)


def test_missing_values_stand_in_the_middle() -> None:
    X, y = table()
    spoilt, middle = X.copy(), X.copy()
    spoilt[17], middle[17] = np.nan, 0.5
    asked = np.linspace(0, 1, 200)[:, None]
    made = [ThresholdPredictor(bounds=(0, 1), random_state=0).fit(rows, y) for rows in (spoilt, middle)]
    assert np.array_equal(made[0].predict(asked), made[1].predict(asked))


def test_many_rows_and_many_queries_take_little_time() -> None:
    """A scan of all rows for each query would take minutes.  By the processor's time: others may keep it busy."""
    X = np.random.default_rng(0).normal(size=(200_000, 1))
    started = time.process_time()
    predictor = ThresholdPredictor(1.0).fit(X, (X[:, 0] > 0).astype(int))
    predictor.predict(np.linspace(-3, 3, 100_000)[:, None])
    assert time.process_time() - started < 10
