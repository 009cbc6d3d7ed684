"""VotingPredictor: any classifier, three ways to vote, and a ledger that pays for every contested query."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators.answer import shards as _shards
from equipoise.estimators.answer import votes as _votes
from equipoise.estimators.answer.voting_predictor import VotingPredictor
from equipoise.gate.answers.consensus import Round
from equipoise.inside.answers.shards import tallies, train
from equipoise.ledger import Ledger, LedgerLike, SQLLedger
from equipoise.theory.events import ApproximateRelease, BoundedRangeRelease, GaussianRelease
from equipoise.theory.prediction.shards import voters_for

Array = npt.NDArray[np.float64]
TREE = DecisionTreeClassifier(max_depth=2)
LARGE = 1e6
"""A budget that never ends."""


def table(n: int = 600, seed: int = 0) -> tuple[Array, npt.NDArray[np.int64]]:
    X = np.random.default_rng(seed).uniform(-1, 1, size=(n, 2))
    return X, (X[:, 0] > 0).astype(int)


def clear_queries(count: int, seed: int = 1) -> tuple[Array, npt.NDArray[np.int64]]:
    """Far from where the classes meet."""
    rng = np.random.default_rng(seed)
    side = rng.integers(0, 2, count)
    return np.column_stack([(2 * side - 1) * rng.uniform(0.6, 1, count), rng.uniform(-1, 1, count)]), side


def consensus(
    ledger: LedgerLike | None = None, epsilon: float = 10.0, per_round: int = 20, **given: Any
) -> VotingPredictor:
    account = Ledger(LARGE, 0.01) if ledger is None else ledger
    return VotingPredictor(
        TREE,
        epsilon,
        1e-6,
        shards=40,
        method="consensus",
        queries_per_round=per_round,
        ledger=account,
        random_state=0,
        **given,
    )


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), TREE, RandomForestClassifier(5)], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("method", ["soft", "gaussian", "consensus"])
def test_clear_queries_are_answered_rightly(estimator: Any, method: str) -> None:
    predictor = VotingPredictor(estimator, 8.0, 1e-6, shards=30, method=method, random_state=0)
    X, y = clear_queries(60)
    assert predictor.fit(*table()).score(X, y) > 0.9


def test_more_than_two_named_classes() -> None:
    X, _ = table(900)
    y = np.array(["low", "mid", "high"])[np.digitize(X[:, 0], [-0.3, 0.3])]
    predictor = VotingPredictor(TREE, 4.0, shards=20, classes=["low", "mid", "high"], random_state=0).fit(X, y)
    assert predictor.classes_.tolist() == ["low", "mid", "high"]
    assert predictor.predict([[-0.8, 0.0], [0.0, 0.0], [0.8, 0.0]]).tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("method", "event"),
    [
        ("soft", BoundedRangeRelease(1.0, 7)),
        ("gaussian", GaussianRelease),
        ("consensus", ApproximateRelease(1.0, 1e-6)),
    ],
)
def test_the_ledger_is_charged_with_the_event_of_the_method(method: str, event: Any) -> None:
    ledger = Ledger()
    predictor = VotingPredictor(TREE, 1.0, 1e-6, shards=600, method=method, ledger=ledger, random_state=0)
    predictor.fit(*table())
    predictor.predict(clear_queries(7)[0])
    first = ledger.entries()[0].event
    assert first == event if not isinstance(event, type) else isinstance(first, event)


def test_default_shards_come_from_accuracy_and_epsilon_or_from_the_rows() -> None:
    assert voters_for(1.0, 0.05) == math.ceil(6 * math.log(80)) == 27
    rich = VotingPredictor(TREE, 1.0, random_state=0).fit(*table(600))
    assert rich.guarantee_.constants["shards"] == 27
    assert not any("rows give" in note for note in rich.guarantee_.notes)
    poor = VotingPredictor(TREE, 1.0, random_state=0).fit(*table(100))
    assert poor.guarantee_.constants["shards"] == 10
    assert any("27 shards would reach the accuracy, 100 rows give 10" in note for note in poor.guarantee_.notes)


def test_a_soft_vote_is_pure_and_composes_better_than_adding_up() -> None:
    predictor = VotingPredictor(TREE, 0.1, 1e-6, random_state=0).fit(*table())
    assert (predictor.guarantee_.epsilon, predictor.guarantee_.delta) == (0.1, 0.0)
    assert predictor.cost_of(1000).epsilon < 0.3 * 1000 * 0.1
    assert VotingPredictor(TREE, 0.1, random_state=0).fit(*table()).cost_of(20).epsilon == pytest.approx(2.0)


def test_processes_are_started_only_where_training_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def watched(*given: Any, n_jobs: int, **named: Any) -> Any:
        asked.append(n_jobs)
        return train(*given, n_jobs=1, **named)

    monkeypatch.setattr(_shards, "train", watched)
    for worth in (_shards.WORTH_A_POOL, 0.0):
        monkeypatch.setattr(_shards, "WORTH_A_POOL", worth)
        VotingPredictor(TREE, shards=5, n_jobs=2, random_state=0).fit(*table())
    assert asked == [1, 2]


def test_one_sided_rows_neither_raise_nor_say_so() -> None:
    X, _ = table(200)
    predictor = VotingPredictor(LogisticRegression(), 50.0, shards=10, random_state=0).fit(X, np.ones(200, dtype=int))
    assert predictor.predict(X[:20]).tolist() == [1] * 20
    assert predictor.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"shards": 601}, InvalidInput, "more shards than the 600 rows"),
        ({"shards": 0}, InvalidInput, "shards=0"),
        ({"method": "loud"}, InvalidInput, "method='loud'"),
        ({"method": "gaussian"}, MechanismRefused, "needs delta > 0"),
        ({"method": "consensus"}, MechanismRefused, "needs delta > 0"),
        ({"method": "consensus", "delta": 0.1, "queries_per_round": 0}, InvalidInput, "queries_per_round=0"),
        ({"accuracy": 1.0}, InvalidInput, "accuracy=1.0"),
        ({"n_jobs": 0}, InvalidInput, "n_jobs=0"),
        ({"epsilon": -1.0}, InvalidInput, "epsilon=-1.0"),
        ({"estimator": LinearRegression()}, InvalidInput, "estimator: must be a scikit-learn classifier"),
        ({"estimator": LogisticRegression(C=-1.0)}, InvalidInput, "fails on 22 made-up rows"),
        ({"classes": ["a", "b"]}, InvalidInput, "holds none of classes="),
    ],
)
def test_bad_parameters_are_named(given: dict[str, Any], error: type[Exception], words: str) -> None:
    predictor = VotingPredictor(**{"estimator": TREE, "epsilon": 1.0, **given})
    with pytest.raises(error, match=words) as told:
        predictor.fit(*table())
    assert "\n" not in str(told.value)


def test_a_label_outside_the_classes_counts_as_the_first() -> None:
    X, y = table()
    strange, first = y.copy(), y.copy()
    strange[5], first[5] = 4711, 0
    made = [VotingPredictor(TREE, random_state=0).fit(X, labels) for labels in (strange, first)]
    assert np.array_equal(made[0].predict(X[:50]), made[1].predict(X[:50]))


def test_settled_queries_share_a_round_and_a_full_one_is_followed_by_another() -> None:
    ledger = Ledger(LARGE, 0.01)
    predictor = consensus(ledger, epsilon=40.0).fit(*table(2000))
    predictor.predict(clear_queries(15)[0])
    assert (predictor.rounds_bought_, predictor.contested_, len(ledger.entries())) == (1, 0, 1)
    assert ledger.entries()[0].state == "reserved"
    predictor.predict(clear_queries(5, seed=2)[0])
    assert (predictor.rounds_bought_, ledger.entries()[0].state) == (1, "committed")
    predictor.predict(clear_queries(1, seed=3)[0])
    assert (predictor.rounds_bought_, len(ledger.entries())) == (2, 2)


def test_a_round_stays_open_in_a_durable_ledger_from_batch_to_batch(tmp_path: Path) -> None:
    ledger = SQLLedger(tmp_path / "privacy.db", epsilon=LARGE, delta=0.01)
    predictor = consensus(ledger, epsilon=40.0, per_round=4).fit(*table(2000))
    for seed in range(3):
        predictor.predict(clear_queries(2, seed)[0])
    assert [entry.state for entry in ledger.entries()] == ["committed", "reserved"]
    predictor.fit(*table(2000)).predict(clear_queries(1)[0])
    assert len(ledger.entries()) == 3, "an open round is not carried over to another fit"


def contested_queries(count: int) -> Array:
    """On the very border, where trees disagree."""
    return np.column_stack([np.zeros(count), np.linspace(-1, 1, count)])


def test_every_contested_query_uses_up_a_round() -> None:
    ledger = Ledger(LARGE, 0.01)
    predictor = consensus(ledger).fit(*table())
    predictor.predict(contested_queries(30))
    assert predictor.contested_ >= 25
    assert len(ledger.entries()) == predictor.rounds_bought_ >= predictor.contested_
    assert all(entry.event == ApproximateRelease(10.0, 1e-6) for entry in ledger.entries())


def test_a_consensus_that_does_not_pay_for_contested_queries_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin keeps its round after a contested query; the count of rounds above notices."""

    def twin(self: Any, told: Any) -> Any:
        self.left -= len(told.labels)
        return told

    monkeypatch.setattr(Round, "_close", twin)
    predictor = consensus().fit(*table())
    predictor.predict(contested_queries(15))
    assert predictor.rounds_bought_ < predictor.contested_


