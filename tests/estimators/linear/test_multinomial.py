"""More than two classes, fitted jointly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq

WORDS = ["ash", "birch", "cedar", "dogwood"]
MECHANISMS = ["output", "objective", "noisy-gradient"]


def corners(classes: int, n: int = 400) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]:
    """One direction per class, and a little noise."""
    rng = np.random.default_rng(classes)
    index = rng.integers(0, classes, n)
    return np.eye(classes)[index] + rng.normal(scale=0.1, size=(n, classes)), np.array(WORDS)[index]


@pytest.mark.parametrize("classes", [3, 4])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_classes_are_learnt_and_probabilities_add_up(classes: int, mechanism: str) -> None:
    X, y = corners(classes)
    model = eq.LogisticRegression(30.0, 1e-6, mechanism=mechanism, classes=WORDS[:classes], random_state=0).fit(X, y)
    assert model.coef_.shape == (classes, classes)
    assert np.shape(model.intercept_) == (classes,)
    assert model.classes_.tolist() == WORDS[:classes]
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert (np.array(WORDS)[probabilities.argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_coefficients_of_the_classes_sum_to_zero(mechanism: str) -> None:
    model = eq.LogisticRegression(1.0, 1e-6, mechanism=mechanism, classes=WORDS, random_state=0).fit(*corners(4))
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-9)
    assert abs(np.sum(model.intercept_)) < 1e-9
    assert model.guarantee_.constants["released numbers"] == 3 * 5


def test_a_class_that_no_record_has_is_still_there() -> None:
    X, y = corners(3)
    model = eq.LogisticRegression(30.0, classes=WORDS, random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (400, 4)
    assert "dogwood" not in set(model.predict(X))


def test_logarithms_of_probabilities_agree() -> None:
    X, y = corners(3)
    model = eq.LogisticRegression(1.0, classes=WORDS[:3]).fit(X, y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_two_observed_classes_are_binary() -> None:
    X, y = corners(2)
    assert eq.LogisticRegression(classes="observed").fit(X, y).coef_.shape == (1, 2)


def test_order_of_the_list_only_permutes_the_answer() -> None:
    X, y = corners(3)
    back: Any = eq.LogisticRegression(30.0, classes=WORDS[2::-1], random_state=0).fit(X, y)
    assert back.classes_.tolist() == WORDS[2::-1]
    assert back.score(X, y) > 0.95
