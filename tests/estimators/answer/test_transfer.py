"""Knowledge transfer: labels within the budget, the right guarantee, and a model worth having."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.answering import StablePredictor, ThresholdPredictor, Transferred, VotingPredictor, transfer
from equipoise.errors import BudgetExhausted, InvalidInput
from equipoise.theory.accounting.compose import total_spent

Array = npt.NDArray[np.float64]

ROOT = Path(__file__).parents[3]


def load_tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("equipoise_tables", ROOT / "benchmarks" / "tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


TABLES = load_tables()
needs_data = pytest.mark.skipif(not TABLES.FOLDER.is_dir(), reason="no folder of real tables: set EQUIPOISE_DATA")


def people(rows: int, seed: int, columns: int = 3) -> tuple[Array, npt.NDArray[np.int64]]:
    X = np.random.default_rng(seed).normal(size=(rows, columns)) / 2
    return X, (X[:, 0] - X[:, -1] > 0).astype(np.int64)


def stable(ledger: Any, epsilon: float = 0.3, rows: int = 3000, **changed: Any) -> StablePredictor:
    return StablePredictor(epsilon, 1e-8, ledger=ledger, random_state=0, **changed).fit(*people(rows, 0))


def test_a_student_learns_what_the_records_know_and_carries_the_guarantee_of_its_labels() -> None:
    ledger = eq.Ledger(epsilon=4.0, delta=1e-6)
    done = transfer(stable(ledger), people(2000, 1)[0], LogisticRegression())
    X, y = people(1000, 2)
    assert isinstance(done, Transferred)
    assert np.mean(done.predict(X) == y) > 0.85
    assert 50 < done.labelled < 2000  # the budget ended the labelling, not the rows
    assert done.guarantee.epsilon == pytest.approx(ledger.spent().epsilon)
    assert 3.9 < done.guarantee.epsilon <= 4.0
    assert done.guarantee.delta == 1e-6
    assert done.cost.epsilon == done.guarantee.epsilon
    assert done.model.guarantee_ == done.guarantee
    assert len(done.X) == len(done.y) == done.labelled
    assert "public rows" in str(done)
    assert "NOT PRIVATE" in str(done)  # a seed was given


def test_the_ledger_is_never_overdrawn_and_nothing_more_is_asked() -> None:
    ledger = eq.Ledger(epsilon=1.0)
    predictor = StablePredictor(0.1, ledger=ledger, random_state=0).fit(*people(3000, 0))
    done = transfer(predictor, people(500, 1)[0], LogisticRegression())
    assert done.labelled == 10
    assert ledger.spent().epsilon <= 1.0
    assert len(ledger.entries()) == 1
    assert predictor.queries_left() == 0


def test_rows_that_repeat_are_labelled_once_and_most_is_kept() -> None:
    rows = people(40, 1)[0]
    predictor = stable(eq.Ledger(epsilon=50.0, delta=1e-6))
    done = transfer(predictor, np.concatenate([rows, rows]), LogisticRegression(), most=30)
    assert done.labelled == 30
    assert np.array_equal(done.X, rows[:30])
    assert predictor.last_cost_.new == 30


def test_labels_paid_for_earlier_count_in_the_guarantee_though_they_cost_nothing_now() -> None:
    ledger = eq.Ledger(epsilon=50.0, delta=1e-6)
    predictor, rows = stable(ledger), people(40, 1)[0]
    labels = predictor.predict(rows)
    before = ledger.spent().epsilon
    done = transfer(predictor, rows, LogisticRegression())
    assert done.cost.epsilon == 0
    assert done.guarantee.epsilon == pytest.approx(before)
    assert np.array_equal(done.y, labels)
    assert any("everything in the ledger" in note for note in done.guarantee.notes)


@pytest.mark.parametrize("kind", ["stable", "voting", "consensus", "threshold"])
@pytest.mark.parametrize("known", [False, True], ids=["new", "asked before"])
def test_a_student_promises_whom_the_answers_promised(kind: str, known: bool) -> None:
    ledger, (X, y), public = eq.Ledger(100.0, 1e-2, unit="person"), people(2000, 0, columns=2), people(300, 1, 2)[0]
    voting: dict[str, Any] = {"shards": 40, "n_jobs": 1}
    shared: dict[str, Any] = {"ledger": ledger, "random_state": 0}
    tree = DecisionTreeClassifier(max_depth=2)
    predictors: dict[str, Any] = {
        "stable": StablePredictor(0.3, 1e-8, rows_per_person=2, **shared),
        "voting": VotingPredictor(tree, 0.3, **voting, **shared),
        "consensus": VotingPredictor(tree, 20.0, 1e-6, method="consensus", **voting, **shared),
        "threshold": ThresholdPredictor(0.3, bounds=(-4.0, 4.0), rows_per_person=2, **shared),
    }
    predictor = predictors[kind]
    used = slice(0, 1) if kind == "threshold" else slice(None)
    predictor.fit(X[:, used], y, groups=np.arange(len(X)) // 2)
    if known:
        predictor.predict(public[:1, used])
    done = transfer(predictor, public[:, used], LogisticRegression(), most=30)
    one, own = predictor.guarantee_, done.guarantee
    assert "person" in own.unit
    assert (own.unit, own.adjacency, own.seeded) == (one.unit, one.adjacency, one.seeded)
    assert "the unit is the row" not in str(done)


def test_other_releases_of_the_same_ledger_are_not_charged_to_the_student() -> None:
    ledger = eq.Ledger(epsilon=20.0, delta=1e-6)
    eq.LogisticRegression(3.0, ledger=ledger, random_state=0).fit(*people(500, 0))
    done = transfer(stable(ledger), people(30, 1)[0], LogisticRegression())
    last = ledger.entries()[-1].event
    assert done.guarantee.epsilon == pytest.approx(total_spent([last], 1e-6).epsilon)
    assert done.guarantee.epsilon < ledger.spent().epsilon


def test_a_consensus_leaves_contested_rows_out_and_tells_what_its_rounds_add_up_to() -> None:
    ledger = eq.Ledger(epsilon=40.0, delta=1e-4)
    predictor = VotingPredictor(
        DecisionTreeClassifier(max_depth=1),
        8.0,
        1e-5,
        method="consensus",
        shards=61,
        queries_per_round=40,
        n_jobs=1,
        ledger=ledger,
        random_state=0,
    )
    X = np.linspace(-1, 1, 3000)[:, None]
    predictor.fit(X, (X[:, 0] > 0).astype(int))
    rows = np.concatenate([np.linspace(-0.9, 0.9, 60), np.linspace(-1e-4, 1e-4, 5)])[:, None]
    done = transfer(predictor, rows, DecisionTreeClassifier(max_depth=1))
    assert done.skipped == predictor.contested_ > 0
    assert done.labelled + done.skipped <= 65
    assert np.array_equal(done.y, (done.X[:, 0] > 0).astype(int))
    assert 0 < done.guarantee.epsilon <= 40.0
    assert done.guarantee.delta <= 1e-4


def test_numbers_are_transferred_too() -> None:
    X = people(4000, 0)[0]
    predictor = StablePredictor(
        1.0, 1e-8, loss="squared", label_bounds=(-1, 1), ledger=eq.Ledger(epsilon=20.0, delta=1e-6), random_state=0
    ).fit(X, np.clip(X[:, 0], -1, 1))
    done = transfer(predictor, people(400, 1)[0], Ridge())
    asked = people(300, 2)[0]
    assert np.corrcoef(done.predict(asked), asked[:, 0])[0, 1] > 0.9
    assert "regressor" in str(done.card())


def test_refusals_come_before_anything_is_spent() -> None:
    ledger = eq.Ledger(epsilon=5.0)
    predictor = ThresholdPredictor(0.5, bounds=(0, 1), ledger=ledger, random_state=0)
    X = np.linspace(0, 1, 500)[:, None]
    predictor.fit(X, (X[:, 0] > 0.5).astype(int))
    with pytest.raises(InvalidInput, match="the predictor is a classifier"):
        transfer(predictor, X, Ridge())
    with pytest.raises(InvalidInput, match="must be a table"):
        transfer(predictor, X[0], LogisticRegression())
    with pytest.raises(InvalidInput, match="most=0"):
        transfer(predictor, X, LogisticRegression(), most=0)
    assert ledger.entries() == ()


def test_a_budget_for_less_than_two_labels_is_said_to_be_too_small() -> None:
    ledger = eq.Ledger(epsilon=0.7)
    predictor = StablePredictor(0.5, ledger=ledger, random_state=0).fit(*people(500, 0))
    with pytest.raises(BudgetExhausted, match="pays for 1 labels"):
        transfer(predictor, people(20, 1)[0], LogisticRegression())
    assert ledger.entries() == ()


def test_answers_of_one_class_teach_nothing_and_stay_remembered() -> None:
    predictor = stable(eq.Ledger(epsilon=50.0, delta=1e-6), epsilon=2.0, rows=6000)
    X, y = people(400, 1)
    far = X[(y == 1) & (X[:, 0] - X[:, 2] > 1.2)][:10]
    with pytest.raises(InvalidInput, match="the same class"):
        transfer(predictor, far, LogisticRegression())
    assert predictor.predict(far, explain_cost=True).new == 0


@needs_data
def test_a_student_of_adult_beats_guessing_the_larger_class() -> None:
    table = TABLES.TABLES["adult"]()
    order = np.random.default_rng(0).permutation(len(table.y))
    private, public, asked = np.split(order, [30000, 32000])
    predictor = StablePredictor(0.2, 1e-8, ledger=eq.Ledger(epsilon=8.0, delta=1e-6), random_state=0)
    predictor.fit(table.X[private], table.y[private])
    done = transfer(predictor, table.X[public], LogisticRegression())
    accuracy = np.mean(done.predict(table.X[asked]) == table.y[asked])
    assert accuracy > max(np.mean(table.y), 1 - np.mean(table.y)) + 0.01
    assert done.guarantee.epsilon <= 8.0
