"""Made-up rows show, before a record is seen or anything is spent, what a stranger's models share or repeat."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

import equipoise as eq
from equipoise.answering import VotingPredictor
from equipoise.estimators.search.stranger_runs import let_go, rehearse
from equipoise.gate import bits_from
from equipoise.gate.noise import SeededBits
from equipoise.inside.strangers import FAILED, Reach
from equipoise.inside.strangers.generators import state_of
from equipoise.theory.accounting.repeats import FALSE_ALARM, chance_of_repeat, repeats_to_refuse
from equipoise.theory.guarantees import Concentrated, Pure, Renyi
from equipoise.tuning import BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def table(n: int = 60) -> tuple[Array, Labels]:
    X = np.random.default_rng(0).normal(size=(n, 2)) / 2
    return X, (X[:, 0] > 0).astype(np.int64)


class Sharing(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """Keeps something that no seed reaches: a memory of all fits, the system's randomness, or a counter when asked."""

    seen: list[float] = []  # noqa: RUF012 - the fault that is looked for
    asked = itertools.count()

    def __init__(self, way: str = "memory") -> None:
        self.way = way

    def fit(self, X: Array, y: Array) -> Self:
        self.classes_ = np.array([0.0, 1.0])
        Sharing.seen.append(float(X[0, 0]))
        system = int.from_bytes(os.urandom(6), "little")
        self.level_ = {"memory": float(len(Sharing.seen)), "system": float(system)}.get(self.way, 0.0)
        return self

    def predict(self, X: Array) -> Array:
        level = float(next(Sharing.asked)) if self.way == "asked" else self.level_
        return np.random.default_rng(int(level)).integers(0, 2, len(X)).astype(float)


@pytest.mark.parametrize("way", ["memory", "system", "asked"])
def test_models_that_notice_each_other_are_refused_before_a_record_is_seen(way: str) -> None:
    """By answers to 30 rows: two that have nothing to do with each other are the same with probability 2**-30."""
    told = []
    for X, y in (table(), (np.full((60, 2), np.nan), table()[1])):
        with pytest.raises(eq.InvalidInput, match="share a memory") as error:
            VotingPredictor(Sharing(way), shards=2, n_jobs=1).fit(X, y)
        told.append(str(error.value))
    assert told[0] == told[1], "the verdict does not look at the records"


def test_held_out_records_are_asked_only_of_models_that_take_them_one_by_one() -> None:
    class Centring(DecisionTreeClassifier):  # type: ignore[misc]
        def predict(self, X: Array) -> Any:
            return super().predict(X - X.mean(axis=0))

    X, y = table()
    voting = VotingPredictor(Centring(max_depth=2), 1.0, shards=5, n_jobs=1, random_state=0).fit(X, y)
    assert len(voting.predict(X[:5])) == 5, "public queries may be mixed: one record still decides one vote"
    with pytest.raises(eq.InvalidInput, match="held-out record"):
        voting.compare_with_release(9, train=(X, y), held_out=(X, y), charge=(1.0, 0.0), budget=(2.0, 0.0))
    assert len(voting.ledger_.entries()) == 1


class Noisy(BaseEstimator):  # type: ignore[misc]
    """The share of ones with noise of a chosen source."""

    def __init__(self, shade: int = 0, source: str = "global", held: Any = None, salt: int = 0) -> None:
        self.shade = shade
        self.source = source
        self.held = held
        self.salt = salt

    def fit(self, X: Array, y: Labels) -> Self:
        self.rng_ = np.random.default_rng(self.salt)
        sources: dict[str, Callable[[], float]] = {
            "global": lambda: np.random.laplace(),  # noqa: NPY002
            "held": lambda: self.held.laplace(),
            "salt": lambda: self.rng_.laplace(),
            "system": lambda: np.random.default_rng().laplace(),
            "none": lambda: 0.0,
        }
        self.share_ = np.array([np.mean(y) + X[0].sum() + sources[self.source]()])
        return self

    def predict(self, X: Array) -> Labels:
        return np.full(len(X), int(self.share_[0] > 0.5))


def refused_for(stranger: Any, stated: Any = None) -> bool:
    try:
        rehearse(stranger, [{"shade": 0}, {"shade": 1}], 2, table()[1], stated or Pure(0.15))
    except eq.InvalidInput as error:
        return "repeat its noise" in str(error)
    return False


def test_noise_that_repeats_is_refused_whatever_its_seed_is_called() -> None:
    assert refused_for(Noisy(source="salt"))
    assert refused_for(Noisy(source="none"))
    assert refused_for(Noisy(source="salt"), Concentrated(0.01))
    for fine in ("global", "system"):
        assert not refused_for(Noisy(source=fine))
    assert not refused_for(Noisy(source="held", held=np.random.default_rng(0)))


