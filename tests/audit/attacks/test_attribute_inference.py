"""Attributes guessed without a model, numbers guessed with one, and outcomes that are classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from equipoise.audit import attribute_inference, model_inversion, value_inference, value_inversion
from equipoise.errors import InvalidInput

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Chance that a covering interval misses, in each test that relies on one."""

AGES: Array = np.linspace(20.0, 80.0, 61)


def clinic(count: int, seed: int) -> Array:
    """Age, weight, a gene that goes with weight, and a dose that goes with all."""
    draw = np.random.default_rng(seed)
    age = draw.choice(AGES, size=count)
    gene = draw.integers(3, size=count).astype(float)
    weight = 60 + 8 * gene + 5 * draw.normal(size=count)
    dose = 0.1 * age + 2 * gene + 0.05 * weight + draw.normal(size=count)
    return np.column_stack([age, weight, gene, dose])


PUBLIC, TARGETS = clinic(1500, 1), clinic(1500, 2)
GENES = [[0.0], [1.0], [2.0]]


def test_the_other_columns_tell_something_of_a_gene() -> None:
    found = attribute_inference(PUBLIC[:, :3], TARGETS[:, :3], columns=[2], values=GENES, confidence=1 - FALSE_ALARM)
    assert found.advantage_interval[0] > 0.1
    assert found.best_guess == pytest.approx(1 / 3, abs=0.06)
    assert found.accuracy == pytest.approx(np.dot(found.class_accuracy, found.class_targets) / 1500)
    assert found.targets == 1500


def test_columns_that_know_nothing_give_nothing() -> None:
    found = attribute_inference(
        PUBLIC[:, [0, 2]], TARGETS[:, [0, 2]], columns=[1], values=GENES, learner=LogisticRegression(),
        confidence=1 - FALSE_ALARM,
    )  # fmt: skip
    low, high = found.advantage_interval
    assert low <= 0 <= high


def test_a_model_gives_more_away_than_the_baseline() -> None:
    model = LinearRegression().fit(TARGETS[:, :3], TARGETS[:, 3])
    baseline = attribute_inference(
        PUBLIC[:, :3], TARGETS[:, :3], columns=[2], values=GENES, learner=LogisticRegression()
    )
    prior = LogisticRegression().fit(PUBLIC[:, :2], PUBLIC[:, 2]).predict_proba(TARGETS[:, :2])
    attack = model_inversion(
        model.predict,
        TARGETS[:, :3],
        TARGETS[:, 3],
        columns=[2],
        values=GENES,
        prior=prior / prior.sum(axis=1, keepdims=True),
    )
    assert attack.accuracy_interval[0] > baseline.accuracy_interval[1]


def test_a_number_is_guessed_from_the_other_columns() -> None:
    found = value_inference(PUBLIC, TARGETS, column=0, bounds=(20.0, 80.0), confidence=1 - FALSE_ALARM)
    assert found.gain_interval[0] > 0
    assert found.error < found.best_guess_error == pytest.approx(15.0, abs=1.0)
    blind = value_inference(
        PUBLIC[:, :2],
        TARGETS[:, :2],
        column=0,
        bounds=(20.0, 80.0),
        learner=LinearRegression(),
        confidence=1 - FALSE_ALARM,
    )
    assert blind.gain_interval[0] <= 0 <= blind.gain_interval[1]


def invert(**changes: Any) -> Any:
    model = LinearRegression().fit(PUBLIC[:, :3], PUBLIC[:, 3])
    settings: dict[str, Any] = {"column": 0, "grid": AGES, "prior": np.full(61, 1 / 61), "confidence": 1 - FALSE_ALARM}
    return value_inversion(changes.pop("predict", model.predict), TARGETS[:, :3], TARGETS[:, 3], **(settings | changes))


@pytest.mark.parametrize("errors", ["gaussian", "laplace"])
def test_a_dosing_model_narrows_an_age_down(errors: str) -> None:
    found = invert(errors=errors)
    assert found.gain_interval[0] > 0
    assert found.error < 0.7 * found.best_guess_error
    assert found.width < 0.75 * found.best_guess_width
    assert found.residual_sd == pytest.approx(1.0, rel=0.3)


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_attackers_intervals_hold_as_often_as_believed(level: float) -> None:
    """Right prior, right law, known spread: the posterior is honest, up to the grid's steps."""
    found = invert(level=level, residual_sd=1.0)
    low, high = found.coverage_interval
    assert low - 0.04 <= level <= high
    assert found.coverage >= level - 0.03


