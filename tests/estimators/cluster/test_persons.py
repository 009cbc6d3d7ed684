"""A person's rows may lie in several parts: of each the first few are used, the same ones as in memory."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from dask.delayed import delayed
from distributed import Client
from pyarrow import parquet
from tests.estimators.cluster.test_what_workers_may_do import kill_one

import equipoise as eq
from equipoise.errors import WorkerFailure
from equipoise.estimators.cluster.collections import ids_of
from equipoise.inside.cluster.crew import Crew
from equipoise.rows.persons import people_in
from equipoise.stability import SGD

ROWS, PEOPLE, CAP = 1_500, 500, 2
CUTS = (400, 1, 0, 700, 399)
CLOSE = 1e-9


def table() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Most people have rows in several parts; some have many, and those pull another way than the rest."""
    rng = np.random.default_rng(3)
    who = np.where(rng.random(ROWS) < 0.3, 7, rng.integers(0, PEOPLE, ROWS))
    X = rng.normal(size=(ROWS, 3))
    X[who == 7] = [3.0, -3.0, 1.0]
    return X, (X[:, 0] + rng.logistic(size=ROWS) > 0).astype(np.int64), who


def in_parts(held: npt.NDArray[Any]) -> Any:
    ends = np.cumsum(CUTS)[:-1]
    return da.concatenate(
        [da.from_array(part, chunks=(max(1, len(part)), *held.shape[1:])) for part in np.split(held, ends)]
    )


def model(**more: Any) -> Any:
    return eq.LogisticRegression(1.0, 1e-6, random_state=5, **{"rows_per_person": CAP, **more})


SECRET: dict[str, Any] = {"adjacency": "add-remove", "public_n": 1_000}


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"mechanism": "output", "rows_per_person": 1},
        {"mechanism": "noisy-gradient"},
        SECRET,
        {"mechanism": SGD(batch=250)},
    ],
    ids=["usual", "one row each", "gradients", "size unknown", "a walk"],
)
def test_the_model_is_that_of_the_table_in_memory(client: Client, how: dict[str, Any]) -> None:
    X, y, who = table()
    here = model(**how).fit(X, y, groups=who)
    there = model(**how).fit(in_parts(X), in_parts(y), groups=in_parts(who))
    assert np.abs(here.coef_ - there.coef_).max() <= CLOSE
    assert np.abs(here.intercept_ - there.intercept_).max() <= CLOSE
    assert here.guarantee_ == there.guarantee_
    everything = model(**{**how, "rows_per_person": ROWS}).fit(X, y, groups=who)
    assert np.abs(here.coef_ - everything.coef_).max() > CLOSE  # the cap leaves something out


def used_by(client: Client, ids: list[Any], cap: int, cuts: list[int]) -> npt.NDArray[np.bool_]:
    """Which rows workers pick of ids that lie in these parts."""
    starts = [0, *np.cumsum(cuts)]
    parts = [(delayed(ids[start : start + size]),) for start, size in zip(starts, cuts, strict=False)]
    picks = Crew(client).pick(list, parts, cap)
    found = [pick.rows for pick in client.gather([pick.future for pick in picks])]
    assert [pick.used for pick in picks] == [int(rows.sum()) for rows in found]
    return np.concatenate(found)


