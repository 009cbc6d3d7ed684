"""Workers may be lost, late or broken: no digit of the result changes, nothing is drawn there and nothing is told."""

from __future__ import annotations

import gc
import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from dask.delayed import delayed
from distributed import Client, LocalCluster

import equipoise as eq
from equipoise.errors import WorkerFailure
from equipoise.estimators.cluster.collections import ByType
from equipoise.inside import Records
from equipoise.inside.cluster import enter_spread
from equipoise.inside.cluster.crew import Crew
from equipoise.inside.cluster.parts import Seen
from equipoise.inside.cluster.spread import Spread
from equipoise.inside.parted import in_pairs
from equipoise.theory.bounds import Bounds

ROWS, COLUMNS, PARTS = 1_200, 3, 6
CANARY = 918273645.5
"""What somebody's cell holds."""

OF_OURS = "4477112233"
"""What is said where a task of ours meets a part that complains."""

Array = npt.NDArray[np.float64]
PLAIN: dict[str, Any] = {"dtype": float, "meta": np.empty((0, 0))}
"""So that nothing is tried here."""


def table() -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[3, 1] = CANARY
    return X, (X[:, 0] + rng.logistic(size=ROWS) > 0).astype(np.int64)


def far() -> tuple[Any, Any]:
    X, y = table()
    return da.from_array(X, chunks=(ROWS // PARTS, COLUMNS)), da.from_array(y, chunks=ROWS // PARTS)


def model(**more: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(1.0, mechanism="output", random_state=5, **more)


def in_round(number: int, job: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Do it just before the workers are asked for the so-many-th time; how often they were asked."""
    asked: list[int] = []
    total = Crew.total

    def counted(self: Crew, of: Any, parts: Any) -> Any:
        asked.append(1)
        if len(asked) == number:
            job()
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", counted)
    return asked


def kill_one(client: Client) -> None:
    """One that keeps parts."""
    holds = {worker: sum("entered" in str(key) for key in keys) for worker, keys in client.has_what().items()}
    worker = max(holds, key=lambda name: holds[name])
    assert holds[worker] > 0
    os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)


def test_a_worker_killed_in_mid_fit_changes_no_digit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model().fit(*far())
    asked = in_round(3, lambda: kill_one(client), monkeypatch)
    again = model().fit(*far())
    assert len(asked) > 3
    np.testing.assert_array_equal(again.coef_, whole.coef_)
    np.testing.assert_array_equal(again.intercept_, whole.intercept_)


def test_a_part_that_is_made_anew_and_otherwise_ends_the_fit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is another in another process: the entry is spent, nothing is released."""
    ledger = eq.Ledger(5.0)
    X, y = far()
    drifting = X.map_blocks(lambda block: block + __import__("os").getpid() / 1e9, **PLAIN)
    in_round(3, lambda: kill_one(client), monkeypatch)
    with pytest.raises(WorkerFailure, match=r"not what it was.*epsilon was spent, nothing was released"):
        model(ledger=ledger).fit(drifting, y)
    assert len(ledger.entries()) == 1


def test_a_part_that_brings_down_every_worker_is_given_up(client: Client) -> None:
    """As one that no worker's memory holds does."""
    ledger = eq.Ledger(5.0)
    X, y = far()

    def deadly(block: Array) -> Array:
        if (block == CANARY).any():
            os._exit(1)
        return block

    with pytest.raises(WorkerFailure, match="a worker could not do its part; epsilon was spent"):
        model(ledger=ledger).fit(X.map_blocks(deadly, **PLAIN), y)
    assert len(ledger.entries()) == 1


def test_a_connection_that_is_lost_in_mid_fit_is_told_in_one_sentence(
    client: Client, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, other = eq.Ledger(5.0), Client(cluster, set_as_default=False)
    in_round(3, other.close, monkeypatch)
    with other.as_current(), pytest.raises(WorkerFailure, match="a worker could not do its part") as caught:
        model(ledger=ledger).fit(*far())
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert len(ledger.entries()) == 1


def held_parts(client: Client, numbers: Array) -> tuple[Crew, Any]:
    """A part for each number, which is its only cell."""
    reader, crew = ByType(), Crew(client)
    pieces = [(delayed(np.full((1, 1), number)), delayed(np.zeros(1, dtype=np.int64))) for number in numbers]
    said = reader.seen(np.zeros((0, 1)), np.zeros(0, dtype=np.int64)).columns
    bounds = Bounds(1e16, classes=(0, 1))
    return crew, crew.bring_in(reader, pieces, [Seen(1, said)] * len(numbers), bounds)


def test_sums_are_added_in_the_order_of_their_places_whoever_comes_first(client: Client) -> None:
    """Numbers whose sum tells in which order it was made; workers answer in another one every time."""
    rng = np.random.default_rng(4)
    numbers = np.round(rng.normal(size=9), 3) * 10.0 ** rng.integers(0, 15, 9)
    crew, held = held_parts(client, numbers)
    small, low = np.abs(numbers) < 1e5, numbers <= 0
    orders = numbers, numbers[::-1], np.append(numbers[low], numbers[~low]), np.append(numbers[~small], numbers[small])
    wanted, *others = [in_pairs(np.array([number]) for number in order) for order in orders]
    assert wanted is not None
    assert wanted not in others  # the order shows

    def of(late: Callable[[float], float]) -> Callable[[Records], Array]:
        def one(part: Records) -> Array:
            number = float(part.design.matvec(np.ones(1))[0])
            time.sleep(late(number))
            return np.array([number])

        return one

    for late in (lambda number: 0.1 * (number > 0), lambda number: 0.1 * (abs(number) < 1e5), lambda number: 0.0):
        assert crew.total(of(late), held)[0] == wanted[0]


def test_more_sums_than_the_caller_adds_are_added_by_workers_in_the_same_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last digit, however many are added together; threes would be another tree."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=21) * 10.0 ** rng.integers(0, 6, 21)
    crew, held = held_parts(client, numbers)
    sums = [np.array([number]) for number in numbers]
    wanted = in_pairs(sums)
    assert wanted is not None
    threes = [in_pairs(sums[at : at + 3]) for at in range(0, 21, 3)]
    assert in_pairs(one for one in threes if one is not None) != wanted

    def of(part: Records) -> Array:
        return np.asarray(part.design.matvec(np.ones(1)))

    assert crew.total(of, held)[0] == wanted[0]  # by who keeps what
    monkeypatch.setattr("equipoise.inside.cluster.crew.MOST_SUMS", 0)
    for together in (64, 8, 4, 2):
        monkeypatch.setattr("equipoise.inside.cluster.crew.TOGETHER", together)
        assert crew.total(of, held)[0] == wanted[0]


def watch_draws(dask_worker: Any) -> None:
    """Count, in a worker, whatever draws."""
    import random
    import sys

    import numpy
    import scipy.stats  # noqa: F401 - which makes generators of its own when it is read

    from equipoise.gate.noise import bits

    dask_worker.drawn, dask_worker.usual = [], []

    def count(holder: Any, name: str) -> None:
        usual = getattr(holder, name)

        def draw(*given: Any, **named: Any) -> Any:
            caller = sys._getframe(1).f_globals["__name__"]
            if caller.partition(".")[0] not in ("dask", "distributed"):  # who draw for their own ends
                dask_worker.drawn.append(f"{name} for {caller}")
            return usual(*given, **named)

        dask_worker.usual.append((holder, name, usual))
        setattr(holder, name, draw)

    for kind in (bits.SecureBits, bits.SeededBits):
        count(kind, "words")
    for name in ("default_rng", "normal", "random", "standard_normal", "laplace", "gumbel"):
        count(numpy.random, name)
    count(random, "gauss")


def test_nothing_is_drawn_by_a_worker(client: Client) -> None:
    """For each kind of release; a worker that is asked to draw is caught."""
    client.run(by_value(watch_draws))
    X, y = far()
    model().fit(X, y)
    eq.LogisticRegression(1.0, 1e-6, mechanism="objective").fit(X, y)
    eq.LogisticRegression(1.0, 1e-2, mechanism="noisy-gradient").fit(X, y)
    eq.LinearRegression(1.0, 1e-6, mechanism="sufficient-statistics", label_bounds=(0, 1)).fit(X, y)
    assert client.run(by_value(drawn)) == {worker: [] for worker in client.nthreads()}
    client.run(by_value(draw_one))
    assert all(found[0].startswith("words") for found in client.run(by_value(drawn)).values())
    client.run(by_value(watch_no_more))


def watch_no_more(dask_worker: Any) -> None:
    for holder, name, usual in dask_worker.usual:
        setattr(holder, name, usual)


def draw_one() -> None:
    from equipoise.gate.noise import bits

    bits.SecureBits().words(1)


def drawn(dask_worker: Any) -> list[str]:
    return list(dask_worker.drawn)


def by_value(function: Any) -> Any:
    """Sent as text, for a worker need not find the tests."""
    import cloudpickle

    held = cloudpickle.loads(cloudpickle.dumps(function))
    held.__module__ = "__main__"
    return held


def test_the_same_question_has_the_same_answer_to_the_last_digit(client: Client) -> None:
    """An answer with noise in it would not."""
    crew, held = held_parts(client, np.random.default_rng(0).normal(size=7))

    def of(part: Records) -> Array:
        return np.asarray(part.design.rmatvec(np.ones(1)))

    first = crew.total(of, held)
    assert all(np.array_equal(crew.total(of, held), first) for _ in range(3))


class Talkative:
    """A part whose every word is a record."""

    ndim = 2
    dtype = np.dtype(float)

    @property
    def shape(self) -> Any:
        raise ValueError(f"row with {OF_OURS}")

    __len__ = __array__ = columns = shape


def everything_said(error: BaseException) -> str:
    """Messages, notes, causes, and the text of tracebacks with their local names."""
    words, seen = "", list[BaseException]()
    stack: list[BaseException | None] = [error]
    while stack:
        one = stack.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        stack += [one.__cause__, one.__context__]
        told = traceback.TracebackException.from_exception(one, capture_locals=False)
        words += "".join(told.format()) + repr(one.args) + repr(getattr(one, "__notes__", []))
    return words


@pytest.mark.parametrize("where", ["in the table", "in our own task"])
def test_what_a_worker_raises_is_not_told(client: Client, where: str) -> None:
    ledger = eq.Ledger(5.0)
    X, y = far()

    def fail(block: Array) -> Array:
        raise ValueError(f"row with {CANARY}")  # every part: whichever is heard of first

    def lure(block: Array) -> Any:
        return Talkative()

    broken = X.map_blocks(fail if where == "in the table" else lure, **PLAIN)
    with pytest.raises(WorkerFailure, match="a worker could not do its part") as caught:
        model(ledger=ledger).fit(broken, y)
    assert not any(word in everything_said(caught.value) for word in ("918273645", OF_OURS))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert len(ledger.entries()) == 1
    # What a table's own tasks write to their worker's log is not ours; what ours do, nobody hears.
    assert OF_OURS not in str(client.get_worker_logs())


def test_nothing_is_warned_of_or_logged_by_the_rows(
    client: Client, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "distributed")
    X, y = far()
    odd = X.map_blocks(lambda block: block * 1e300, **PLAIN)
    model().fit(odd, y)
    heard = capfd.readouterr()
    assert "Warning" not in heard.out + heard.err
    assert not any("equipoise" in record.pathname for record in caplog.records)


def waited_for(ready: Callable[[], bool]) -> bool:
    for _ in range(50):
        gc.collect()
        if ready():
            return True
        time.sleep(0.1)
    return False


def test_parts_are_let_go_after_a_fit_and_after_a_failure(client: Client) -> None:
    X, y = far()
    fitted = model().fit(X, y)
    assert waited_for(lambda: not client.futures)
    assert not any(
        "Future" in type(held).__name__ or "Private" in type(held).__name__ for held in vars(fitted).values()
    )
    with pytest.raises(WorkerFailure):
        model().fit(X.map_blocks(lambda block: block[:1], **PLAIN), y)
    assert waited_for(lambda: not client.futures)
    assert not any(client.has_what().values())


def test_keys_are_drawn_and_no_hash_of_records(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are shown on dashboards and in logs; the same fit twice has none in common."""
    keys: list[set[str]] = []
    total = Crew.total

    def noted(self: Crew, of: Any, parts: Any) -> Any:
        keys[-1].update(str(key) for key in client.futures)
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", noted)
    for _ in range(2):
        keys.append(set())
        model().fit(*far())
        assert waited_for(lambda: not client.futures)
    assert all(found for found in keys)
    assert not keys[0] & keys[1]


def test_a_worker_of_another_version_is_refused_for_free(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = eq.Ledger(5.0)
    monkeypatch.setattr(eq, "__version__", "0.0.0")
    with pytest.raises(eq.EquipoiseError, match=r"same version of Equipoise.*nothing was spent"):
        model(ledger=ledger).fit(*far())
    assert not ledger.entries()


def test_a_frame_that_grows_after_it_was_counted_ends_the_fit(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ledger = str(tmp_path / "count"), eq.Ledger(5.0)
    X, y = table()
    frame = pd.DataFrame({"a": X[:, 0], "y": y})

    def grown(part: Any) -> Any:
        import pathlib

        import pandas

        return pandas.concat([part, part]) if pathlib.Path(path).exists() else part

    bring_in = Crew.bring_in

    def later(self: Crew, *given: Any) -> Any:
        Path(path).touch()
        return bring_in(self, *given)

    monkeypatch.setattr(Crew, "bring_in", later)
    changing = dd.from_map(grown, [frame], meta=frame.iloc[:0])
    with pytest.raises(WorkerFailure, match=r"not what it was.*nothing was released"):
        model(ledger=ledger).fit(changing[["a"]], changing["y"])
    assert len(ledger.entries()) == 1


def test_some_of_some_rows_are_those_of_the_table(client: Client) -> None:
    """However they are asked for: patterns, cuts, lists and copies of them."""
    numbers = np.arange(1.0, 24.0)
    pieces = [
        (delayed(part[:, None]), delayed(np.zeros(len(part), dtype=np.int64))) for part in np.split(numbers, [5, 5, 6])
    ]
    said = ByType().seen(np.zeros((0, 1)), np.zeros(0, dtype=np.int64)).columns
    expected = [Seen(size, said) for size in (5, 0, 1, 17)]
    crew, bounds = Crew(client), Bounds(1e3, classes=(0, 1))
    records = enter_spread(crew, ByType(), pieces, expected, 1, bounds).reveal()
    assert isinstance(records, Spread)

    def of(part: Records) -> Array:
        each = part.design.matvec(np.ones(1))
        return np.array([each.sum(), (each**2).sum(), len(each)])

    def told(some: Spread, wanted: Array) -> bool:
        assert some.design.rows == len(wanted)
        return np.allclose(some.summed(of), [wanted.sum(), (wanted**2).sum(), len(wanted)], rtol=1e-9)

    rows = np.array([0, 3, 5, 7, 22])
    assert told(records, numbers)
    assert told(records.every(4), numbers[::4])
    assert told(records.every(4).first(4), numbers[::4][:4])
    assert told(records.first(9).every(3), numbers[:9][::3])
    assert told(records.kept(rows), numbers[rows])
    assert told(records.kept(rows).every(2), numbers[rows][::2])
    assert told(records.take(rows[::-1]), numbers[rows])
    assert told(records.take(rows).first(3), numbers[rows][:3])