def test_the_refusal_spends_nothing() -> None:
    ledger = eq.Ledger()
    search = RandomStopSearch(Noisy(source="salt"), {"shade": [0, 1]}, guarantee=Pure(0.15), score="accuracy")
    with pytest.raises(eq.InvalidInput, match="repeat its noise"):
        search.set_params(ledger=ledger).fit(*table())
    assert not ledger.entries()


@pytest.mark.parametrize(
    "stated",
    [Pure(0.01), Pure(0.15), Pure(1.0), Pure(3.0), Concentrated(0.05), Renyi((2.0, 8.0), (0.1, 0.5))],
    ids=repr,
)
def test_no_pair_of_laws_within_the_guarantee_repeats_more_often_than_is_stated(stated: Any) -> None:
    """Two outcomes suffice for the worst: P(a) = p and Q(b) = 1 − q as large as the guarantee allows."""
    worst = chance_of_repeat(stated)
    p, q = np.meshgrid(np.linspace(1e-9, 1 - 1e-9, 801), np.linspace(1e-9, 1 - 1e-9, 801), indexing="ij")
    orders = [(1e4, stated.epsilon)] if isinstance(stated, Pure) else None
    if orders is None:
        pairs = zip(stated.orders, stated.epsilons, strict=True) if isinstance(stated, Renyi) else None
        orders = list(pairs) if pairs is not None else [(a, stated.rho * a) for a in (1.5, 2.0, 4.0, 16.0)]
    allowed = np.ones_like(p, dtype=bool)
    for order, epsilon in orders:
        for left, right in ((p, q), (q, p)):
            logs = [order * np.log(u) + (1 - order) * np.log(v) for u, v in ((left, right), (1 - left, 1 - right))]
            allowed &= np.logaddexp(*logs) / (order - 1) <= epsilon
    largest = float(np.max(np.where(allowed, p * (1 - q), 0.0)))
    assert largest <= worst * (1 + 1e-3)
    repeats = repeats_to_refuse(stated)
    assert repeats is None or largest**repeats <= FALSE_ALARM * 1.1


def test_honest_answers_of_few_values_are_not_refused() -> None:
    """Randomised response: refused by chance once in a million fits at most; 40 are tried."""

    class Response(Noisy):
        def fit(self, X: Array, y: Labels) -> Self:
            lies = np.random.random() > 1 / (1 + math.exp(-0.15))  # noqa: NPY002
            self.share_ = np.array([float(int(y[0]) ^ int(lies))])
            return self

    for _ in range(5):
        assert not refused_for(Response())


def test_a_model_leaves_without_the_state_that_its_noise_came_from() -> None:
    held = np.random.default_rng(11)
    before = held.bit_generator.state
    search = RandomStopSearch(
        Noisy(source="held", held=held), {"shade": [0, 1]}, guarantee=Pure(0.15), score="accuracy", random_state=0
    ).fit(*table())
    assert held.bit_generator.state == before, "the caller's own is not touched"
    model = search.best_estimator_
    states = [[state_of(h) for h in Reach(own=True).of(let_go(model, Noisy(), bits_from(seed)))] for seed in (1, 2)]
    assert len(states[0]) == 2, "the one it was given and the one it made"
    assert all(once != twice for once, twice in zip(*states, strict=True))
    assert let_go(FAILED, Noisy(), bits_from(0)) is FAILED


@pytest.mark.parametrize(
    "search", [BudgetSplitSearch, DataSplitSearch, RandomSearch, RandomStopSearch, StabilitySearch]
)
def test_inner_fits_draw_from_the_secure_source_unless_a_seed_was_given(
    search: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is drawn within a search without a seed comes from the system: no generator of ours is ever seeded."""
    made: list[int] = []
    usual = SeededBits.__init__

    def watched(self: SeededBits, seed: Any) -> None:
        made.append(1)
        usual(self, seed)

    monkeypatch.setattr(SeededBits, "__init__", watched)
    estimator = eq.LogisticRegression(20.0, 1e-6, mechanism="output")
    X, y = table(300)
    search(estimator, {"alpha": [0.5, 1.0]}).fit(X, y)
    assert not made
    search(estimator, {"alpha": [0.5, 1.0]}, random_state=0).fit(X, y)
    assert made, "the watcher would have noticed"


def test_strangers_seeds_come_from_the_secure_source_with_256_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    usual = os.urandom

    def counted(count: int) -> bytes:
        drawn.append(count)
        return usual(count)

    monkeypatch.setattr(os, "urandom", counted)
    VotingPredictor(DecisionTreeClassifier(max_depth=1), shards=6, n_jobs=1).fit(*table())
    assert sum(drawn) >= 6 * 32 + 60 * 8, "six seeds and an order of sixty rows"