def test_threads_share_rounds_and_every_answer_is_accounted() -> None:
    ledger = Ledger(LARGE, 0.01)
    predictor = consensus(ledger, per_round=7).fit(*table())
    batches = [np.vstack([clear_queries(6, seed)[0], contested_queries(30)[seed : seed + 3]]) for seed in range(10)]
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(predictor.predict, batches))
    distinct = len(np.unique(np.vstack(batches), axis=0))
    assert len(ledger.entries()) == predictor.rounds_bought_
    full = (distinct - predictor.contested_) // 7
    assert predictor.rounds_bought_ >= max(predictor.contested_, full)
    for batch, told in zip(batches, answers, strict=True):
        assert np.array_equal(predictor.predict(batch), told)
    assert len(ledger.entries()) == predictor.rounds_bought_


def test_when_the_budget_ends_within_a_batch_paid_answers_are_remembered() -> None:
    ledger = Ledger(50.0, 0.01)
    predictor = consensus(ledger).fit(*table())
    with pytest.raises(BudgetExhausted, match="were answered and are remembered"):
        predictor.predict(contested_queries(60))
    spent = len(ledger.entries())
    assert spent == predictor.rounds_bought_ > 1
    known = predictor.predict(contested_queries(60), explain_cost=True)
    assert known.repeated >= spent
    again = predictor.predict(contested_queries(60)[: known.repeated])
    assert len(again) == known.repeated
    assert len(ledger.entries()) == spent


