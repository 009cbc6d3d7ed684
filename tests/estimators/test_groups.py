"""Persons with several rows, through the doors that a caller has: fit, predictors, searches, ledgers and cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import equipoise as eq
from equipoise.answering import AveragingPredictor, SGDPredictor, StablePredictor, ThresholdPredictor, VotingPredictor
from equipoise.audit import lower_bound
from equipoise.tuning import DataSplitSearch

RNG = np.random.default_rng(4)
N = 600
X = RNG.normal(size=(N, 2)) / 2
Y = (X[:, 0] > 0).astype(int)
IDS = RNG.integers(150, size=N)
CAP = 3


def used_by_hand(ids: npt.NDArray[Any], cap: int) -> list[int]:
    return [place for place in range(len(ids)) if np.sum(ids[:place] == ids[place]) < cap]


def test_the_fit_is_that_of_the_first_rows_of_each_person_with_noise_for_them_all(kind: Any) -> None:
    """At a huge epsilon nothing is left but the rows that were used."""
    used = used_by_hand(IDS, CAP)
    persons = kind(1e4, mechanism="output", alpha=0.1, rows_per_person=CAP, random_state=0).fit(X, Y, groups=IDS)
    rows = kind(1e4, mechanism="output", alpha=0.1, random_state=0).fit(X[used], Y[used])
    np.testing.assert_allclose(persons.coef_, rows.coef_, atol=0.01)
    assert persons.guarantee_.constants["records"] == len(used)
    assert persons.guarantee_.sensitivity == pytest.approx(CAP * rows.guarantee_.sensitivity)


def test_one_without_the_other_is_refused_before_anything_is_spent(kind: Any) -> None:
    ledger = eq.Ledger(unit="person")
    with pytest.raises(eq.BoundsRequired, match=r"rows_per_person.*nothing was spent"):
        kind(ledger=ledger).fit(X, Y, groups=IDS)
    with pytest.raises(eq.InvalidInput, match=r"rows_per_person.*give groups=.*nothing was spent"):
        kind(rows_per_person=2, ledger=ledger).fit(X, Y)
    for cap in (0, -1, 1.5, "2", True):
        with pytest.raises(eq.EquipoiseError, match="rows_per_person"):
            kind(rows_per_person=cap, ledger=ledger).fit(X, Y, groups=IDS)
    with pytest.raises(eq.InvalidInput, match="groups"):
        kind(rows_per_person=2, ledger=ledger).fit(X, Y, groups=IDS[:-1])
    assert ledger.entries() == ()


def test_ledger_and_card_speak_of_persons(kind: Any, tmp_path: Path) -> None:
    ledger = eq.Ledger(1.0, unit="person")
    model = kind(1.0, rows_per_person=CAP, ledger=ledger).fit(X, Y, groups=IDS)
    assert str(ledger.entries()[0].neighbours.unit) == "person"
    assert model.guarantee_.unit == "one person with at most 3 rows"
    page = " ".join(model.card().text().split())
    assert "unit of privacy one person with at most 3 rows" in page
    assert "had all rows of any one person held other values" in page
    assert "rows per person 3" in page
    model.save(tmp_path / "m.json")
    assert eq.load(tmp_path / "m.json").guarantee_.unit == model.guarantee_.unit
    with pytest.raises(eq.EquipoiseError, match="persons"):
        kind(1.0, ledger=eq.Ledger(unit="person")).fit(X, Y)


def test_the_plan_is_for_persons_before_any_row_is_seen(kind: Any) -> None:
    plans = [kind(1.0, mechanism="output", alpha=0.1, rows_per_person=cap).plan(N, 2) for cap in (None, 1, 5)]
    assert plans[0].sensitivity.l2 == plans[1].sensitivity.l2
    assert plans[2].sensitivity.l2 == pytest.approx(5 * plans[0].sensitivity.l2)
    assert plans[1].facts.unit == "one person with at most 1 row"


@pytest.mark.parametrize("ids", [IDS.tolist(), [f"p{each}" for each in IDS], pd.Series(IDS), pl.Series(IDS)])
def test_any_list_of_ids_gives_the_same_fit(ids: Any) -> None:
    wanted = eq.LogisticRegression(rows_per_person=2, random_state=0).fit(X, Y, groups=IDS)
    found = eq.LogisticRegression(rows_per_person=2, random_state=0).fit(X, Y, groups=ids)
    np.testing.assert_array_equal(found.coef_, wanted.coef_)


def test_rows_without_an_id_count_as_persons_of_their_own_so_that_their_number_is_not_told() -> None:
    """Whether somebody's id is missing must not be seen, and the number of rows used is printed for free."""
    ids, records = IDS.astype(float), []
    for missing in (0, 1, 100):
        ids[:missing] = np.nan
        model = eq.LogisticRegression(rows_per_person=99).fit(X, Y, groups=ids)
        records.append(model.guarantee_.constants["records"])
    assert records == [len(X)] * 3