def test_a_model_without_the_column_teaches_nothing_about_it() -> None:
    found = invert(predict=lambda rows: np.full(len(rows), 10.0))
    assert found.gain == 0.0
    assert found.width == found.best_guess_width
    assert "best guess without" in str(found)


def test_the_posterior_agrees_with_bayes_rule_by_hand() -> None:
    """Grid 0, 1, 2, even prior, prediction = value, outcome 2, sd 1: weights e^-2, e^-1/2, 1; the median is 2."""
    found = value_inversion(
        lambda rows: rows[:, 0], [[2.0], [0.0]], [2.0, 0.0], column=0, grid=[0.0, 1.0, 2.0],
        prior=[1 / 3, 1 / 3, 1 / 3], residual_sd=1.0, level=0.5,
    )  # fmt: skip
    weights = [math.exp(-2), math.exp(-0.5), 1.0]
    assert weights[2] / sum(weights) > 0.5
    assert found.error == 0.0
    assert found.best_guess_error == 1.0
    assert found.gain == 1.0


def test_a_classifier_with_probabilities_can_be_inverted() -> None:
    draw = np.random.default_rng(0)
    gene = draw.integers(2, size=3000)
    X = np.column_stack([gene, draw.normal(size=3000)]).astype(float)
    y = (draw.random(3000) < 1 / (1 + np.exp(3 - 6 * gene))).astype(int)
    model = LogisticRegression(C=100.0).fit(X, y)
    settings: dict[str, Any] = {"columns": [0], "values": [[0.0], [1.0]], "prior": [0.5, 0.5], "errors": "class"}
    found = model_inversion(model.predict_proba, X, y, confidence=1 - FALSE_ALARM, **settings)
    assert found.accuracy_interval[0] > 0.9
    assert math.isnan(found.residual_sd)
    with pytest.raises(InvalidInput, match="residual_sd: a class has no spread"):
        model_inversion(model.predict_proba, X, y, residual_sd=1.0, **settings)
    with pytest.raises(InvalidInput, match="outcome: must be class numbers, 0 to 1"):
        model_inversion(model.predict_proba, X, y + 1, **settings)
    with pytest.raises(InvalidInput, match="predict: gave shape"):
        model_inversion(model.predict, X, y, **settings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column": 3}, "column=3: must be a column number"),
        ({"grid": [20.0, 20.0]}, "grid: must be two or more numbers in rising order"),
        ({"grid": [20.0, 30.0], "prior": [0.5, 0.5]}, "grid: does not span"),
        ({"prior": [1.0]}, "prior: has shape"),
        ({"level": 1.0}, r"level=1.0: must be in \(0, 1\)"),
        ({"confidence": 0.0}, r"confidence=0.0: must be in \(0, 1\)"),
        ({"errors": "cauchy"}, "errors='cauchy': must be one of gaussian, laplace, class"),
    ],
)
def test_bad_inversions_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        invert(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": []}, "columns: must be different column numbers"),
        ({"columns": [0, 1, 2, 3], "values": [[0.0] * 4]}, "columns: leave at least one other column"),
        ({"values": [[0.0]]}, "X: some rows hold none of `values`"),
        ({"values": [0.0, 1.0, 2.0]}, "values: must have a row for each value"),
        ({"names": ["one"]}, "names: has 1 entries"),
        ({"public": PUBLIC[PUBLIC[:, 2] == 0]}, "public: holds one value of the attribute only"),
        ({"public": PUBLIC[:, :2]}, "public, targets: must be tables with the same columns"),
    ],
)
def test_bad_baselines_are_refused(changes: dict[str, Any], message: str) -> None:
    settings: dict[str, Any] = {"columns": [2], "values": GENES, "learner": LogisticRegression(max_iter=1000)} | changes
    with pytest.raises(InvalidInput, match=message):
        attribute_inference(settings.pop("public", PUBLIC), TARGETS, **settings)


def test_bounds_that_do_not_span_are_refused() -> None:
    with pytest.raises(InvalidInput, match="bounds: must be"):
        value_inference(PUBLIC, TARGETS, column=0, bounds=(30.0, 40.0))