class FailsAfter(Ledger):
    """Sells so many rounds and then ends with this error, once."""

    def __init__(self, rounds: int, error: BaseException) -> None:
        super().__init__(LARGE, 0.01)
        self.rounds, self.error = rounds, error

    def reserve(self, *given: Any, **named: Any) -> Any:
        self.rounds -= 1
        if self.rounds == -1:
            raise self.error
        return super().reserve(*given, **named)


@pytest.mark.parametrize("rounds", [0, 1, 4])
@pytest.mark.parametrize("error", [LedgerFailure("the ledger is locked"), KeyboardInterrupt(), OSError()], ids=repr)
def test_whatever_ends_a_batch_answers_that_were_paid_for_are_remembered(rounds: int, error: BaseException) -> None:
    ledger, queries = FailsAfter(rounds, error), clear_queries(30)[0]
    predictor = consensus(ledger, per_round=3).fit(*table())
    with pytest.raises(type(error)) as told:
        predictor.predict(queries)
    assert len(ledger.entries()) == predictor.rounds_bought_ == rounds
    known = predictor.predict(queries, explain_cost=True).repeated
    assert known == rounds * 3  # none of these is contested
    assert known == 0 or any(f"{known} were answered" in note for note in told.value.__notes__)
    assert known == 0 or len(predictor.predict(queries[:known])) == known
    assert len(ledger.entries()) == rounds
    assert len(predictor.predict(queries)) == len(queries)
    assert len(ledger.entries()) == predictor.rounds_bought_ == 10