def test_under_add_remove_the_number_of_rows_stays_secret() -> None:
    model = eq.LogisticRegression(1.0, adjacency="add-remove", public_n=400, rows_per_person=CAP)
    assert model.fit(X, Y, groups=IDS).guarantee_.constants["records"] == 400
    assert model.fit(X[:0], Y[:0], groups=[]).guarantee_.constants["records"] == 400


def test_groups_go_through_a_pipeline() -> None:
    made = make_pipeline(FunctionTransformer(), eq.LogisticRegression(rows_per_person=2))
    made.fit(X, Y, logisticregression__groups=IDS)
    assert made[-1].guarantee_.unit == "one person with at most 2 rows"


@pytest.mark.parametrize(
    ("kind", "given"),
    [(StablePredictor, {"alpha": 1.0}), (SGDPredictor, {"step_size": 0.1}), (ThresholdPredictor, {})],
)
def test_predictors_with_a_cap_protect_persons(kind: Any, given: dict[str, Any]) -> None:
    columns = X[:, :1]
    ledger = eq.Ledger(unit="person")
    asked = kind(1.0, rows_per_person=CAP, ledger=ledger, **given).fit(columns, Y, groups=IDS)
    row = kind(1.0, **given).fit(columns[used_by_hand(IDS, CAP)], Y[used_by_hand(IDS, CAP)])
    asked.predict([[0.1]])
    assert str(ledger.entries()[0].neighbours.unit) == "person"
    assert asked.guarantee_.unit == "one person with at most 3 rows"
    assert asked.guarantee_.noise_scale == pytest.approx(CAP * row.guarantee_.noise_scale, rel=0.01)
    with pytest.raises(eq.BoundsRequired, match="rows_per_person"):
        kind(1.0).fit(columns, Y, groups=IDS)
    with pytest.raises(eq.MechanismRefused, match="persons are not compared"):
        asked.compare_with_release(3, budget=(1.0, 0.0))


class Ids(DecisionTreeClassifier):  # type: ignore[misc]  # untyped
    """Remembers whose rows it was taught."""

    taught: list[set[float]] = []  # noqa: RUF012 - shared on purpose

    def fit(self, X: Any, y: Any, **given: Any) -> Any:
        Ids.taught.append(set(np.asarray(X)[:, -1].tolist()))
        return super().fit(X, y, **given)


def test_whole_people_are_dealt_to_shards() -> None:
    ledger = eq.Ledger(unit="person")
    rows = np.column_stack([X, IDS])
    Ids.taught.clear()
    voting = VotingPredictor(Ids(max_depth=1), 1.0, shards=10, n_jobs=1, ledger=ledger).fit(rows, Y, groups=IDS)
    taught = [each for each in Ids.taught[-10:] if each]
    assert len(taught) == 10
    assert sum(len(each) for each in taught) == len(set.union(*taught)) == len(set(IDS.tolist()))
    voting.predict([[0.1, 0.2, 3.0]])
    assert str(ledger.entries()[0].neighbours.unit) == "person"
    assert voting.guarantee_.unit == "one person, however many rows"
    mean = AveragingPredictor(DecisionTreeRegressor(max_depth=1), bounds=(0, 1), shards=10, n_jobs=1)
    assert mean.fit(X, Y, groups=IDS).guarantee_.unit == voting.guarantee_.unit


