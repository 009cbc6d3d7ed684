"""Every predictor keeps one protocol: pay for distinct new queries, never for repeated ones.  A new one is one line."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from equipoise.answering import (
    AveragingPredictor,
    Cost,
    PrivatePredictor,
    SGDPredictor,
    StablePredictor,
    ThresholdPredictor,
    VotingPredictor,
)
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.estimators.answer.asked import Asked, Bring, Looked
from equipoise.estimators.answer.linear_predictor import LinearPredictor
from equipoise.ledger import Ledger, SQLLedger
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.losses import Softmax, is_regression

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """How to make a predictor with the shared parameters, and how many columns it takes."""

    make: Callable[..., PrivatePredictor]
    columns: int = 3


TREE = DecisionTreeClassifier(max_depth=2)

CASES = {
    "stable": Case(StablePredictor),
    "stable, hinge": Case(lambda **given: StablePredictor(loss="hinge", **given)),
    "stable, absolute": Case(lambda **given: StablePredictor(loss="absolute", label_bounds=(-1, 1), **given)),
    "one pass": Case(SGDPredictor),
    "one pass, squared": Case(lambda **given: SGDPredictor(loss="squared", label_bounds=(-1, 1), **given)),
    "soft vote": Case(lambda **given: VotingPredictor(TREE, shards=9, **given)),
    "coin": Case(lambda **given: AveragingPredictor(TREE, shards=9, **given)),
    "noisy mean": Case(lambda **given: AveragingPredictor(Ridge(), shards=9, bounds=(0, 1), **given)),
    "walk": Case(ThresholdPredictor, columns=1),
}


@pytest.fixture(params=CASES, ids=lambda name: name)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def table(case: Case, rows: int = 300) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(1)
    X = rng.uniform(-0.5, 0.5, size=(rows, case.columns))
    return X, (X[:, 0] > 0).astype(int)


def queries(case: Case, count: int, seed: int = 2) -> Array:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, size=(count, case.columns))


def fitted(case: Case, epsilon: float = 0.25, **given: Any) -> PrivatePredictor:
    return case.make(epsilon=epsilon, random_state=0, **given).fit(*table(case))


def test_fitting_costs_nothing_and_tells_public_facts_only(case: Case) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)
    assert ledger.entries() == ()
    assert predictor.n_features_in_ == case.columns
    assert predictor.guarantee_.epsilon == 0.25
    shown = {name for name in vars(predictor) if name.endswith("_") and not name.startswith("_")}
    assert shown <= {"n_features_in_", "guarantee_", "ledger_", "classes_"}


def test_distinct_new_queries_are_paid_once_and_repeated_ones_are_free(case: Case) -> None:
    ledger = Ledger()
    predictor = fitted(case, ledger=ledger)
    asked = queries(case, 5)
    first = predictor.predict(np.vstack([asked, asked[::-1]]))
    assert np.array_equal(first[:5], first[:4:-1])
    assert predictor.last_cost_.new == 5
    assert predictor.last_cost_.repeated == 5
    assert len(ledger.entries()) == 1
    assert np.array_equal(predictor.predict(asked), first[:5])
    assert predictor.predict(asked[3]) == first[3]
    assert (predictor.last_cost_.new, predictor.last_cost_.repeated) == (0, 1)
    assert predictor.last_cost_.epsilon == 0
    assert len(ledger.entries()) == 1


def test_every_attribute_can_be_listed_before_and_after_fitting(case: Case) -> None:
    assert "predict" in dir(case.make())
    assert "predict" in dir(fitted(case))


def test_negative_zero_is_zero(case: Case) -> None:
    predictor = fitted(case)
    predictor.predict(np.zeros(case.columns))
    assert predictor.predict(-np.zeros((1, case.columns)), explain_cost=True).new == 0


def test_the_callers_array_may_change_afterwards(case: Case) -> None:
    predictor = fitted(case)
    asked = queries(case, 3)
    first, kept = predictor.predict(asked), asked.copy()
    asked[:] = 0.0
    assert predictor.predict(kept, explain_cost=True).new == 0
    assert np.array_equal(predictor.predict(kept), first)
    assert predictor.predict(asked, explain_cost=True).new == 1


def test_singles_and_doubles_of_one_value_are_one_query(case: Case) -> None:
    predictor = fitted(case)
    asked = queries(case, 4).astype(np.float32)
    first = predictor.predict(asked)
    assert np.array_equal(predictor.predict(asked.astype(np.float64)), first)
    assert predictor.last_cost_.new == 0


def test_the_price_is_told_without_asking(case: Case) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)
    predictor.predict(queries(case, 1))
    cost = predictor.predict(queries(case, 3), explain_cost=True)
    assert isinstance(cost, Cost)
    assert (cost.new, cost.repeated, cost.affordable) == (2, 1, True)
    assert cost.total_epsilon == pytest.approx(0.75)
    assert len(ledger.entries()) == 1
    dear = predictor.predict(queries(case, 9), explain_cost=True)
    assert not dear.affordable
    assert dear.total_epsilon > 1


def test_the_ledger_shows_what_was_told(case: Case) -> None:
    predictor = fitted(case)
    predictor.predict(queries(case, 4))
    predictor.predict(queries(case, 6))
    spent = total_spent([record.event for record in predictor.ledger_.entries()], 0.0)
    assert spent.epsilon == pytest.approx(6 * 0.25)
    assert predictor.cost_of(6).epsilon == pytest.approx(spent.epsilon)
    assert predictor.queries_left() == math.inf


def test_an_exhausted_budget_answers_nothing_and_says_what_one_needs(case: Case) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)
    assert predictor.queries_left() == 4
    with pytest.raises(BudgetExhausted, match="ask at most 4 new queries") as caught:
        predictor.predict(queries(case, 5))
    assert "\n" not in str(caught.value)
    assert ledger.entries() == ()
    predictor.predict(queries(case, 4))
    assert predictor.queries_left() == 0
    with pytest.raises(BudgetExhausted, match=r"one answer alone needs epsilon=0\.25"):
        predictor.predict(queries(case, 1, seed=9))
    assert len(predictor.predict(queries(case, 4))) == 4  # asked before: still free


def test_a_budget_too_small_for_one_answer_says_so(case: Case) -> None:
    predictor = fitted(case, epsilon=2.0, ledger=Ledger(1.0))
    with pytest.raises(BudgetExhausted, match=r"one answer alone needs epsilon=2.*raise the ledger's limit"):
        predictor.predict(queries(case, 1))


SPOILT: dict[str, Callable[[int], Any]] = {
    "too many columns": lambda columns: np.zeros((2, columns + 1)),
    "nothing": lambda columns: np.zeros((0, columns)),
    "three dimensions": lambda columns: np.full((1, 1, columns), 123456.789),
    "text": lambda columns: [["secret-7"] * columns],
    "one row of text": lambda columns: ["secret-7"] * columns,
    "objects": lambda columns: np.full((2, columns), "secret-7", dtype=object),
    "complex": lambda columns: np.full((2, columns), 123456.789j),
    "rows of different lengths": lambda columns: [[123456.789] * columns, [0.0] * (columns + 1)],
    "a number": lambda columns: 123456.789,
}


@pytest.mark.parametrize("spoil", SPOILT)
def test_bad_queries_are_one_line_quote_nothing_and_cost_nothing(
    case: Case, spoil: str, manners: Callable[[BaseException], str]
) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)
    with pytest.raises(InvalidInput) as caught:
        predictor.predict(SPOILT[spoil](case.columns))
    assert manners(caught.value).startswith("X")
    assert ledger.entries() == ()


def test_a_missing_or_infinite_cell_of_a_query_counts_as_in_the_fit(case: Case) -> None:
    predictor = fitted(case)
    asked, plain = queries(case, 2), queries(case, 2)
    asked[0, 0], plain[0, 0] = np.nan, 0.0
    told = predictor.predict(asked)
    assert np.array_equal(predictor.predict(plain), told)
    assert predictor.last_cost_.new == 0
    asked[0, 0], plain[0, 0] = np.inf, np.finfo(float).max
    told = predictor.predict(asked)
    assert np.array_equal(predictor.predict(plain), told)
    assert predictor.last_cost_.new == 0


def test_fifty_threads_share_one_ledger_and_never_overspend(case: Case) -> None:
    """Ten threads ask each of five batches; twelve answers fit.  Every answer told is one that was paid for."""
    ledger = Ledger(12 * 0.25)
    predictor = fitted(case, ledger=ledger)
    batches = [queries(case, 4, seed) for seed in range(5)]
    told: list[tuple[int, Any]] = []
    refused: list[int] = []
    gate = threading.Barrier(50)

    def ask(number: int) -> None:
        gate.wait()
        try:
            told.append((number % 5, predictor.predict(batches[number % 5])))
        except BudgetExhausted:
            refused.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) + len(refused) == 50
    answered = {batch for batch, _ in told}
    assert len(answered) == 3
    assert len(ledger.entries()) == 3
    assert all(record.state == "committed" for record in ledger.entries())
    assert ledger.spent().epsilon <= 3.0 * (1 + 1e-9)
    for batch in answered:
        assert len({answer.tobytes() for number, answer in told if number == batch}) == 1


def test_a_fitted_predictor_cannot_be_pickled_or_copied_but_cloned(case: Case) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)
    with pytest.raises(MechanismRefused, match="cannot be copied or pickled"):
        pickle.dumps(predictor)
    with pytest.raises(MechanismRefused):
        copy.deepcopy(predictor)
    with pytest.raises(MechanismRefused):
        copy.copy(predictor)
    again = clone(predictor)
    assert again.ledger is ledger
    assert "_state" not in vars(again)
    assert len(again.fit(*table(case)).predict(queries(case, 2))) == 2


def _ask_in_child(predictor: PrivatePredictor, asked: Array, pipe: Any) -> None:
    try:
        pipe.send(str(predictor.predict(asked)))
    except LedgerFailure as error:
        pipe.send(type(error).__name__)


@pytest.mark.filterwarnings("ignore:This process")  # forking with threads about is what is tested
@pytest.mark.parametrize("durable", [False, True], ids=["in memory", "in a file"])
def test_a_forked_child_is_refused(case: Case, durable: bool, tmp_path: Path) -> None:
    ledger = SQLLedger(tmp_path / "book.db", epsilon=9.0, delta=1e-6) if durable else Ledger(9.0)
    predictor = fitted(case, ledger=ledger)
    asked = queries(case, 1)
    predictor.predict(asked)
    here, there = multiprocessing.get_context("fork").Pipe()
    child = multiprocessing.get_context("fork").Process(target=_ask_in_child, args=(predictor, asked, there))
    child.start()
    assert here.poll(30)
    assert here.recv() == "LedgerFailure"
    child.join(30)


def test_fitting_again_forgets_the_answers(case: Case) -> None:
    predictor = fitted(case)
    asked = queries(case, 3)
    predictor.predict(asked)
    predictor.fit(*table(case))
    assert predictor.predict(asked, explain_cost=True).new == 3


def test_fitting_while_others_ask_loses_no_payment(case: Case) -> None:
    """Whatever the order, every answer's entry is committed and the cache in force is the newest."""
    ledger = Ledger()
    predictor = fitted(case, ledger=ledger)
    told: list[int] = []

    def ask() -> None:
        for seed in range(10, 20):
            told.append(len(predictor.predict(queries(case, 3, seed))))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        predictor.fit(*table(case))
    for thread in threads:
        thread.join()
    assert told == [3] * 30
    assert all(record.state == "committed" for record in ledger.entries())
    assert len(predictor._state.asked) <= sum(3 for _ in ledger.entries())