def test_a_budget_without_room_for_one_round_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    predictor = consensus(Ledger(1.0, 0.01)).fit(*table())
    monkeypatch.setattr(_votes, "tallies", lambda *_: pytest.fail("looked before paying"))
    with pytest.raises(BudgetExhausted, match="another round needs epsilon=10"):
        predictor.predict(clear_queries(2)[0])
    assert predictor.rounds_bought_ == 0


def test_the_least_price_of_a_consensus_counts_rounds() -> None:
    predictor = consensus(epsilon=1.0).fit(*table())
    assert 0.9 < predictor.cost_of(20).epsilon <= 1.0
    assert predictor.cost_of(21).epsilon > 1.5
    assert predictor.cost_of(20 * 300).epsilon <= 300 * 1.0 * (1 + 1e-9)
    assert any("no query is contested" in note for note in predictor.guarantee_.notes)
    with pytest.raises(InvalidInput, match='only "consensus"'):
        _ = VotingPredictor(TREE, random_state=0).fit(*table()).rounds_bought_


def test_the_same_seed_answers_alike_and_secure_bits_do_not_follow_it() -> None:
    X = np.random.default_rng(5).uniform(-1, 1, size=(80, 2))
    seeded = VotingPredictor(TREE, 0.2, random_state=3)
    first, second = (clone(seeded).fit(*table()).predict(X) for _ in range(2))
    assert np.array_equal(first, second)
    free = VotingPredictor(TREE, 0.2).fit(*table())
    assert free.guarantee_.private
    assert not seeded.fit(*table()).guarantee_.private
    assert not np.array_equal(first, free.predict(X))


RECORDS = list(itertools.product((0.0, 1.0), (0, 1)))
ASKED = np.array([[0.0], [1.0]])


def votes_of_every_table(rows: int, shards: int) -> dict[tuple[int, ...], Array]:
    """What the voters say to both queries, for every table of so many records, under one deal."""
    said = {}
    for places in itertools.product(range(len(RECORDS)), repeat=rows):
        X, y = np.array([[RECORDS[p][0]] for p in places]), np.array([RECORDS[p][1] for p in places])
        made = VotingPredictor(DecisionTreeClassifier(), 2.0, shards=shards, random_state=0).fit(X, y)
        answerer = made._state.answerer
        assert isinstance(answerer, _votes.VoteAnswers)
        said[places] = tallies(answerer.voters, ASKED, 2).reveal().astype(np.float64)
    return said


def worst_of_every_table(rows: int, shards: int) -> tuple[float, float]:
    """Largest log-ratio of an answer and largest move of a count, over all tables and all replacements."""
    said, ratio, moved = votes_of_every_table(rows, shards), 0.0, 0.0
    laws = {places: log_softmax(votes, axis=1) for places, votes in said.items()}  # weights exp(ε·votes/2), ε = 2
    for places, law in laws.items():
        for row, other in itertools.product(range(rows), range(len(RECORDS))):
            there = (*places[:row], other, *places[row + 1 :])
            ratio = max(ratio, float(np.abs(law - laws[there]).max()))
            moved = max(moved, float(np.abs(said[places] - said[there]).max()))
    return ratio, moved


@pytest.mark.parametrize(("rows", "shards"), [(4, 4), (3, 2)])
def test_every_neighbour_of_every_small_table_keeps_epsilon(rows: int, shards: int) -> None:
    ratio, moved = worst_of_every_table(rows, shards)
    assert moved == 1
    assert (0.94 if shards == 4 else 0.6) * 2.0 <= ratio <= 2.0
