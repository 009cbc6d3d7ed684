"""Rows of related tasks: as long as before, each by itself, and a task nobody listed is no error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from equipoise.errors import InvalidInput
from equipoise.rows import RowBounds
from equipoise.rows.lifts import tasks
from equipoise.rows.lifts.tasks import Tasks
from equipoise.theory.bounds import clip_margin

CELL = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, 2.0, -0.5]))
ROWS = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=10)
RANGES = ((-1.0, 1.0), (0.0, 3.0))


def lift(coupling: float = 0.3, ranges: bool = False, column: int = 1, intercept: float = 0.5) -> Tasks:
    return Tasks(RowBounds(1.0, RANGES if ranges else None), 3, column, (0, 1, 2), coupling, intercept)


@settings(max_examples=60)
@given(ROWS, st.floats(0, 1), st.booleans(), st.integers(0, 2), st.sampled_from([0.0, 0.5]))
def test_no_row_is_longer_than_the_norm_says(
    rows: list[tuple[float, ...]], coupling: float, ranges: bool, column: int, intercept: float
) -> None:
    own = lift(coupling, ranges, column, intercept)
    lifted = own.rows(np.array(rows))
    assert lifted.shape == (len(rows), own.features)
    norms = np.array([math.sqrt(math.fsum(row * row)) for row in lifted])
    assert (norms <= own.norm * (1 - 2 * clip_margin(own.features))).all()


@pytest.mark.parametrize("coupling", [0.0, 0.3, 1.0])
def test_a_listed_task_keeps_the_length_of_its_row(coupling: float) -> None:
    table = np.array([[3.0, 1.0, 4.0], [0.0, 2.0, -9.0]])
    norms = np.linalg.norm(lift(coupling).rows(table), axis=1)
    assert norms == pytest.approx(lift().norm, rel=1e-10)


def test_a_row_stands_once_for_all_tasks_and_once_for_its_own() -> None:
    own = lift(0.36, intercept=0.0)
    lifted = own.rows(np.array([[0.3, 1.0, 0.4], [0.3, 7.0, 0.4], [0.3, np.nan, 0.4]]))
    assert lifted[0] == pytest.approx([0.18, 0.24, 0, 0, 0.24, 0.32, 0, 0], abs=1e-9)
    for unlisted in lifted[1:]:
        assert unlisted == pytest.approx([0.18, 0.24, 0, 0, 0, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("ranges", [False, True])
def test_a_row_is_lifted_as_it_would_be_alone_sparse_or_dense(ranges: bool) -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=50), rng.integers(0, 4, size=50), rng.normal(size=50)])
    together = lift(ranges=ranges).rows(table)
    for place in range(50):
        assert np.array_equal(lift(ranges=ranges).rows(table[place : place + 1])[0], together[place])
    if not ranges:
        assert np.array_equal(lift().rows(csr_array(table)), together)


def test_many_tasks_are_stored_as_compressed_rows_of_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(1).normal(size=(20, 3)).round()
    full = lift().rows(table)
    monkeypatch.setattr(tasks, "FEW_FEATURES", 0)
    assert np.array_equal(lift().rows(table).toarray(), full)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_tasks_are_read_from_frames(frame: Any) -> None:
    own = Tasks(RowBounds(1.0), 2, 0, ("north", "south"), 0.5)
    readable = own.readable(frame({"where": ["south", "north", "east", None], "x": [0.5, 0.5, 0.5, 0.5]}))
    cells = np.asarray(readable)[:, 0].astype(float)
    assert own.places(cells).tolist() == [1, 0, 2, 2]


def test_what_makes_no_lift_is_refused() -> None:
    for wrong in ({"coupling": -0.1}, {"coupling": 1.1}, {"column": 3}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            lift(**wrong)
    for listed in ((), (1, 1), (None,)):
        with pytest.raises(InvalidInput, match="tasks"):
            Tasks(RowBounds(1.0), 2, 0, listed, 0.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="column_bounds"):
        Tasks(RowBounds(1.0, RANGES), 2, 0, (1, 2), 0.5)
    with pytest.raises(InvalidInput, match="nothing to learn from"):
        Tasks(RowBounds(1.0), 1, 0, (1, 2), 0.5)
