"""Large plain arrays are read where Dask holds them: the model of the table in memory, of one table or of none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import numpy.typing as npt
import pytest
from dask.delayed import delayed
from distributed import Client
from tests.estimators.cluster.test_what_workers_may_do import in_round, kill_one

import equipoise as eq
from equipoise.errors import WorkerFailure
from equipoise.estimators.linear import entrance
from equipoise.inside.cluster.crew import Crew, Held
from equipoise.inside.solvers import head_start

ROWS, COLUMNS, PARTS = 24_000, 4, 6
"""Of which a few say where to begin, as of larger ones."""

Array = npt.NDArray[Any]
SIZE: dict[str, Any] = {"label_bounds": (-6.0, 6.0)}
MODELS: dict[str, Any] = {
    "usual": eq.LogisticRegression(1.0, 1e-6, random_state=3),
    "usual length": eq.LogisticRegression(1.0, row_norm=300.0, random_state=3),
    "output": eq.LogisticRegression(1.0, mechanism="output", random_state=3),
    "no intercept": eq.LogisticRegression(1.0, mechanism="output", fit_intercept=False, random_state=3),
    "constant": eq.LogisticRegression(1.0, mechanism="constant", random_state=3),
    "three classes": eq.LogisticRegression(1.0, classes=[0, 1, 2], mechanism="output", random_state=3),
    "hinge": eq.LinearSVC(1.0, random_state=3),
    "statistics": eq.LinearRegression(1.0, 1e-6, mechanism="sufficient-statistics", **SIZE, random_state=3),
    "huber": eq.HuberRegressor(1.0, **SIZE, random_state=3),
}


def table(kind: Any = np.float64) -> tuple[Array, dict[str, Array]]:
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(ROWS, COLUMNS)) * rng.choice([0.3, 5.0], size=(ROWS, 1))).astype(kind)
    score = X[:, 0] - X[:, 1] + rng.logistic(size=ROWS)
    X[::900, 2], X[5, 1], X[ROWS - 1, 0] = np.nan, np.inf, 1e30
    return X, {"two": (score > 0).astype(int), "three": np.digitize(score, [-1.0, 1.0]), "size": score}


def labels_for(name: str) -> str:
    return {"three classes": "three", "statistics": "size", "huber": "size"}.get(name, "two")


def far(held: Array) -> Any:
    return da.from_array(held, chunks=(ROWS // PARTS, *held.shape[1:]))


@pytest.fixture(autouse=True)
def _lent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(head_start, "FEWEST", 2_000)


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> list[Held]:
    """What was brought in."""
    found: list[Held] = []
    bring_in = Crew.bring_in

    def noted(self: Crew, *given: Any) -> Any:
        held = bring_in(self, *given)
        found.extend(held)
        return held

    monkeypatch.setattr(Crew, "bring_in", noted)
    return found


def numbers_of(model: Any) -> Array:
    return np.concatenate([np.ravel(model.coef_), np.ravel(model.intercept_)])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_that_of_the_array_in_memory(client: Client, name: str, kind: Any, brought: list[Held]) -> None:
    X, labels = table(kind)
    y = labels[labels_for(name)]
    here = MODELS[name].fit(X, y)
    kept = numbers_of(here), here.guarantee_
    there = MODELS[name].fit(far(X), far(y))
    np.testing.assert_allclose(numbers_of(there), kept[0], rtol=0, atol=1e-9)
    assert there.guarantee_ == kept[1]
    assert len(brought) == PARTS
    assert all(part.known.lent != 0 for part in brought)
    assert all(part.known.lent is not None for part in brought) or name == "constant"  # which looks at no row


def test_it_is_the_same_to_the_last_digit(client: Client) -> None:
    """Noise is drawn on a grid that is wider than what two orders of addition leave."""
    X, labels = table()
    here = numbers_of(MODELS["usual"].fit(X, labels["two"]))
    np.testing.assert_array_equal(numbers_of(MODELS["usual"].fit(far(X), far(labels["two"]))), here)


@pytest.mark.parametrize("cut", [(1, 0, ROWS - 1), (ROWS // 2, ROWS // 2), (ROWS,)], ids=["uneven", "two", "one"])
def test_parts_of_any_sizes_and_layouts_give_the_same(client: Client, cut: tuple[int, ...]) -> None:
    X, labels = table()
    ends = np.cumsum(cut)[:-1]
    pieces = [da.from_delayed(delayed(np.asfortranarray)(part), part.shape, dtype=float) for part in np.split(X, ends)]
    here = numbers_of(MODELS["output"].fit(X, labels["two"]))
    there = MODELS["output"].fit(da.concatenate(pieces), da.from_array(labels["two"], chunks=(cut,)))
    np.testing.assert_allclose(numbers_of(there), here, rtol=0, atol=1e-9)


def test_sums_that_workers_add_carry_the_marks(
    client: Client, monkeypatch: pytest.MonkeyPatch, brought: list[Held]
) -> None:
    X, labels = table()
    whole = numbers_of(MODELS["output"].fit(far(X), far(labels["two"])))
    marks = [part.known.lent for part in brought]
    brought.clear()
    monkeypatch.setattr("equipoise.inside.cluster.crew.MOST_SUMS", 0)
    monkeypatch.setattr("equipoise.inside.cluster.crew.TOGETHER", 2)
    np.testing.assert_array_equal(numbers_of(MODELS["output"].fit(far(X), far(labels["two"]))), whole)
    assert [part.known.lent for part in brought] == marks
    assert len(set(marks)) == PARTS


OTHERWISE: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "bounded columns": ("two", eq.LogisticRegression(1.0, column_bounds=[(-2, 2)] * COLUMNS, random_state=3), {}),
    "size unknown": ("two", eq.LogisticRegression(1.0, adjacency="add-remove", public_n=ROWS, random_state=3), {}),
    "shapes": ("size", eq.AdditiveRegressor(1.0, column_bounds=[(-3, 3)] * COLUMNS, **SIZE, random_state=3), {}),
    "persons": ("two", eq.LogisticRegression(1.0, rows_per_person=1, random_state=3), {"groups": np.arange(ROWS)}),
}


@pytest.mark.parametrize("case", OTHERWISE)
def test_whatever_is_not_used_as_it_is_is_copied(client: Client, case: str, brought: list[Held]) -> None:
    """By the facts that decide it in memory."""
    name, model, more = OTHERWISE[case]
    X, labels = table()
    model.fit(far(X), far(labels[name]), **{given: far(held) for given, held in more.items()})
    assert {part.known.lent for part in brought} == {0}


@pytest.mark.parametrize("of", [lambda X: X.astype(int), lambda X: X.map_blocks(np.ma.asarray, dtype=float)])
def test_arrays_of_other_kinds_are_copied(client: Client, of: Callable[[Any], Any], brought: list[Held]) -> None:
    X, labels = table()
    MODELS["output"].fit(of(far(np.nan_to_num(X, posinf=9.0))), far(labels["two"]))
    assert {part.known.lent for part in brought} == {0} or of(far(X)).dtype == float


def test_small_arrays_are_copied(client: Client, monkeypatch: pytest.MonkeyPatch, brought: list[Held]) -> None:
    monkeypatch.setattr(entrance, "LARGE", ROWS * COLUMNS + 1)
    X, labels = table()
    MODELS["output"].fit(far(X), far(labels["two"]))
    assert {part.known.lent for part in brought} == {0}


@pytest.mark.parametrize("number", [1, 3, -2, -1])
def test_a_worker_killed_in_any_round_changes_no_digit(
    client: Client, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = table()
    X, y = far(X), far(labels["two"])
    rounds = in_round(0, lambda: None, monkeypatch)
    whole = numbers_of(MODELS["output"].fit(X, y))
    which = number if number > 0 else len(rounds) + number
    monkeypatch.undo()
    monkeypatch.setattr(entrance, "LARGE", 1)
    monkeypatch.setattr(head_start, "FEWEST", 2_000)
    asked = in_round(which, lambda: kill_one(client), monkeypatch)
    np.testing.assert_array_equal(numbers_of(MODELS["output"].fit(X, y)), whole)
    assert len(asked) == len(rounds) > 8


ANEW: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "a row is another": (lambda X: np.concatenate([X[:-1], X[-1:] * 0.5]), lambda y: y),
    "signs": (lambda X: -X, lambda y: y),
    "rows have changed places": (lambda X: X[::-1], lambda y: y),
    "labels": (lambda X: X, lambda y: 1 - y),
}


@pytest.mark.parametrize("how", ANEW)
def test_a_part_that_is_made_anew_and_otherwise_ends_the_fit(
    client: Client, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the last round, where all have been met: the entry is spent, nothing is released."""
    flag, ledger = str(tmp_path / "anew"), eq.Ledger(5.0)
    X, labels = table()

    def drifting(change: Callable[[Array], Array]) -> Callable[[Array], Array]:
        def drift(block: Array) -> Array:
            import pathlib

            return change(block) if pathlib.Path(flag).exists() else block

        return drift

    of_rows, of_labels = ANEW[how]
    far_X = far(np.nan_to_num(X, posinf=9.0)).map_blocks(drifting(of_rows), dtype=float, meta=np.empty((0, 0)))
    far_y = far(labels["two"]).map_blocks(drifting(of_labels), dtype=int, meta=np.empty(0, dtype=int))
    rounds = in_round(0, lambda: None, monkeypatch)
    MODELS["output"].fit(far_X, far_y)
    last = len(rounds)

    def lose() -> None:
        Path(flag).touch()
        kill_one(client)

    rounds.clear()
    total = Crew.total

    def counted(self: Crew, of: Any, parts: Any) -> Any:
        if len(rounds) == last - 1:
            lose()
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", counted)
    model = eq.LogisticRegression(1.0, mechanism="output", random_state=3, ledger=ledger)
    with pytest.raises(WorkerFailure, match=r"not what it was.*epsilon was spent, nothing was released"):
        model.fit(far_X, far_y)
    assert len(ledger.entries()) == 1