DAY = datetime.date(2020, 1, 1)
IDS: dict[str, list[Any]] = {
    "numbers of several kinds": [1, 1.0, True, 2, 2.0, 0, False, -1, -1.0, 2**60, 2**60 + 1, float(2**60), 1, 2],
    "words": ["a", "b", "a ", "é", "e\u0301", "a", "b", "", "", "a", "b", "\ud800", "\ud800", "a"],
    "missing": [None, None, float("nan"), float("nan"), "a", None, "a", float("nan"), "a", None, 1, 1, None, 1],
    "whatever": [
        DAY,
        (1, "a"),
        b"a",
        "a",
        DAY,
        (1, "a"),
        b"a",
        [1],
        [1],
        {},
        DAY,
        datetime.date(2020, 1, 1),
        (1, "a"),
        0,
    ],
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("cap", [1, 2, 3])
def test_ids_are_compared_across_parts_as_in_memory(client: Client, kind: str, cap: int) -> None:
    ids = IDS[kind]
    wanted = people_in(ids, len(ids), cap).rows
    for cuts in ([14], [1] * 14, [5, 0, 4, 5], [2, 2, 2, 2, 2, 2, 1, 1, 0]):
        np.testing.assert_array_equal(np.flatnonzero(used_by(client, ids, cap, cuts)), wanted)


def test_a_person_in_every_part_is_held_to_the_cap(client: Client) -> None:
    """Whoever has a row in each of many parts, met by several counters."""
    ids = [*range(20), "somebody"] * 17
    found = used_by(client, ids, 3, [21] * 17)
    assert found.sum() == 3 * 21
    assert found[: 3 * 21].all()


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_long_whole_ids_are_the_same_people_whichever_part_gave_the_frame_its_type(kind: type) -> None:
    """One part has whole numbers, one has a gap and so doubles; the frame says either."""
    long = 2**53 + 1
    parts = [pd.Series([long, long]), pd.Series([long, None, long])]
    groups = dd.from_delayed([delayed(part) for part in parts], meta=pd.Series([], dtype=kind), verify_meta=False)
    read, _ = ids_of(groups, groups)
    assert people_in(np.concatenate([read(part) for part in parts]), 5, 2).rows.tolist() == [0, 1, 3]
    assert people_in([each for part in parts for each in read(part)], 5, 2).rows.tolist() == [0, 1, 3]


def frame() -> Any:
    X, y, who = table()
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "ill": y, "who": who})


def test_ids_of_a_frame_with_a_gap_in_one_part(client: Client) -> None:
    """pandas makes doubles of that part's ids, and only of those; small ids are the same people all the same."""
    whole = frame()
    whole["who"] = whole["who"].where(whole.index % 400 != 399)
    holed, plain = whole.iloc[:500], whole.iloc[500:]
    pieces = [holed, plain.assign(who=plain["who"].fillna(-5).astype(np.int64))]
    together = pd.concat(pieces)
    meta = pieces[1].iloc[:0]
    far = dd.from_map(lambda piece: piece, pieces, meta=meta)
    names = ["a", "b", "c"]
    here = model().fit(together[names], together["ill"], groups=together["who"])
    there = model().fit(far[names], far["ill"], groups=far["who"])
    assert np.abs(here.coef_ - there.coef_).max() <= CLOSE
    assert here.guarantee_ == there.guarantee_


def test_a_gap_among_large_ids_changes_nobody_elses(client: Client) -> None:
    """Beyond 2⁵³ the ids beside a gap are rounded by their frame, so they are rounded in every part."""
    from equipoise.estimators.cluster.collections import ids_of

    big = 2**53
    first, second = pd.Series([big + 1, big + 3]), pd.Series([big + 1, big + 3, None])
    far = dd.from_map(lambda piece: piece, [first, second], meta=first.iloc[:0])
    who, _ = ids_of(far, far)
    assert list(who(first)) == list(who(second))[:2]
    known = da.from_array(first.to_numpy(), chunks=1)
    exact, _ = ids_of(known[:, None], known)
    assert list(exact(first)) == [big + 1, big + 3]


def schema(cap: int = CAP) -> eq.Schema:
    numbers = {name: {"kind": "number", "bounds": [-3, 3]} for name in "abc"}
    person = {"column": "who", "rows_per_person": cap}
    return eq.Schema.from_dict({"target": {"column": "ill", "classes": [0, 1]}, "columns": numbers, "person": person})


