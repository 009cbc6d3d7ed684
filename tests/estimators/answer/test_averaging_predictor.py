"""AveragingPredictor: numbers with noise, classes by a coin, bounds that must be given."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equipoise.errors import BoundsRequired, InvalidInput, MechanismRefused
from equipoise.estimators.answer.averaging_predictor import AverageAnswers, AveragingPredictor
from equipoise.inside.answers.shards import MEAN_BITS, Says, sums
from equipoise.ledger import Ledger
from equipoise.theory.events import GaussianRelease, PureRelease

Array = npt.NDArray[np.float64]


def table(n: int = 1000) -> tuple[Array, Array]:
    X = np.random.default_rng(0).uniform(0, 1, size=(n, 2))
    return X, 10 * X[:, 0]


@pytest.mark.parametrize("delta", [0.0, 1e-6], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("estimator", [LinearRegression(), DecisionTreeRegressor(max_depth=4)], ids=["linear", "tree"])
def test_numbers_come_near_the_truth_and_stay_within_bounds(estimator: Any, delta: float) -> None:
    predictor = AveragingPredictor(estimator, 2.0, delta, bounds=(0, 10), random_state=0).fit(*table(4000))
    X, truth = table(200)
    told = predictor.predict(X)
    assert np.abs(told - truth).mean() < 1.0
    assert told.min() >= 0
    assert told.max() <= 10


def test_noise_shrinks_with_the_number_of_shards() -> None:
    errors = []
    for shards in (10, 100):
        predictor = AveragingPredictor(LinearRegression(), 1.0, bounds=(0, 10), shards=shards, random_state=0)
        X, truth = table(1000)
        errors.append(np.abs(predictor.fit(X, truth).predict(X[:300]) - truth[:300]).mean())
        assert predictor.guarantee_.sensitivity == 1 / shards
    assert errors[1] < errors[0] / 5


def test_classes_come_by_a_coin_with_the_mean_probability() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(0, 1, size=(4000, 1))
    y = np.where(rng.uniform(size=4000) < 0.2 + 0.6 * (X[:, 0] > 0.5), "yes", "no")
    tree = DecisionTreeClassifier(max_depth=1)
    predictor = AveragingPredictor(tree, 1.0, classes=["no", "yes"], random_state=0).fit(X, y)
    left, right = (predictor.predict(np.linspace(a, a + 0.4, 400)[:, None]) for a in (0.05, 0.55))
    assert 0.1 < np.mean(left == "yes") < 0.3
    assert 0.7 < np.mean(right == "yes") < 0.9
    assert predictor.guarantee_.constants["floor of the coin"] <= 0.05 * (1 + 1e-8)


@pytest.mark.parametrize(
    ("estimator", "delta", "event"),
    [
        (LinearRegression(), 0.0, PureRelease(0.5, steps=4)),
        (LinearRegression(), 1e-6, GaussianRelease),
        (LogisticRegression(), 1e-6, PureRelease(0.5, steps=4)),
    ],
)
def test_the_ledger_is_charged_with_the_event_of_the_noise(estimator: Any, delta: float, event: Any) -> None:
    ledger = Ledger()
    X, y = table()
    labels = y if is_regressor(estimator) else (y > 5).astype(int)
    predictor = AveragingPredictor(estimator, 0.5, delta, bounds=(0, 10), ledger=ledger).fit(X, labels)
    predictor.predict(X[:4])
    charged = ledger.entries()[0].event
    assert charged == event if not isinstance(event, type) else isinstance(charged, event)


def test_the_task_follows_the_estimator() -> None:
    assert is_classifier(AveragingPredictor(LogisticRegression()))
    assert is_regressor(AveragingPredictor(LinearRegression()))


def test_wild_labels_and_wild_predictions_are_clipped() -> None:
    X, y = table(300)
    y[::7] = 1e300
    predictor = AveragingPredictor(LinearRegression(), 50.0, bounds=(0, 10), shards=30, random_state=0).fit(X, y)
    assert np.all(np.abs(predictor.predict(X[:50] * 1e9) - 5) <= 5)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"bounds": None}, BoundsRequired, "outputs are unbounded"),
        ({"bounds": (1, 1)}, InvalidInput, "low must be below high"),
        ({"bounds": (-1e308, 1e308)}, InvalidInput, "low must be below high"),
        ({"bounds": (0, float("inf"))}, InvalidInput, "high=inf"),
        ({"bounds": 7}, InvalidInput, "must be a pair"),
        ({"noise": "gaussian"}, MechanismRefused, "needs delta > 0"),
        ({"noise": "coin"}, MechanismRefused, "answers with a class"),
        ({"noise": "white"}, InvalidInput, "noise='white'"),
        ({"shards": 1001}, InvalidInput, "more shards than the 1000 rows"),
        ({"estimator": KMeans()}, InvalidInput, "regressor or classifier"),
        ({"estimator": LogisticRegression(), "noise": "laplace"}, MechanismRefused, 'use noise="coin"'),
        ({"estimator": LogisticRegression(), "classes": [0, 1, 2]}, MechanismRefused, "VotingPredictor"),
        ({"estimator": LogisticRegression(), "shards": 1, "epsilon": 0.1}, MechanismRefused, "at least 20"),
        ({"estimator": LinearSVC()}, InvalidInput, "AttributeError"),
    ],
)
def test_bad_parameters_are_named(given: dict[str, Any], error: type[Exception], words: str) -> None:
    predictor = AveragingPredictor(**{"estimator": LinearRegression(), "bounds": (0, 10), **given})
    with pytest.raises(error, match=words) as told:
        predictor.fit(*table())
    assert "\n" not in str(told.value)


def test_laplace_can_be_asked_for_though_delta_is_there() -> None:
    predictor = AveragingPredictor(LinearRegression(), 1.0, 1e-6, bounds=(0, 10), noise="laplace").fit(*table())
    assert predictor.guarantee_.delta == 0
    assert predictor.cost_of(3).epsilon <= 3.0


def test_every_neighbour_of_every_small_table_moves_the_sum_by_one_range_at_most() -> None:
    """All tables of three records in two shards: reached, and never passed."""
    records = list(itertools.product((0.0, 1.0), (-3.0, 8.0)))  # bounds cut both labels
    said = {}
    for places in itertools.product(range(len(records)), repeat=3):
        X, y = np.array([[records[p][0]] for p in places]), np.array([records[p][1] for p in places])
        made = AveragingPredictor(DecisionTreeRegressor(), bounds=(0, 1), shards=2, random_state=0).fit(X, y)
        answerer = made._state.answerer
        assert isinstance(answerer, AverageAnswers)
        said[places] = sums(answerer.voters, np.array([[0.0], [1.0]]), (0.0, 1.0), Says.NUMBER).reveal()
    moved = max(
        int(np.abs(here - said[(*places[:row], other, *places[row + 1 :])]).max())
        for places, here in said.items()
        for row, other in itertools.product(range(3), range(len(records)))
    )
    assert moved == 2**MEAN_BITS
