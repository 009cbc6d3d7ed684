"""What attacks through the public names found: strangers' models that shared state, warned, or left by the side."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from equipoise.answering import VotingPredictor
from equipoise.estimators.search.stranger_runs import MADE_UP_ROWS
from equipoise.inside.answers.shards import Says, asker
from equipoise.theory.guarantees import Pure
from equipoise.tuning import RandomStopSearch

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def table(n: int = 160, seed: int = 0) -> tuple[Array, Labels]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(np.int64)


def votes(predictor: VotingPredictor, queries: Array) -> Array:
    """What every voter says: looked up inside, as no caller may."""
    answerer: Any = predictor._state.answerer
    return np.array([voter.say(queries, asker(Says.LABEL)) for voter in answerer.voters.reveal()])


def test_folds_shuffled_by_the_global_generator_move_one_voter_only() -> None:
    grid = {"max_depth": [1, 6], "max_features": [1, 3]}
    searched = GridSearchCV(DecisionTreeClassifier(), grid, cv=StratifiedKFold(3, shuffle=True))
    X, y = table()
    queries = np.random.default_rng(1).normal(size=(50, 3))
    voting = VotingPredictor(searched, 1.0, shards=5, n_jobs=1, random_state=3)
    before, moved = votes(voting.fit(X, y), queries), 0
    for row in (0, 40, 80):
        other = y.copy()
        other[row] = 1 - y[row]
        changed = np.any(votes(voting.fit(X, other), queries) != before, axis=1)
        assert changed.sum() <= 1
        moved += int(changed.sum())
    assert moved > 0, "the attack must be able to see a voter move"


class NoisyMean(BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """A private stranger: the share of ones with Laplace noise, drawn from the generator it was given."""

    drawn: list[float] = []  # noqa: RUF012 - the test looks at what every copy drew

    def __init__(self, shade: int = 0, generator: Any = None) -> None:
        self.shade = shade
        self.generator = generator

    def fit(self, X: Array, y: Labels) -> Self:
        noise = float(self.generator.laplace(scale=1 / (0.15 * len(y))))
        if len(y) > MADE_UP_ROWS:
            NoisyMean.drawn.append(noise)
        warnings.warn("a run!", UserWarning, stacklevel=1)
        self.share_ = float(np.mean(y)) + noise
        return self

    def predict(self, X: Array) -> Labels:
        return np.full(len(X), int(self.share_ > 0.5))


def searched(**given: Any) -> RandomStopSearch:
    stranger = NoisyMean(generator=np.random.default_rng(5))
    made: dict[str, Any] = {"guarantee": Pure(0.15), "score": "accuracy", "mean": 12.0, "random_state": 1}
    return RandomStopSearch(stranger, {"shade": [0, 1]}, **made | given)


def test_a_generator_under_any_name_draws_fresh_noise_in_every_run() -> None:
    X, y = table(60)
    for given in (1, 2, None):
        NoisyMean.drawn.clear()
        searched(random_state=given, mean=8.0).fit(X, y)
        assert len(set(NoisyMean.drawn)) == len(NoisyMean.drawn)
        assert given is None or len(NoisyMean.drawn) > 1  # without a seed there may be one run alone


def test_runs_cannot_be_counted_by_the_strangers_warnings() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        searched().fit(*table(60))
    assert not seen


class Leaver(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Leaves the process where it meets a large number."""

    def __init__(self, when: str = "fit", way: type[BaseException] = SystemExit) -> None:
        self.when = when
        self.way = way

    def fit(self, X: Array, y: Array) -> Self:
        if self.when == "fit" and X.max() > 9:
            raise self.way(7)
        self.top_ = float(X.max())
        return self

    def predict(self, X: Array) -> Array:
        if self.when == "predict" and self.top_ > 9:
            raise self.way(7)
        return np.ones(len(X))


@pytest.mark.parametrize("way", [SystemExit, KeyboardInterrupt, GeneratorExit, RecursionError, MemoryError, Exception])
@pytest.mark.parametrize("when", ["fit", "predict"])
def test_a_shard_that_leaves_is_one_vote_and_nothing_else(when: str, way: type[BaseException]) -> None:
    X, y = table()
    X[3, 1] = 10.0
    voting = VotingPredictor(Leaver(when, way), 50.0, shards=5, n_jobs=1, random_state=0).fit(X, y)
    said = votes(voting, X[:4])
    assert said.sum(axis=0).tolist() == [4.0] * 4
    assert voting.predict(X[:4]).tolist() == [1] * 4


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_ask_leave_the_warning_filters_as_they_were(frequent_switches: None) -> None:
    X, y = table()
    voters = [VotingPredictor(DecisionTreeClassifier(max_depth=1), shards=5, n_jobs=1).fit(X, y) for _ in range(4)]
    before, problems = list(warnings.filters), []

    def ask(voter: VotingPredictor) -> None:
        for step in range(30):
            try:
                voter.predict(X[:4] + step)
            except Exception as error:  # noqa: BLE001 - told by the assertion below
                problems.append(error)

    threads = [threading.Thread(target=ask, args=(voter,)) for voter in voters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert list(warnings.filters) == before