def test_a_failed_fit_leaves_the_predictor_as_it_was(case: Case) -> None:
    predictor = fitted(case)
    asked = queries(case, 2)
    first = predictor.predict(asked)
    with pytest.raises(InvalidInput):
        predictor.fit(np.zeros((1, case.columns)), np.zeros(1))
    assert np.array_equal(predictor.predict(asked), first)


def test_a_path_is_no_ledger(case: Case) -> None:
    with pytest.raises(InvalidInput, match="must be a ledger"):
        fitted(case, ledger="privacy.db")


def test_an_answer_that_fails_stays_paid(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(1.0)
    predictor = fitted(case, ledger=ledger)

    def fail(*_: object) -> Array:
        raise RuntimeError("the answerer broke")

    monkeypatch.setattr(type(predictor._state.answerer), "answer", fail)
    with pytest.raises(RuntimeError):
        predictor.predict(queries(case, 2))
    assert ledger.spent().epsilon == pytest.approx(0.5)
    assert predictor.predict(queries(case, 2), explain_cost=True).new == 2


def test_a_cache_that_forgets_to_charge_is_caught(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotaged twin takes half of the new queries for known ones; the ledger then shows fewer than were told."""
    honest = Asked.look_up

    def forgetful(self: Asked, X: npt.NDArray[np.floating], bring: Bring) -> Looked:
        looked = honest(self, X, bring)
        known = looked.known.copy()
        known[looked.fresh[::2]] = True
        left = np.flatnonzero(~known)
        return Looked(looked.rows, looked.keys, known, looked.answers, left, np.arange(len(left)))

    assert _every_answer_is_paid(fitted(case), queries(case, 8))
    monkeypatch.setattr(Asked, "look_up", forgetful)
    assert not _every_answer_is_paid(fitted(case), queries(case, 8))


def _every_answer_is_paid(predictor: PrivatePredictor, asked: Array) -> bool:
    distinct = len(np.unique(asked, axis=0))
    told = len(predictor.predict(asked))
    spent = predictor.ledger_.spent(0.0).epsilon
    return told == len(asked) and spent == pytest.approx(distinct * predictor.epsilon)


STATED = ("_offer", "_one_answer", "_expected_losses", "_usual_model")
"""What the comparison with a released model asks of a predictor."""


def test_every_predictor_states_what_its_answers_are_worth(case: Case) -> None:
    predictor = case.make()
    for name in STATED:
        assert getattr(type(predictor), name) is not getattr(PrivatePredictor, name), name
    assert is_classifier(predictor._usual_model()) == is_classifier(predictor)


@pytest.mark.parametrize("base", [PrivatePredictor, LinearPredictor])
def test_what_a_predictor_does_not_state_is_an_error(base: type[PrivatePredictor]) -> None:
    class Unstated(base):  # type: ignore[misc, valid-type]
        _learn, _show, __init__ = StablePredictor._learn, StablePredictor._show, StablePredictor.__init__

    new: Any = Unstated()
    asked = {"_excess": 2, "_same_plan": 2} if base is LinearPredictor else dict(zip(STATED, (0, 2, 3, 0), strict=True))
    for name, given in asked.items():
        with pytest.raises(InvalidInput, match="Unstated: does not state"):
            getattr(new, name)(*[None] * given)


@pytest.mark.parametrize("kind", [StablePredictor, SGDPredictor])
def test_the_model_to_pilot_goes_by_the_loss_itself(kind: type[LinearPredictor]) -> None:
    for loss in kind._losses:
        made: Any = kind(loss=loss.name.replace("-", "_"), row_norm=2.0, label_bounds=(-1, 1))._usual_model()
        assert made.row_norm == 2.0
        assert is_classifier(made) != is_regression(loss)
        assert made._plan(500, 3, 2).facts.loss.traits.link is loss.traits.link

    class Unmatched(kind):  # type: ignore[misc, valid-type]
        _losses = (Softmax(3),)

    with pytest.raises(InvalidInput, match="no model is known"):
        Unmatched(loss="softmax")._usual_model()