SHARDED = [
    (VotingPredictor, {"estimator": DecisionTreeClassifier(max_depth=1)}),
    (AveragingPredictor, {"estimator": DecisionTreeRegressor(max_depth=1), "bounds": (0, 1)}),
]


@pytest.mark.parametrize(("kind", "given"), SHARDED)
@pytest.mark.parametrize("shards", [None, 7])
def test_an_id_that_is_missing_does_not_show_in_what_a_sharded_predictor_says_of_itself(
    kind: Any, given: dict[str, Any], shards: int | None
) -> None:
    """Of people with one row; 98 of them, so that a count that falls by one changes the size of a shard."""
    ids, seen = np.arange(98).astype(float), []
    for missing in (0, 1, 40):
        ids[:missing] = np.nan
        asked = kind(**given, shards=shards, n_jobs=1, random_state=0).fit(X[:98], Y[:98], groups=ids)
        seen.append(repr(asked.guarantee_))
    assert len(set(seen)) == 1


def test_a_row_without_an_id_is_nobodys_second_vote() -> None:
    """One person, half of whose rows lost their id, is still in one shard at most."""
    ids = IDS.astype(float)
    ids[IDS == 3] = np.where(np.arange(np.sum(IDS == 3)) % 2, 3.0, np.nan)
    rows = np.column_stack([X, IDS])
    for seed in range(5):
        Ids.taught.clear()
        VotingPredictor(Ids(max_depth=1), shards=10, n_jobs=1, random_state=seed).fit(rows, Y, groups=ids)
        assert sum(3.0 in each for each in Ids.taught[-10:]) == 1


def test_a_search_applies_the_cap_of_its_estimator() -> None:
    ids = np.where(np.arange(N) < 200, 0, np.arange(N))
    search = DataSplitSearch(eq.LogisticRegression(5.0, rows_per_person=2), {"alpha": [0.1, 1.0]})
    found = search.fit(X, Y, groups=ids)
    assert found.guarantee_.constants["rows of the largest group"] == 2
    assert "rows_per_person" in found.best_estimator_.get_params()


def as_persons(table: Any, rows: int = 4, **given: Any) -> float:
    """Each record of the table is a person with so many equal rows."""
    ids = np.repeat(np.arange(len(table[0])), rows)
    model = eq.LogisticRegression(1.0, mechanism="output", alpha=0.5, fit_intercept=False, classes=[0, 1], **given)
    groups = {"groups": ids} if given else {}
    return float(model.fit(np.repeat(table[0], rows, axis=0), np.repeat(table[1], rows), **groups).coef_[0, 0])


def test_a_person_is_not_told_from_another_beyond_epsilon() -> None:
    """Lower bounds with 500 fits each, false alarm at most one in a thousand: row noise proves 2 where 1 is claimed."""
    rows = np.zeros((3, 1))
    rows[0] = 1.0
    left, right = (rows, np.array([1, 1, 1])), (rows, np.array([0, 1, 1]))
    found = lower_bound(lambda table: as_persons(table, rows_per_person=4), left, right, samples=500, confidence=0.999)
    assert found.epsilon <= 1.0
    assert lower_bound(as_persons, left, right, samples=500, confidence=0.999).epsilon > 1.0


def test_the_walk_of_a_person_is_slower() -> None:
    """Forty rows of the second class: alone a query is answered so for sure, at a fortieth of the rate not always.

    At rate 1/(2·40) and a stand of 7 at most, the first class comes with chance above .47; ten times out of ten it does
    not with chance below .002, and the seed is fixed.
    """
    rows, labels = np.linspace(0, 1, 40)[:, None], np.ones(40, dtype=int)
    asked = ThresholdPredictor(1.0, accuracy=0.05, rows_per_person=40, random_state=3)
    told = asked.fit(rows, labels, groups=np.zeros(40)).predict(np.linspace(0.99, 1, 40)[:, None])
    assert 0 < told.mean() < 1
    alone = ThresholdPredictor(8.0, accuracy=0.05, random_state=3).fit(rows, labels)
    assert alone.predict(np.linspace(0.99, 1, 40)[:, None]).all()
