"""Private answers from one pass of gradient steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array

from equipoise.answering import SGDPredictor
from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.inside import Private
from equipoise.inside.answers.sgd import one_pass
from equipoise.inside.design import design_from
from equipoise.inside.records import Records
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Squared

Array = npt.NDArray[np.float64]


def table(rows: int = 4000) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4)) / 3
    return X, X[:, 0] - X[:, 1] + rng.normal(size=rows) / 10


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("loss", ["logistic", "smoothed_hinge"])
def test_classes_are_told_well_at_a_moderate_price(loss: str, delta: float) -> None:
    X, lean = table()
    y = np.where(lean > 0, 1, -1)
    predictor = SGDPredictor(1.0, delta, loss=loss, classes=[-1, 1], random_state=0).fit(X, y)
    assert np.mean(predictor.predict(X[:400]) == y[:400]) > 0.8


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_numbers_are_told_in_the_labels_units(loss: str) -> None:
    X, lean = table()
    y = 100 + 30 * lean
    predictor = SGDPredictor(2.0, loss=loss, label_bounds=(40.0, 160.0), random_state=0).fit(X, y)
    assert np.mean((predictor.predict(X[:400]) - y[:400]) ** 2) < 0.7 * np.var(y[:400])


@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(), Squared(), Huber(0.5)], ids=lambda loss: loss.name)
def test_one_pass_is_the_slow_obvious_average(loss: Loss) -> None:
    X, lean = table(150)
    labels = np.sign(lean)
    records = Records(design_from(X, 1.0, 0.5), labels)
    matrix, step, ball = records.design.matvec(np.eye(5)), 0.3, 0.4
    w, visited = np.zeros(5), []
    for row, label in zip(matrix, labels, strict=True):
        visited.append(w)
        slope = float(loss.slope(np.array([row @ w]), np.array([label]))[0])
        w = w - step * slope * row
        w = w * min(1.0, ball / max(float(np.linalg.norm(w)), 1e-300))
    found = one_pass(Private(records), loss, step, ball).reveal()
    assert np.allclose(found, np.mean(visited, axis=0), atol=1e-14)


def test_sparse_rows_give_the_same_average() -> None:
    X, lean = table(150)
    thin, thick = (Records(design_from(store, 1.0, 0.5), np.sign(lean)) for store in (csr_array(X), X))
    pair = [one_pass(Private(records), Logistic(), 0.1, 1.0).reveal() for records in (thin, thick)]
    assert np.allclose(pair[0], pair[1], atol=1e-14)


def test_the_order_of_rows_matters_and_is_the_tables_own() -> None:
    """The guarantee speaks of a fixed order, so the pass must not shuffle."""
    X, lean = table(60)
    labels = np.sign(lean)
    forward, backward = (
        one_pass(Private(Records(design_from(X[order], 1.0, 0.0), labels[order])), Logistic(), 1.0, 5.0).reveal()
        for order in (np.arange(60), np.arange(60)[::-1])
    )
    assert not np.allclose(forward, backward, atol=1e-6)


def test_a_step_that_is_too_long_is_refused_and_the_longest_is_named() -> None:
    X, lean = table(60)
    with pytest.raises(MechanismRefused, match=r"step_size=50\.0: must be at most 6\.4"):
        SGDPredictor(step_size=50.0).fit(X, (lean > 0).astype(int))
    taken = SGDPredictor(step_size=6.3).fit(X, (lean > 0).astype(int)).guarantee_.constants["step size"]
    assert taken == 6.3


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"loss": "hinge"}, "loss"),
        ({"loss": "absolute"}, "loss"),
        ({"step_size": 0.0}, "step_size"),
        ({"step_size": "fast"}, "step_size"),
        ({"coef_norm": -1.0}, "coef_norm"),
        ({"epsilon": "1"}, "epsilon"),
    ],
)
def test_bad_parameters_are_named(given: dict[str, Any], word: str) -> None:
    X, lean = table(50)
    with pytest.raises(InvalidInput, match=word):
        SGDPredictor(**given).fit(X, (lean > 0).astype(int))
