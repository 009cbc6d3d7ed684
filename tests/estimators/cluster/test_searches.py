"""Searches over a table on many machines choose and release what they do in memory, for the same seed."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from distributed import Client
from tests.estimators.cluster.test_what_workers_may_do import kill_one

import equipoise as eq
from equipoise.errors import InvalidInput, MechanismRefused, WorkerFailure
from equipoise.inside.cluster.crew import Crew
from equipoise.tuning import (
    BudgetSplitSearch,
    DataSplitSearch,
    OracleSearch,
    RandomSearch,
    RandomStopSearch,
    StabilitySearch,
)

ROWS = 1_500
CUTS = (400, 1, 0, 700, 399)
CLOSE = 1e-9
GRID = {"alpha": [0.003, 0.1, 30.0]}


def table() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(ROWS, 3))
    X[4, 1] = np.nan
    return X, np.nan_to_num(X) @ [0.5, -0.4, 0.1] + 0.1 * rng.normal(size=ROWS)


def in_parts(held: npt.NDArray[Any]) -> Any:
    ends = np.cumsum(CUTS)[:-1]
    split = np.split(held, ends)
    return da.concatenate([da.from_array(part, chunks=(max(1, len(part)), *held.shape[1:])) for part in split])


def classes(number: int) -> npt.NDArray[np.int64]:
    return np.digitize(table()[1], [0.0] if number == 2 else [-0.3, 0.3]).astype(np.int64)


CLASSES = {2: eq.LogisticRegression(4.0), 3: eq.LogisticRegression(4.0, classes=[0, 1, 2])}
SIZES = eq.LinearRegression(4.0, label_bounds=(-2, 2))
BALLS = eq.LogisticRegression(4.0, mechanism="output", column_bounds=[(-2, 2)] * 3)
CASES: dict[str, Any] = {
    "data split": (DataSplitSearch(CLASSES[2], GRID), classes(2)),
    "three classes": (DataSplitSearch(CLASSES[3], {"alpha": [0.01, 10.0]}), classes(3)),
    "sizes": (DataSplitSearch(SIZES, GRID), table()[1]),
    "budget split": (BudgetSplitSearch(CLASSES[2], GRID), classes(2)),
    "in balls": (BudgetSplitSearch(BALLS, {"alpha": [0.01, 1.0], "coef_norm": [0.5, 2.0]}), classes(2)),
    "one at random": (RandomSearch(CLASSES[2], GRID), classes(2)),
    "only one": (BudgetSplitSearch(CLASSES[2], {"alpha": [0.1]}), classes(2)),
    "stability": (StabilitySearch(CLASSES[2], {"alpha": [1.0, 3.0, 300.0]}, share=0.5), classes(2)),
    "stability of sizes": (StabilitySearch(SIZES, {"alpha": [1.0, 300.0]}, share=0.5), table()[1]),
}


@pytest.mark.filterwarnings("ignore::equipoise.tuning.NoisyChoice")  # few rows make a quick test
@pytest.mark.parametrize("case", CASES)
def test_a_search_ends_where_it_ends_in_memory(client: Client, case: str) -> None:
    search, y = CASES[case]
    search.set_params(random_state=11)
    X = table()[0]
    here = search.fit(X, y)
    kept = np.array(here.best_estimator_.coef_), here.best_index_, here.guarantee_
    there = search.fit(in_parts(X), in_parts(y))
    assert there.best_index_ == kept[1]
    assert np.abs(there.best_estimator_.coef_ - kept[0]).max() <= CLOSE
    assert there.guarantee_ == kept[2]


def test_the_choice_is_made_with_the_rows_that_were_kept_for_it(client: Client) -> None:
    """Labels that say the opposite where it is chosen turn the choice, as in memory."""
    X, y = table()[0], classes(2)
    chosen = set()
    for seed in range(4):
        search = DataSplitSearch(eq.LogisticRegression(8.0), {"alpha": [0.003, 300.0]}, random_state=seed)
        here, there = search.fit(X, y).best_index_, search.fit(in_parts(X), in_parts(y)).best_index_
        assert here == there
        chosen.add(here)
    assert 0 in chosen


def test_names_of_a_frame_are_the_searchs(client: Client) -> None:
    X, y = table()[0], classes(2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(ill=y)
    far = dd.from_pandas(frame, npartitions=3)
    search = BudgetSplitSearch(CLASSES[2], GRID, random_state=1)
    here = np.array(search.fit(frame[["a", "b", "c"]], frame["ill"]).best_estimator_.coef_)
    search.fit(far[["a", "b", "c"]], far["ill"])
    assert np.abs(search.best_estimator_.coef_ - here).max() <= CLOSE
    assert list(search.best_estimator_.feature_names_in_) == ["a", "b", "c"]
    assert search.predict(frame[["a", "b", "c"]]).shape == (ROWS,)


def test_rows_are_brought_in_once_and_let_go(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.estimators.cluster.test_what_workers_may_do import waited_for

    brought, bring_in = list[int](), Crew.bring_in

    def noted(self: Crew, *given: Any) -> Any:
        brought.append(1)
        return bring_in(self, *given)

    monkeypatch.setattr(Crew, "bring_in", noted)
    ledger = eq.Ledger(5.0)
    search = DataSplitSearch(CLASSES[2], GRID, ledger=ledger, random_state=2)
    search.fit(in_parts(table()[0]), in_parts(classes(2)))
    assert len(brought) == 1
    assert len(ledger.entries()) == 1
    assert waited_for(lambda: not client.futures)


def test_a_worker_killed_in_mid_search_changes_no_digit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = in_parts(table()[0]), in_parts(classes(2))
    search = BudgetSplitSearch(BALLS, GRID, random_state=3)
    whole = np.array(search.fit(X, y).best_estimator_.coef_)
    total, asked = Crew.total, list[int]()

    def counted(self: Crew, of: Any, parts: Any) -> Any:
        asked.append(1)
        if len(asked) == 5:
            kill_one(client)
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", counted)
    np.testing.assert_array_equal(search.fit(X, y).best_estimator_.coef_, whole)
    assert len(asked) > 5


def test_runs_are_compared_on_public_rows(client: Client) -> None:
    X, y = table()[0], classes(2)
    public = np.nan_to_num(X[:200]), y[:200]
    search = RandomStopSearch(CLASSES[2], GRID, mean=3.0, random_state=4)
    here = np.array(search.fit(X, y, public_validation=public).best_estimator_.coef_)
    there = search.fit(in_parts(X), in_parts(y), public_validation=public)
    assert np.abs(there.best_estimator_.coef_ - here).max() <= CLOSE
    oracle = OracleSearch(CLASSES[2], GRID, allow_nonprivate=True, random_state=4)
    here = np.array(oracle.fit(X, y, X_val=public[0], y_val=public[1]).best_estimator_.coef_)
    oracle.fit(in_parts(X), in_parts(y), X_val=public[0], y_val=public[1])
    assert np.abs(oracle.best_estimator_.coef_ - here).max() <= CLOSE


def test_what_a_search_cannot_do_on_many_machines_is_refused_for_free(client: Client) -> None:
    X, y = in_parts(table()[0]), in_parts(classes(2))
    ledger = eq.Ledger(5.0)
    boxes = eq.LinearRegression(1.0, label_bounds=(0, 1))
    grid = {"mechanism": ["projected-histogram", "output"]}
    persons = eq.LogisticRegression(1.0, rows_per_person=2)
    jobs: list[tuple[Any, Any, dict[str, Any]]] = [
        (InvalidInput, DataSplitSearch(CLASSES[2], GRID, ledger=ledger), {"groups": y}),
        (InvalidInput, DataSplitSearch(persons, GRID, ledger=ledger), {}),
        (InvalidInput, RandomStopSearch(CLASSES[2], GRID, ledger=ledger), {}),
        (MechanismRefused, DataSplitSearch(boxes, grid, ledger=ledger), {}),
    ]
    for kind, search, more in jobs:
        with pytest.raises(kind, match=r"(memory|many machines).*nothing was spent"):
            search.fit(X, y, **more)
    with pytest.raises(InvalidInput, match="public rows to choose on; nothing was spent"):
        OracleSearch(CLASSES[2], GRID, allow_nonprivate=True).fit(X, y)
    assert not ledger.entries()


def test_a_table_that_cannot_be_read_ends_the_search_in_one_sentence(client: Client) -> None:
    ledger = eq.Ledger(5.0)
    X, y = in_parts(table()[0]), in_parts(classes(2))

    def fail(block: Any) -> Any:
        raise ValueError("row with 5550001117")

    broken = X.map_blocks(fail, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(WorkerFailure, match="a worker could not do its part; epsilon was spent") as caught:
        BudgetSplitSearch(CLASSES[2], GRID, ledger=ledger).fit(broken, y)
    assert "5550001117" not in str(caught.value)
    assert len(ledger.entries()) == 1