@pytest.mark.parametrize("how", [{}, SECRET], ids=["public", "secret"])
def test_every_road_to_the_same_persons_ends_at_the_same_model(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]
) -> None:
    from equipoise.estimators.table import spread

    monkeypatch.setattr(spread, "MOST_ENTRIES", 900)
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.Table.from_pandas(frame(), preserve_index=False), path, row_group_size=170)
    roads: list[tuple[Any, dict[str, Any]]] = [
        (frame(), {}),
        (path, {"stream": False}),
        (path, {"engine": client}),
        (dd.from_pandas(frame(), npartitions=4), {}),
        (dd.from_pandas(frame().assign(who=frame()["who"].astype(str)), npartitions=3), {}),
    ]
    learner = eq.LogisticRegression(**how)
    models = [eq.fit(held, schema(), 1.0, estimator=learner, random_state=3, **road) for held, road in roads]
    found = [np.ravel(model.model.coef_) for model in models]
    assert np.ptp(found, axis=0).max() <= CLOSE
    assert all(model.guarantee_ == models[0].guarantee_ for model in models)


def test_a_worker_killed_in_mid_fit_changes_no_digit(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, who = (in_parts(held) for held in table())
    whole = model(mechanism="output").fit(X, y, groups=who)
    total, asked = Crew.total, list[int]()

    def counted(self: Crew, of: Any, parts: Any) -> Any:
        asked.append(1)
        if len(asked) == 3:
            kill_one(client)
        return total(self, of, parts)

    monkeypatch.setattr(Crew, "total", counted)
    again = model(mechanism="output").fit(X, y, groups=who)
    assert len(asked) > 3
    np.testing.assert_array_equal(again.coef_, whole.coef_)


def test_ids_that_are_others_when_they_are_read_again_end_the_fit(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Persons were counted by other ids than those of the rows that enter."""
    X, y, who = (in_parts(held) for held in table())
    ledger, bring_in = eq.Ledger(5.0), Crew.bring_in

    def swapped(self: Crew, reader: Any, parts: Any, expected: Any, bounds: Any, picks: Any) -> Any:
        last = replace(picks[-1], stamp=picks[-1].stamp ^ 1)
        return bring_in(self, reader, parts, expected, bounds, [*picks[:-1], last])

    monkeypatch.setattr(Crew, "bring_in", swapped)
    with pytest.raises(WorkerFailure, match=r"not what it was.*epsilon was spent"):
        model(ledger=ledger).fit(X, y, groups=who)
    assert len(ledger.entries()) == 1


def test_no_id_comes_to_the_caller(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is fetched are counts and a stamp for each part, and sums."""
    from equipoise.inside.cluster.hands import Hands
    from equipoise.inside.cluster.parts import About, Answer
    from equipoise.inside.cluster.turns import AboutPicked

    fetched, arrived = list[Any](), Hands._arrived

    def noted(self: Hands, futures: Any) -> Any:
        found = arrived(self, futures)
        fetched.extend(found or [])
        return found

    monkeypatch.setattr(Hands, "_arrived", noted)
    X, y, who = (in_parts(held) for held in table())
    model().fit(X, y, groups=who)
    told = [one for found in fetched for one in (found if isinstance(found, list) else [found])]
    assert {type(one) for one in told} == {AboutPicked, About, Answer}
    answers = [one for one in told if isinstance(one, Answer)]
    assert all(isinstance(one, np.ndarray) and one.size <= 25 for answer in answers for one in answer.sums)
    assert all(mark == 0 for answer in answers for mark in answer.lent)


def test_words_of_an_id_are_not_told(client: Client) -> None:
    """An id that complains when it is compared is nobody's; its words stay where they are."""
    X, y, _ = (in_parts(held) for held in table())
    ids = da.from_array(np.arange(ROWS), chunks=(CUTS[:2] + CUTS[3:],)).map_blocks(grumbling, dtype=object)
    far_X, far_y = (held.rechunk({0: ids.chunks[0]}) for held in (X, y))
    fitted = model().fit(far_X, far_y, groups=ids)
    assert np.isfinite(fitted.coef_).all()
    assert "4477112233" not in str(client.get_worker_logs())


def grumbling(block: Any) -> Any:
    import numpy

    class Grumbling:
        def __eq__(self, other: object) -> bool:
            raise ValueError("person 4477112233")

        def __hash__(self) -> int:
            raise ValueError("person 4477112233")

    return numpy.array([Grumbling() for _ in block], dtype=object)