def write(key: Any, dask_worker: Any) -> bool:
    """Whatever a worker holds under this key, which it hands to every task that asks for it."""
    if key in dask_worker.data:
        dask_worker.data[key][0] += 1.0
    return key in dask_worker.data


def test_whoever_writes_to_a_part_meanwhile_ends_the_fit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask hands the same array to every task of its worker."""
    X, labels = table()
    ledger = eq.Ledger(5.0)
    held = client.persist(far(np.nan_to_num(X, posinf=9.0)).map_blocks(np.array, dtype=float, meta=np.empty((0, 0))))
    y = far(labels["two"])
    rounds = in_round(0, lambda: None, monkeypatch)
    MODELS["output"].fit(held, y)
    last = len(rounds)
    rounds.clear()
    total = Crew.total

    def writing(self: Crew, of: Any, parts: Any) -> Any:
        if len(rounds) >= last - 2:
            block = held.to_delayed()[PARTS - 1, 0]
            assert any(client.run(by_value(write), block.key).values())
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", writing)
    model = eq.LogisticRegression(1.0, mechanism="output", random_state=3, ledger=ledger)
    with pytest.raises(WorkerFailure, match=r"not what it was, keep a copy that nobody writes to; epsilon was spent"):
        model.fit(held, y)
    assert len(ledger.entries()) == 1


def by_value(function: Any) -> Any:
    """Sent as text, for a worker need not find the tests."""
    import cloudpickle

    found = cloudpickle.loads(cloudpickle.dumps(function))
    found.__module__ = "__main__"
    return found


def test_nothing_is_written_to_the_array_that_dask_holds(client: Client) -> None:
    X, labels = table()
    held = client.persist(far(X))
    MODELS["usual"].fit(held, far(labels["two"]))
    np.testing.assert_array_equal(held.compute(), X)
