"""The charged comparison: one reservation before anything is looked at, figures near the truth, and what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import equipoise as eq
from equipoise.answering import (
    Advice,
    AveragingPredictor,
    Measured,
    SGDPredictor,
    StablePredictor,
    ThresholdPredictor,
    VotingPredictor,
    WideInterval,
)
from equipoise.errors import BudgetExhausted, InvalidInput, LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.inside.answers.expected import mean_of
from equipoise.theory.guarantees import Budget
from equipoise.theory.prediction.advice import ROUNDING, of_mean_expected_loss

Array = npt.NDArray[np.float64]
Table = tuple[Array, npt.NDArray[Any]]

BUDGET = (1.0, 1e-6)
TREE = DecisionTreeClassifier(max_depth=3)

PREDICTORS: dict[str, Callable[[], Any]] = {
    "stable, Laplace": lambda: StablePredictor(1.0, random_state=1),
    "stable, Gaussian": lambda: StablePredictor(1.0, 1e-6, random_state=1),
    "stable, hinge": lambda: StablePredictor(1.0, loss="hinge", random_state=1),
    "stable, squared": lambda: StablePredictor(1.0, 1e-6, loss="squared", label_bounds=(0, 1), random_state=1),
    "stable, absolute": lambda: StablePredictor(1.0, loss="absolute", label_bounds=(0, 1), random_state=1),
    "sgd": lambda: SGDPredictor(1.0, 1e-6, random_state=1),
    "soft vote": lambda: VotingPredictor(TREE, 1.0, shards=40, n_jobs=1, random_state=1),
    "gaussian vote": lambda: VotingPredictor(TREE, 1.0, 1e-6, method="gaussian", shards=40, n_jobs=1, random_state=1),
    "mean, Laplace": lambda: AveragingPredictor(Ridge(), 1.0, shards=40, bounds=(0, 1), n_jobs=1, random_state=1),
    "mean, Gaussian": lambda: AveragingPredictor(Ridge(), 1.0, 1e-6, shards=40, bounds=(0, 1), random_state=1),
    "coin": lambda: AveragingPredictor(TREE, 1.0, n_jobs=1, random_state=1),
    "walk": lambda: ThresholdPredictor(1.0, bounds=(-3, 3), random_state=1),
}
REGRESSORS = {"stable, squared", "stable, absolute", "mean, Laplace", "mean, Gaussian"}


def table(rows: int, seed: int, columns: int = 3) -> Table:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) / 2
    return X, (rng.random(rows) < 1 / (1 + np.exp(-8 * X[:, 0]))).astype(int)


def parts(name: str, train: int = 4000, held: int = 2500) -> tuple[Table, Table]:
    columns = 1 if name == "walk" else 3
    return table(train, 1, columns), table(held, 2, columns)


@pytest.mark.parametrize("name", PREDICTORS)
def test_both_sides_are_measured_for_one_debit_and_releasing_wins_many_questions(name: str) -> None:
    train, held_out = parts(name)
    ledger = eq.Ledger(*BUDGET)
    predictor = PREDICTORS[name]().set_params(ledger=ledger).fit(*train)
    found = predictor.compare_with_release(2000, train=train, held_out=held_out)
    assert isinstance(found, Measured)
    assert found.release
    assert found.answers.value > found.release_estimate >= 0
    for figure in (found.answers, found.pilot):
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
    (record,) = ledger.entries()
    assert record.state == "committed"
    assert ledger.spent().epsilon == found.spent.epsilon <= found.charge.epsilon == pytest.approx(0.2)
    assert found.charge.delta == pytest.approx(2e-7)
    assert found.guarantee.epsilon == found.charge.epsilon
    assert found.guarantee.seeded
    assert ("squared" in found.unit) == (name in REGRESSORS)
    text = str(found)
    assert "\n" not in text
    assert "release a model" in text
    assert "estimated, not measured" in text


@pytest.mark.parametrize("name", ["stable, Gaussian", "stable, squared", "soft vote", "walk"])
def test_the_pilot_is_a_released_model_that_was_paid_for(name: str) -> None:
    rows = 600
    train, held_out = parts(name, rows, 400)
    predictor = PREDICTORS[name]().set_params(ledger=eq.Ledger(5.0, 1e-4)).fit(*train)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WideInterval)
        found = predictor.compare_with_release(500, budget=BUDGET, train=train, held_out=held_out, charge=(2.0, 1e-5))
    (fit, *figures) = predictor.ledger_.entries()[0].event.parts
    model = found.model
    assert found.pilot_budget == Budget(1.0, 1e-5) == Budget(model.epsilon, model.delta)
    classes = 2 if name in REGRESSORS else len(predictor.classes_)
    assert fit == model._plan(rows, train[0].shape[1], classes).event
    assert [part.epsilon for part in figures] == pytest.approx([0.8, 0.2])
    wrong = np.mean(model.predict(held_out[0]) != held_out[1])
    squared = np.mean((np.clip(model.predict(held_out[0]), 0, 1) - held_out[1]) ** 2)
    truth = squared if name in REGRESSORS else wrong
    assert found.pilot.low <= truth <= found.pilot.high
    assert abs(found.pilot.value - truth) < 0.1


def test_a_pilot_that_costs_something_else_than_was_debited_is_not_let_out(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = eq.LogisticRegression._fit

    def dearer(self: eq.LogisticRegression, X: Array, y: Any, groups: Any) -> Any:
        return honest(self.set_params(epsilon=2 * self.epsilon), X, y, groups)

    train, held_out = parts("stable, Laplace", 600, 400)
    ledger = eq.Ledger(5.0, 1e-4)
    predictor = PREDICTORS["stable, Laplace"]().set_params(ledger=ledger).fit(*train)
    monkeypatch.setattr(eq.LogisticRegression, "_fit", dearer)
    asked = {"budget": BUDGET, "train": train, "held_out": held_out, "charge": (2.0, 1e-5)}
    with pytest.raises(LedgerFailure, match="another price"):
        predictor.compare_with_release(100_000, **asked)
    assert len(ledger.entries()) == 1  # what was debited stays spent


@pytest.mark.parametrize("name", ["stable, Gaussian", "soft vote", "mean, Gaussian", "coin", "walk"])
def test_the_answers_figure_is_near_what_answers_at_that_price_lose(name: str) -> None:
    train, held_out = parts(name, 2000, 2000)
    predictor = PREDICTORS[name]().set_params(ledger=None).fit(*train)
    found = predictor.compare_with_release(300, budget=BUDGET, train=train, held_out=held_out, charge=(3.0, 1e-7))
    price = {"epsilon": found.advice.answer_epsilon, "delta": found.advice.answer_delta}
    asked = PREDICTORS[name]().set_params(**price, random_state=7).fit(*train)
    rows = np.clip(held_out[0], -3, 3)
    said = asked.predict(rows + 1e-9 * np.arange(len(rows))[:, None])
    truth = np.mean((said - held_out[1]) ** 2)  # of classes 0 and 1 this is the share of wrong answers
    assert abs(found.answers.value - truth) < 0.06
    assert found.answers.low - 0.03 < truth < found.answers.high + 0.03


def private_means(copy: Any, train: Table, *helds: Table) -> list[float]:
    """The numbers that noise is added to.  One seed: rows are dealt alike."""
    learnt = copy._learn(*train, bits_from(0))
    return [float(mean_of(copy._expected_losses(learnt, *held)).reveal()[0]) for held in helds]


def with_record(part: Table, place: int, row: list[float], label: int) -> Table:
    X, y = part[0].copy(), part[1].copy()
    X[place], y[place] = row[: X.shape[1]], label
    return X, y


SMALL: dict[str, tuple[Callable[[], Any], float]] = {
    "stable, hinge": (lambda: StablePredictor(0.2, alpha=5.0, loss="hinge", fit_intercept=False), 0.9),
    "stable, logistic": (lambda: StablePredictor(0.5, 1e-3, alpha=0.5, fit_intercept=False), 0.3),
    "stable, squared": (
        lambda: StablePredictor(0.1, alpha=5.0, loss="squared", label_bounds=(-1, 1), fit_intercept=False),
        0.2,
    ),
    "sgd": (lambda: SGDPredictor(0.5, 1e-3, step_size=0.1, fit_intercept=False), 0.3),
    "soft vote": (lambda: VotingPredictor(TREE, 1.5, shards=5, n_jobs=1), 0.95),
    "gaussian vote": (lambda: VotingPredictor(TREE, 1.5, 1e-3, method="gaussian", shards=5, n_jobs=1), 0.95),
    "mean": (lambda: AveragingPredictor(DecisionTreeRegressor(), 0.1, shards=5, bounds=(0, 1), n_jobs=1), 0.75),
    "coin": (lambda: AveragingPredictor(TREE, 1.5, shards=5, n_jobs=1), 0.45),
    "walk": (lambda: ThresholdPredictor(1.5), 0.95),
}


@pytest.mark.parametrize("name", SMALL)
def test_no_replacement_in_small_parts_moves_the_mean_further_than_stated(name: str) -> None:
    """Tables of nine rows with every number of ones; each record is replaced, with and without a held-out one."""
    make, share = SMALL[name]
    copy, columns, held_rows = make(), 1 if name == "walk" else 2, 6
    fitted = make().fit(np.linspace(-1, 1, 9 * columns).reshape(9, columns), np.arange(9) % 2)
    stated = copy._one_answer(fitted, 9).moved
    held = np.tile([1.0, 0.0], (held_rows, 1))[:, :columns], np.ones(held_rows, dtype=int)
    far, joint = 0.0, 0.0
    for ones in (0, 2, 4, 5, 7):
        train = np.tile([1.0, 0.0], (9, 1))[:, :columns], (np.arange(9) < ones).astype(int)
        (here,) = private_means(copy, train, held)
        for place in range(9):
            there = with_record(train, place, [1.0, 0.0], 1 - int(train[1][place]))
            asked = [with_record(held, 0, row, label) for row, label in (([1.0, 0.0], 0), ([-1.0, 0.0], 1))]
            alone, *both = private_means(copy, there, held, *asked)
            far = max(far, abs(alone - here))
            joint = max(joint, *(abs(each - here) for each in both))
    assert share * stated <= far <= stated + 2 * ROUNDING
    assert max(far, joint) <= of_mean_expected_loss(stated, held_rows)


def test_nothing_is_computed_without_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    train, held_out = parts("stable", 300, 300)
    predictor = StablePredictor(0.1, ledger=eq.Ledger(1.0), random_state=0).fit(*train)

    def forbidden(*_: Any) -> None:
        raise AssertionError("looked")

    monkeypatch.setattr(StablePredictor, "_learn", forbidden)
    monkeypatch.setattr(StablePredictor, "_expected_losses", forbidden)
    with pytest.raises(BudgetExhausted):
        predictor.compare_with_release(1000, train=train, held_out=held_out, charge=(1.5, 0.0))
    assert predictor.ledger_.entries() == ()
    with pytest.raises(AssertionError, match="looked"):
        predictor.compare_with_release(1000, train=train, held_out=held_out, charge=(0.9, 0.0))
    assert [record.state for record in predictor.ledger_.entries()] == ["reserved"], "paid before looking"


@pytest.mark.parametrize("name", ["stable, Laplace", "soft vote", "walk", "mean, Laplace"])
@pytest.mark.parametrize("where", ["X", "y"])
def test_strange_values_in_held_out_rows_are_no_error(name: str, where: str) -> None:
    train, (X, y) = parts(name, 400, 500)
    predictor = PREDICTORS[name]().set_params(ledger=eq.Ledger(*BUDGET)).fit(*train)
    bad, labels = X.copy(), y.astype(float)
    if where == "X":
        bad[3, 0] = np.nan
    else:
        labels[3] = np.nan if name in REGRESSORS else 7.0
    predictor.compare_with_release(50_000, train=train, held_out=(bad, labels))
    assert [record.state for record in predictor.ledger_.entries()] == ["committed"]


def test_half_of_what_is_needed_and_ill_shaped_parts_are_refused_before_the_debit() -> None:
    train, held_out = parts("stable", 300, 200)
    predictor = StablePredictor(1.0, ledger=eq.Ledger(1.0)).fit(*train)
    for told, message in (
        ({"train": train}, "give both"),
        ({"held_out": held_out}, "give both"),
        ({"charge": (0.1, 0.0)}, "is free"),
        ({"model": eq.LogisticRegression()}, "is free"),
        ({"train": train, "held_out": held_out[0]}, "held_out: must be a pair"),
        ({"train": train, "held_out": held_out, "charge": 0.1}, "charge=0.1: must be a pair"),
        ({"train": train, "held_out": (held_out[0][:, :2], held_out[1])}, "2 features"),
        ({"train": (train[0][:, :2], train[1]), "held_out": held_out}, "train: X has 2 columns"),
        ({"train": train, "held_out": (held_out[0][:9], held_out[1])}, "held_out: X and y"),
        (
            {"train": train, "held_out": held_out, "model": eq.LinearRegression(label_bounds=(-1, 1))},
            "private classifier",
        ),
        ({"train": train, "held_out": held_out, "model": LogisticRegression()}, "private classifier"),
    ):
        with pytest.raises(InvalidInput, match=message):
            predictor.compare_with_release(5000, **told)
    with pytest.raises(MechanismRefused, match="replace-one"):
        predictor.compare_with_release(
            5000, train=train, held_out=held_out, model=eq.LogisticRegression(adjacency="add-remove", public_n=300)
        )
    assert predictor.ledger_.entries() == ()
    assert isinstance(predictor.compare_with_release(5000), Advice)


def test_methods_without_a_formula_are_refused_by_name_with_the_way_out() -> None:
    (X, y), held_out = parts("vote", 300, 200)
    ledger = eq.Ledger(2.0, 1e-5)
    common: dict[str, Any] = {"shards": 10, "n_jobs": 1, "ledger": ledger}
    consensus = VotingPredictor(TREE, 1.0, 1e-6, method="consensus", **common).fit(X, y)
    with pytest.raises(MechanismRefused, match=r'"consensus".*method="soft"'):
        consensus.compare_with_release(500, train=(X, y), held_out=held_out)
    three = np.digitize(X[:, 0], [-0.3, 0.3])
    loudest = VotingPredictor(TREE, 1.0, 1e-6, method="gaussian", classes=[0, 1, 2], **common)
    with pytest.raises(MechanismRefused, match=r'"gaussian": with 3 classes.*method="soft"'):
        loudest.fit(X, three).compare_with_release(500, train=(X, three), held_out=held_out)
    few = AveragingPredictor(TREE, 1.0, shards=5, n_jobs=1, ledger=ledger).fit(X, y)
    with pytest.raises(MechanismRefused, match="too few for a coin"):
        few.compare_with_release(5000, train=(X, y), held_out=held_out)
    assert ledger.entries() == ()


def test_three_classes_are_measured_by_a_soft_vote_and_a_joint_model() -> None:
    X, _ = table(3000, 1)
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-0.3, 0.3])]
    voting = VotingPredictor(TREE, 1.0, shards=30, classes=["low", "middle", "high"], n_jobs=1, random_state=0).fit(
        X[:2000], y[:2000]
    )
    found = voting.compare_with_release(2000, budget=BUDGET, train=(X[:2000], y[:2000]), held_out=(X[2000:], y[2000:]))
    assert found.model.classes_.tolist() == ["low", "middle", "high"]
    assert found.answers.value > found.pilot.low


def test_a_figure_that_will_be_too_coarse_is_warned_of_before_it_is_paid() -> None:
    train, held_out = parts("stable", 300, 300)
    predictor = StablePredictor(1.0, ledger=eq.Ledger(1.0), random_state=0).fit(*train)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(WideInterval, match=r"charge=\(0.2, 0\): with k=10 .* raise the charge"):
            predictor.compare_with_release(10, train=train, held_out=held_out)
    assert predictor.ledger_.entries() == ()


def test_a_model_may_be_given_and_frames_keep_their_names() -> None:
    pd = pytest.importorskip("pandas")
    (X, y), (H, h) = parts("stable", 2000, 2500)
    names = ["age", "dose", "weight"]
    rows, held = pd.DataFrame(X, columns=names), pd.DataFrame(H, columns=names)
    predictor = StablePredictor(1.0, ledger=eq.Ledger(1.0), random_state=0).fit(rows, y)
    found = predictor.compare_with_release(
        5000,
        train=(rows, y),
        held_out=(held, h),
        model=eq.LinearSVC(smoothing=1.0, ledger=eq.Ledger(9.0)),
        charge=(0.5, 0),
    )
    assert isinstance(found.model, eq.LinearSVC)
    assert found.model.smoothing == 1.0
    assert found.model.feature_names_in_.tolist() == names
    assert found.model.ledger is None, "the predictor's ledger pays"
    with pytest.raises(InvalidInput, match="feature names"):
        predictor.compare_with_release(5000, train=(rows, y), held_out=(held[names[::-1]], h), charge=(0.1, 0))
    assert len(predictor.ledger_.entries()) == 1


def test_the_result_is_frozen_and_says_when_the_data_do_not_settle_it() -> None:
    train, held_out = parts("stable", 1000, 1000)
    predictor = StablePredictor(1.0, ledger=eq.Ledger(1.0), random_state=0).fit(*train)
    with pytest.warns(WideInterval):
        found = predictor.compare_with_release(20, train=train, held_out=held_out)
    assert not found.clear
    assert "overlap" in str(found)
    free = predictor.compare_with_release(20, budget=found.advice.budget)
    assert found.advice == free
    assert len(predictor.ledger_.entries()) == 1, "free advice stays free"
    with pytest.raises(FrozenInstanceError):
        found.charge = Budget(1.0)  # type: ignore[misc]
