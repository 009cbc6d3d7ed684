"""Shards: one record, one voter; nothing raises; what the voters say adds up exactly."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from equipoise.errors import InvalidInput
from equipoise.gate import bits_from
from equipoise.gate.answers.deal import Deal, deal
from equipoise.inside import Private
from equipoise.inside.answers.rehearsal import rehearse
from equipoise.inside.answers.shards import (
    MEAN_BITS,
    Says,
    Voter,
    Voters,
    asker,
    codes_of,
    numbers_of,
    seeded,
    sums,
    tallies,
    train,
)
from equipoise.inside.strangers import small_seed
from equipoise.theory.prediction.shards import shard_sizes, shards_within

Array = npt.NDArray[np.float64]
WHOLE = 2**MEAN_BITS


class Sulky(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn publishes no types
    """Refuses any table that holds a number above 9, and says what it likes."""

    def __init__(self, says: str = "labels") -> None:
        self.says = says

    def fit(self, X: Array, y: Array) -> Self:
        if np.max(X) > 9:
            raise RuntimeError(f"the row {X.max()} is not welcome")
        warnings.warn("a warning about the rows", UserWarning, stacklevel=1)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Array) -> Any:
        said: dict[str, Any] = {
            "labels": np.ones(len(X)),
            "names": np.array(["one"] * len(X)),
            "beyond": np.full(len(X), 77.0),
            "halves": np.full(len(X), 0.5),
            "nothing": np.full(len(X), np.nan),
            "table": np.ones((len(X), 2)),
        }
        if self.says not in said:
            raise RuntimeError("I will not say")
        return said[self.says]


def table(n: int = 120) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] > 0).astype(float)


def voters_of(estimator: Any, X: Any, y: Array, dealt: Deal, labels: bool = True, n_jobs: int = 1) -> Voters:
    return train(X, y, estimator, dealt.parts, dealt.seeds, 0.0, labels=labels, n_jobs=n_jobs).reveal()


def said_by(voters: Voters, X: Array, says: Says = Says.LABEL) -> Array:
    return np.array([voter.say(X, asker(says)) for voter in voters])


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        DecisionTreeClassifier(max_features=1),
        RandomForestClassifier(5),
        make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
    ],
    ids=lambda e: type(e).__name__,
)
def test_replacing_one_record_changes_one_voter_at_most(estimator: Any) -> None:
    X, y = table()
    dealt = deal(shard_sizes(120, 8), bits_from(0))
    queries = np.random.default_rng(1).normal(size=(40, 3))
    before = said_by(voters_of(estimator, X, y, dealt), queries)
    some_changed = False
    for row in range(0, 120, 17):
        other_X, other_y = X.copy(), y.copy()
        other_X[row], other_y[row] = 50.0, 1 - y[row]
        changed = np.any(before != said_by(voters_of(estimator, other_X, other_y, dealt), queries), axis=1)
        assert changed.sum() <= 1
        assert all(row in dealt.parts[place] for place in np.flatnonzero(changed))
        some_changed |= bool(changed.any())
    assert some_changed


def test_shards_cut_from_sorted_rows_would_be_caught() -> None:
    """The twin: dealt by value instead of position, one record pushes others from shard to shard."""
    X, y = table()
    dealt = deal(shard_sizes(120, 8), bits_from(0))
    other = X.copy()
    other[np.argmin(X[:, 0])] = 50.0
    tree, queries = DecisionTreeClassifier(), np.random.default_rng(1).normal(size=(200, 3))
    orders = [np.argsort(values[:, 0]) for values in (X, other)]
    said = [said_by(voters_of(tree, v[o], y[o], dealt), queries) for v, o in zip((X, other), orders, strict=True)]
    assert np.any(said[0] != said[1], axis=1).sum() > 1


def test_shards_that_share_a_generator_would_be_caught() -> None:
    """The twin: clones draw from one generator in turn, so a changed shard disturbs those after it."""
    X, y = table()
    dealt = deal(shard_sizes(120, 8), bits_from(0))
    queries = np.random.default_rng(1).normal(size=(200, 3))

    def twin(table_y: Array) -> Array:
        rng = np.random.RandomState(0)
        models = []
        for part in dealt.parts:
            rng.randint(2**31, size=int(table_y[part].sum()))  # as a learner that draws by its labels
            models.append(DecisionTreeClassifier(max_features=1, random_state=rng).fit(X[part], table_y[part]))
        return np.array([model.predict(queries) for model in models])

    other = y.copy()
    other[dealt.parts[0][0]] = 1 - other[dealt.parts[0][0]]
    assert np.any(twin(y) != twin(other), axis=1).sum() > 1


def test_models_that_work_in_place_touch_neither_each_other_nor_the_queries() -> None:
    X, y = table()
    dealt = deal(shard_sizes(120, 6), bits_from(0))
    queries = np.random.default_rng(1).normal(size=(30, 3))
    kept = queries.copy()
    scaled = [make_pipeline(StandardScaler(copy=copy), LogisticRegression()) for copy in (True, False)]
    said = [said_by(voters_of(pipe, X.copy(), y, dealt), queries) for pipe in scaled]
    assert np.array_equal(said[0], said[1])
    assert np.array_equal(queries, kept)


def test_dealing_depends_on_sizes_and_bits_alone_and_gives_each_row_once() -> None:
    sizes = shard_sizes(103, 10)
    dealt = deal(sizes, bits_from(7))
    assert sorted(np.concatenate(dealt.parts).tolist()) == list(range(103))
    assert [len(part) for part in dealt.parts] == list(sizes)
    assert max(sizes) - min(sizes) == 1
    assert len(set(dealt.seeds)) == 10
    assert all(0 <= seed < 2**256 for seed in dealt.seeds)
    assert min(dealt.seeds) > 2**200, "a chance of 2^-52 for ten honest seeds"
    assert not np.array_equal(deal(sizes, bits_from(8)).parts[0], dealt.parts[0])


def test_seeds_reach_nested_estimators() -> None:
    pipe = seeded(make_pipeline(StandardScaler(), RandomForestClassifier(2, random_state=1, n_jobs=3)), 12)
    params = pipe.get_params()
    assert params["randomforestclassifier__random_state"] == small_seed(12) != small_seed(13)
    assert params["randomforestclassifier__n_jobs"] == 1
    assert seeded(KNeighborsClassifier(), 3).get_params()["n_neighbors"] == 5


def test_workers_and_one_process_train_the_same_voters() -> None:
    X, y = table(60)
    dealt = deal(shard_sizes(60, 4), bits_from(0))
    alone = said_by(voters_of(RandomForestClassifier(3), X, y, dealt), X)
    assert np.array_equal(alone, said_by(voters_of(RandomForestClassifier(3), X, y, dealt, n_jobs=2), X))


def test_sparse_rows_are_taken() -> None:
    X, y = table(60)
    dealt = deal(shard_sizes(60, 4), bits_from(0))
    dense = said_by(voters_of(DecisionTreeClassifier(), X, y, dealt), X)
    assert np.array_equal(dense, said_by(voters_of(DecisionTreeClassifier(), csr_matrix(X), y, dealt), X))


def test_a_shard_of_one_class_votes_for_it_and_one_that_fails_for_the_constant() -> None:
    X, y = np.arange(12.0).reshape(6, 2) - 1, np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    parts = (np.array([0, 1]), np.array([2, 3]), np.array([4, 5]))
    voters = voters_of(Sulky(), X, y, Deal(parts, (0, 1, 2)))
    assert [voter.model is None for voter in voters] == [True, False, True]
    assert said_by(voters, np.zeros((1, 2))).tolist() == [[1.0], [1.0], [0.0]]


@pytest.mark.parametrize("says", ["names", "beyond", "halves", "nothing", "table", "silence"])
def test_answers_that_are_no_class_count_for_the_constant(says: str) -> None:
    model = Sulky(says)
    counts = tallies(Private((Voter(model, 2.0), Voter(None, 1.0))), np.zeros((4, 2)), 3).reveal()
    assert counts.tolist() == [[0, 1, 1]] * 4


def test_tallies_count_every_voter_once() -> None:
    X, y = table()
    dealt = deal(shard_sizes(120, 9), bits_from(0))
    voters = train(X, y, LogisticRegression(), dealt.parts, dealt.seeds, 0.0, labels=True, n_jobs=1)
    counts = tallies(voters, X, 2).reveal()
    assert np.all(counts.sum(axis=1) == 9)
    assert np.array_equal(counts[:, 1], said_by(voters.reveal(), X).sum(axis=0))


def test_sums_are_exact_and_one_voter_moves_them_by_no_more_than_the_range() -> None:
    X = np.array([[0.2], [0.9]])
    fitted = DecisionTreeRegressor().fit(X, np.array([-100.0, 0.3]))
    total = sums(Private((Voter(fitted, 0.0), Voter(None, 0.5))), X, (-1.0, 1.0), Says.NUMBER).reveal()
    assert total.tolist() == [0 + 3 * WHOLE // 4, round(0.65 * WHOLE) + 3 * WHOLE // 4]
    for value in (-1e300, -1.0, 1 / 3, 1.0, 1e300):
        one = sums(Private((Voter(None, value),)), X, (-1.0, 1.0), Says.NUMBER).reveal()
        assert np.all((one >= 0) & (one <= WHOLE))


def test_probabilities_are_those_of_the_second_class() -> None:
    X, y = table()
    model = LogisticRegression().fit(X, y)
    assert np.array_equal(Voter(model, 0.5).say(X, asker(Says.PROBABILITY)), model.predict_proba(X)[:, 1])


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("otherwise", [0.0, 0.5])
def test_a_shard_without_rows_says_the_constant_whatever_its_model_would_make_of_nothing(
    labels: bool, otherwise: float
) -> None:
    """Where rows have no id a slot of theirs brings none."""

    class Fond(Sulky):
        def fit(self, X: Array, y: Array) -> Self:
            return self

    nobody, X = np.zeros(0, dtype=np.intp), np.zeros((3, 2))
    (voter,) = train(X, np.ones(3), Fond(), [nobody], [1], otherwise, labels=labels, n_jobs=1).reveal()
    assert voter.say(X, asker(Says.LABEL)).tolist() == [otherwise] * 3


def test_every_label_is_encoded() -> None:
    assert codes_of(np.array(["b", "a"]), ("a", "b")).tolist() == [1.0, 0.0]
    assert codes_of(np.array([3, 1, 2]), (1, 2, 3)).tolist() == [2.0, 0.0, 1.0]
    assert codes_of(np.array([0, 1, 4711]), (0, 1)).tolist() == [0.0, 1.0, 0.0]
    assert numbers_of(np.array([-5.0, 0.5, np.nan]), (0.0, 1.0)).tolist() == [0.0, 0.5, 0.5]


def test_an_estimator_that_cannot_work_is_refused_before_a_record_is_seen() -> None:
    with pytest.raises(InvalidInput, match="made-up rows"):
        rehearse(LogisticRegression(C=-1.0), 10, 3, Says.LABEL, 2)
    with pytest.raises(InvalidInput, match="made-up rows"):
        rehearse(KNeighborsClassifier(n_neighbors=40), 10, 3, Says.LABEL, 2)
    with pytest.raises(InvalidInput, match="AttributeError"):
        rehearse(Sulky(), 10, 3, Says.PROBABILITY, 2)
    with pytest.raises(InvalidInput, match="more than one answer"):
        rehearse(Sulky("table"), 10, 3, Says.LABEL, 2)
    assert rehearse(Ridge(), 10, 3, Says.NUMBER, 0) > 0
    assert rehearse(LogisticRegression(), 1, 3, Says.LABEL, 2) == 0


@pytest.mark.parametrize(("rows", "shards"), [(3, 4), (5, 100)])
def test_more_shards_than_rows_are_refused(rows: int, shards: int) -> None:
    with pytest.raises(InvalidInput, match=f"shards={shards}: more shards than the {rows} rows"):
        shard_sizes(rows, shards)


def test_defaults_leave_ten_rows_to_a_shard() -> None:
    assert shards_within(27, 10_000) == 27
    assert shards_within(27, 100) == 10
    assert shards_within(27, 3) == 1
