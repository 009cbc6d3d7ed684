"""Stable SGD over Parquet files: read section by section in a random order, the promise and the failures as ever."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.estimators.table.test_larger_than_memory import add_file, cut, numbers_of, remove, rewrite, schema, touch
from tests.estimators.table.test_larger_than_memory import folder as folder
from tests.estimators.table.test_larger_than_memory import table as table

import equipoise as eq
from equipoise.errors import InvalidInput, MechanismRefused, UnreadableFile
from equipoise.estimators.table.stream import UnmixedOrder
from equipoise.gate.models import stable_sgd
from equipoise.inside import parted
from equipoise.schema.tables.parquet import open_parquet
from equipoise.stability import SGD

pytestmark = pytest.mark.filterwarnings("ignore::equipoise.estimators.table.stream.UnmixedOrder")
WALK = SGD(3, 50)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "TALLEST", 512)


def fitted(source: Any, stream: bool = True, target: str = "ill", **how: Any) -> Any:
    kinds: dict[str, Any] = {"ill": eq.LogisticRegression, "kind": eq.LogisticRegression, "size": eq.HuberRegressor}
    estimator = kinds[target](mechanism=WALK, alpha=0.01)
    return eq.fit(source, schema(target), 2.0, estimator=estimator, stream=stream, **{"random_state": 7, **how})


@pytest.mark.parametrize("target", ["ill", "kind", "size"])
def test_in_the_order_of_the_table_it_is_the_fit_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(stable_sgd, "order_in_runs", lambda count, run, bits: np.arange(count))
    in_memory, streamed = (fitted(folder, stream, target) for stream in (False, True))
    assert streamed.guarantee_ == in_memory.guarantee_
    assert np.abs(numbers_of(streamed) - numbers_of(in_memory)).max() <= 1e-9
    assert np.abs(numbers_of(streamed)).max() > 0


@pytest.mark.parametrize("seed", range(6))
def test_sections_are_read_in_the_order_that_was_drawn_and_each_once(tmp_path: Path, seed: int) -> None:
    groups = {0: 30, 1: 1, 2: 64, 3: 2, 4: 27}
    for place, rows in enumerate((100, 0, 64, 7, 54)):
        held = pa.table({"x": np.arange(rows) + 1000 * place})
        parquet.write_table(held, tmp_path / f"{place}.parquet", row_group_size=groups[place])
    files = open_parquet(tmp_path)
    order = np.random.default_rng(seed).permutation(len(files.sections))
    assert len(order) == 4 + 0 + 1 + 4 + 2
    blocks = [block["x"] for block in files.blocks(None, 16, order.tolist())]
    assert [len(block) for block in blocks] == [16] * 14 + [1]  # by the number of rows, however they are grouped
    drawn = [files.sections[one] for one in order]
    ends = {0: 100, 2: 64, 3: 7, 4: 54}
    expected = [
        1000 * place + np.arange(groups[place] * group, min(groups[place] * (group + 1), ends[place]))
        for place, group in drawn
    ]
    np.testing.assert_array_equal(np.concatenate(blocks), np.concatenate(expected))


def test_it_learns_a_table_that_is_sorted_by_its_labels(tmp_path: Path) -> None:
    """Row groups come in a random order; within the groups of a sorted file all labels are alike."""
    x = np.linspace(-1, 1, 8000)
    held = pa.table({"x0": x, "ill": np.where(x > 0, "yes", "no")})
    parquet.write_table(held, tmp_path / "sorted.parquet", row_group_size=200)
    facts = eq.Schema.from_dict(
        {
            "target": {"column": "ill", "classes": ["no", "yes"]},
            "columns": {"x0": {"kind": "number", "bounds": [-1, 1]}},
        }
    )
    walk = eq.LogisticRegression(mechanism=SGD(5, 20), alpha=0.01)
    model = eq.fit(tmp_path / "sorted.parquet", facts, 5.0, estimator=walk, stream=True, random_state=0)
    assert np.mean(model.predict(held) == np.array(held["ill"])) > 0.95


@pytest.mark.filterwarnings("default::equipoise.estimators.table.stream.UnmixedOrder")
def test_few_row_groups_are_warned_of_before_anything_is_spent(table: pa.Table, tmp_path: Path) -> None:
    """By the layout, never by the rows: a table that is sorted is learnt badly from one row group."""
    for name, group in (("one", 3000), ("many", 100)):
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=group)
    with pytest.warns(UnmixedOrder, match=r"few row groups \(1\).*write smaller row groups"):
        fitted(tmp_path / "one.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(tmp_path / "many.parquet")
        fitted(tmp_path / "one.parquet", stream=False)
        eq.fit(tmp_path / "one.parquet", schema(), 1.0, stream=True, random_state=1)


@pytest.mark.parametrize("change", [add_file, rewrite, touch, cut, remove])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_folder_that_changes_in_the_middle_of_a_walk_ends_the_fit(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], after: int
) -> None:
    """Before the first pass or between two: the entry is spent and nothing is released."""
    ledger, passes = eq.Ledger(5.0), list[int]()
    visited = parted.Streamed.visited

    def counted(self: parted.Streamed, shuffle: Any) -> Any:
        if len(passes) == after:
            change(folder)
        passes.append(1)
        return visited(self, shuffle)

    monkeypatch.setattr(parted.Streamed, "visited", counted)
    with pytest.raises(UnreadableFile, match="epsilon was spent, nothing was released"):
        fitted(folder, ledger=ledger)
    assert len(passes) == after + 1
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize("change", [touch, cut, remove])
def test_a_file_that_changes_within_the_last_pass_ends_the_fit(folder: Path, change: Callable[[Path], None]) -> None:
    """Every file is looked at when it was read, and the list of them in the end."""
    ledger, heard = eq.Ledger(5.0), list[int]()

    def told(done: int, total: int) -> None:
        heard.append(done)
        if done == 128:  # of 180, with 60 in a pass
            change(folder)

    with pytest.raises(UnreadableFile, match="epsilon was spent, nothing was released"):
        fitted(folder, ledger=ledger, progress=told)
    assert len(ledger.entries()) == 1
    assert heard[0] == 64


def test_progress_hears_of_steps_in_memory_and_in_parts_and_of_nothing_else(folder: Path) -> None:
    for stream in (True, False):
        heard: list[tuple[int, int]] = []
        fitted(folder, stream, progress=lambda done, total, heard=heard: heard.append((done, total)))
        assert heard[-1] == (180, 180)
        assert heard == sorted(heard)
    quiet: list[tuple[int, int]] = []
    eq.fit(folder, schema(), 1.0, random_state=1, stream=True, progress=lambda *both: quiet.append(both))
    assert not quiet  # a solver stops when it is near enough: its steps would tell of the records


def test_what_cannot_hear_or_be_walked_is_refused_for_free(folder: Path) -> None:
    ledger = eq.Ledger(5.0)
    with pytest.raises(InvalidInput, match=r"progress: must be a function.*nothing was spent"):
        fitted(folder, ledger=ledger, progress=3)
    secret = eq.LogisticRegression(mechanism=WALK, adjacency="add-remove", public_n=3000)
    with pytest.raises(MechanismRefused, match=r"a row more would shift every batch.*nothing was spent"):
        eq.fit(folder, schema(), 1.0, estimator=secret, ledger=ledger, stream=True)
    steep = eq.LogisticRegression(mechanism=SGD(1, 10, "constant", 99.0), alpha=0.01)
    with pytest.raises(MechanismRefused, match=r"step_size=99\.0: must be at most .*nothing was spent"):
        eq.fit(folder, schema(), 1.0, estimator=steep, ledger=ledger, stream=True)
    assert not ledger.entries()


def test_another_row_in_the_same_place_moves_the_model_no_further_than_was_said(
    table: pa.Table, tmp_path: Path
) -> None:
    """The noise is frozen by the seed, and so is the order: what is left is how far the walk's end moved."""
    rows = table.slice(0, 1200).to_pydict()
    facts, walk = schema(), eq.LogisticRegression(mechanism=SGD(2, 7), alpha=0.1, fit_intercept=False)
    moved, rng = list[float](), np.random.default_rng(0)
    for attempt in range(6):
        place = int(rng.integers(1200))
        ends = []
        for side in (0, 1):
            changed = {name: list(cells) for name, cells in rows.items()}
            for name in ("x0", "x1", "x2", "x3"):
                changed[name][place] = 3.0 if side else -3.0
            changed["ill"][place] = "no" if attempt % 2 else ("no", "yes")[side]
            path = tmp_path / "one.parquet"
            parquet.write_table(pa.table(changed), path, row_group_size=90)
            ends.append(eq.fit(path, facts, 1.0, estimator=walk, stream=True, random_state=attempt))
        # in the units of the fit: a column's coefficient is that of numbers scaled to its bounds
        moved.append(float(np.linalg.norm(numbers_of(ends[0]) - numbers_of(ends[1]))))
        assert 0 < moved[-1] <= ends[0].guarantee_.sensitivity * (1 + 1e-9) + 1e-6
