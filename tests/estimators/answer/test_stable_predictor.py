"""Private answers from regularised risk: what they are worth, what they share, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.base import is_classifier, is_regressor

from equipoise.answering import StablePredictor
from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.ledger import Ledger

Array = npt.NDArray[np.float64]
REGRESSION = ["squared", "huber", "absolute"]


def table(rows: int = 4000) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 5)) / 3
    return X, X[:, 0] - X[:, 1] + rng.normal(size=rows) / 10


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_classes_are_told_well_at_a_moderate_price(loss: str, delta: float) -> None:
    X, lean = table()
    y = np.where(lean > 0, "yes", "no")
    predictor = StablePredictor(1.0, delta, loss=loss, classes=["no", "yes"], random_state=0).fit(X, y)
    told = predictor.predict(X[:400])
    assert np.mean(told == y[:400]) > 0.85
    assert list(predictor.classes_) == ["no", "yes"]
    assert is_classifier(predictor)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("loss", REGRESSION)
def test_numbers_are_told_in_the_labels_units_and_within_their_bounds(loss: str, delta: float) -> None:
    X, lean = table()
    y = 100 + 30 * lean
    predictor = StablePredictor(1.0, delta, loss=loss, label_bounds=(40.0, 160.0), random_state=0).fit(X, y)
    told = predictor.predict(X[:400])
    assert np.mean((told - y[:400]) ** 2) < 0.5 * np.var(y[:400])
    assert told.min() >= 40
    assert told.max() <= 160
    assert is_regressor(predictor)


def test_more_budget_brings_answers_closer_to_the_exact_ones() -> None:
    X, lean = table()
    errors = []
    for epsilon in (0.01, 10.0):
        predictor = StablePredictor(epsilon, loss="huber", alpha=0.05, label_bounds=(-1, 1), random_state=1).fit(
            X, np.clip(lean, -1, 1)
        )
        errors.append(np.std(predictor.predict(X[:300]) - np.clip(lean[:300], -1, 1)))
    assert errors[1] < 0.5 * errors[0]


def test_one_noisy_score_stands_behind_every_way_of_asking() -> None:
    X, lean = table(500)
    ledger = Ledger()
    predictor = StablePredictor(0.2, ledger=ledger, random_state=0).fit(X, (lean > 0).astype(int))
    scores = predictor.decision_function(X[:50])
    assert np.array_equal(predictor.predict(X[:50]), (scores > 0).astype(int))
    assert np.allclose(predictor.predict_proba(X[:50])[:, 1], expit(scores))
    assert predictor.predict_proba(X[0]).shape == (2,)
    assert len(ledger.entries()) == 1


def test_long_queries_are_clipped_as_rows_were() -> None:
    """Beyond the row norm only the direction counts, and a short query gets less noise."""
    X, lean = table(2000)
    predictor = StablePredictor(2.0, fit_intercept=False, alpha=0.05, random_state=0).fit(X, (lean > 0).astype(int))
    heading = np.array([1.0, -1.0, 0.0, 0.0, 0.0])
    assert np.ptp(predictor.decision_function(2.0 ** np.arange(2, 11)[:, None] * heading)) < 1e-9  # one query
    aside = np.array([0.0, 0.0, 1e-6, 0.0, 0.0]) * np.arange(4000)[:, None]
    long = predictor.decision_function(3 * heading + aside)
    short = predictor.decision_function(np.linspace(0.001, 0.0010001, 4000)[:, None] * heading)
    assert np.median(long) == pytest.approx(np.median(long[:2000]), rel=0.2)
    assert np.std(short) < 0.02 * np.std(long)


def test_the_dimension_does_not_enter_the_noise() -> None:
    rng = np.random.default_rng(0)
    scales = []
    for columns in (2, 500):
        X = rng.normal(size=(200, columns))
        y = rng.integers(2, size=200)
        scales.append(StablePredictor(alpha=0.1, random_state=0).fit(X, y).guarantee_.noise_scale)
    assert scales[1] == pytest.approx(scales[0], rel=1e-6)


def test_sparse_training_rows_are_taken_and_sparse_queries_refused() -> None:
    X, lean = table(300)
    predictor = StablePredictor(random_state=0).fit(csr_array(X), (lean > 0).astype(int))
    dense = StablePredictor(random_state=0).fit(X, (lean > 0).astype(int))
    assert np.allclose(predictor.decision_function(X[:20]), dense.decision_function(X[:20]), rtol=1e-3, atol=1e-3)
    with pytest.raises(InvalidInput, match="toarray"):
        predictor.predict(csr_array(X))


def test_gaussian_answers_compose_better_over_many() -> None:
    X, lean = table(300)
    y = (lean > 0).astype(int)
    pure = StablePredictor(0.1, ledger=Ledger(5.0, 1e-6), random_state=0).fit(X, y)
    mixed = StablePredictor(0.1, 1e-6, ledger=Ledger(5.0, 1e-6), random_state=0).fit(X, y)
    assert mixed.cost_of(1000).epsilon < 100 * 0.1
    assert pure.cost_of(1000).epsilon < 100
    assert mixed.queries_left() > 1000


def test_a_fresh_seedless_predictor_is_private_and_a_seeded_one_says_it_is_not() -> None:
    X, lean = table(300)
    y = (lean > 0).astype(int)
    assert StablePredictor().fit(X, y).guarantee_.private
    assert not StablePredictor(random_state=0).fit(X, y).guarantee_.private


def test_the_corollarys_ridge_needs_the_norm_of_good_coefficients() -> None:
    X, lean = table(300)
    y = (lean > 0).astype(int)
    with pytest.raises(BoundsRequired, match="coef_norm"):
        StablePredictor(alpha="corollary").fit(X, y)
    guarantee = StablePredictor(alpha="corollary", coef_norm=3.0).fit(X, y).guarantee_
    assert guarantee.constants["alpha"] > 0


@pytest.mark.parametrize(
    ("given", "error", "word"),
    [
        ({"epsilon": 0.0}, InvalidInput, "epsilon"),
        ({"delta": 1.0}, InvalidInput, "delta"),
        ({"loss": "ramp"}, InvalidInput, "loss"),
        ({"loss": "smoothed_hinge"}, InvalidInput, "loss"),
        ({"alpha": -1.0}, InvalidInput, "alpha"),
        ({"alpha": "best"}, InvalidInput, "alpha"),
        ({"row_norm": 0.0}, InvalidInput, "row_norm"),
        ({"fit_intercept": "yes"}, InvalidInput, "fit_intercept"),
        ({"loss": "huber", "label_bounds": 3}, InvalidInput, "label_bounds"),
        ({"loss": "huber", "label_bounds": (1.0, 0.0)}, InvalidInput, "label_bounds"),
        ({"coef_norm": 0.0}, InvalidInput, "coef_norm"),
        ({"classes": [0, 1, 2]}, MechanismRefused, "VotingPredictor"),
        ({"classes": [0]}, InvalidInput, "classes"),
        ({"random_state": "x"}, InvalidInput, "random_state"),
    ],
)
def test_bad_parameters_are_named(given: dict[str, Any], error: type[Exception], word: str) -> None:
    X, lean = table(50)
    with pytest.raises(error, match=word) as caught:
        StablePredictor(**given).fit(X, (lean > 0).astype(int))
    assert "\n" not in str(caught.value)


def test_strange_records_are_no_error() -> None:
    X, lean = table(50)
    y = (lean > 0).astype(int)
    spoilt, settled = X.copy(), X.copy()
    spoilt[3, 1], settled[3, 1] = np.nan, 0.0
    strange, first = y.copy(), y.copy()
    strange[4], first[4] = 123456, 0
    made = [StablePredictor(random_state=0).fit(*each) for each in ((spoilt, strange), (settled, first))]
    assert np.array_equal(made[0].predict(X), made[1].predict(X))


def test_what_does_not_apply_is_refused() -> None:
    X, lean = table(50)
    with pytest.raises(InvalidInput, match="predict_proba"):
        StablePredictor(loss="hinge").fit(X, (lean > 0).astype(int)).predict_proba(X)
    with pytest.raises(InvalidInput, match="decision_function"):
        StablePredictor(loss="squared", label_bounds=(-1, 1)).fit(X, lean).decision_function(X)


def test_a_hundred_thousand_answers_are_priced_at_once() -> None:
    X, lean = table(200)
    predictor = StablePredictor(0.01, ledger=Ledger(10.0, 1e-6), random_state=0).fit(X, (lean > 0).astype(int))
    cost = predictor.predict(np.random.default_rng(0).normal(size=(100_000, 5)), explain_cost=True)
    assert cost.new == 100_000
    assert cost.epsilon < 1000
