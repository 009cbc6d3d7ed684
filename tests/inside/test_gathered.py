"""Records in files begin where records in memory do: by the same ones, told by their number alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from equipoise.errors import UnreadableFile
from equipoise.inside import enter, parted
from equipoise.inside.gathered import gathered
from equipoise.inside.objective import Objective
from equipoise.inside.parted import enter_streamed, height_for
from equipoise.inside.parted_objective import PartedObjective
from equipoise.inside.private import Private
from equipoise.inside.records import Records
from equipoise.inside.solvers import solve
from equipoise.inside.solvers.chord import Chord
from equipoise.inside.solvers.head_start import rough_start
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ROWS, WIDTH = 60_000, 3
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))


def opened(value: Private[Any]) -> Any:
    return value.reveal()


def cut(X: Array, y: Array, ends: Sequence[int], thin: bool = False) -> Iterator[tuple[Any, Array]]:
    """Blocks that end there, dense or sparse."""
    for first, last in zip([0, *ends], [*ends, len(X)], strict=True):
        yield (sparse.csr_array(X[first:last]) if thin else X[first:last].copy()), y[first:last]


@given(
    rows=st.integers(1, 40),
    steps=st.lists(st.integers(1, 45), min_size=1, max_size=3),
    ends=st.lists(st.integers(0, 40), max_size=4),
    spare=st.integers(0, 5),
    thin=st.booleans(),
)
def test_the_same_are_found_wherever_blocks_end(
    rows: int, steps: list[int], ends: list[int], spare: int, thin: bool
) -> None:
    """Rows beyond those that count are in nobody's sample."""
    X = np.arange(1.0, 2 * (rows + spare) + 1).reshape(-1, 2)
    y = X[:, 0] / 3
    places = sorted(min(end, len(X)) for end in ends)
    for step, (found, labels) in zip(steps, gathered(cut(X, y, places, thin), rows, steps), strict=True):
        held = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_array_equal(held, X[:rows:step])
        np.testing.assert_array_equal(labels, y[:rows:step])


def test_a_table_that_lost_rows_ends_the_fit() -> None:
    X = np.ones((10, 2))
    with pytest.raises(UnreadableFile, match="fewer rows"):
        gathered(cut(X, X[:, 0], [4]), 11, [3])


def both() -> tuple[Objective, PartedObjective, list[int]]:
    """In memory and in blocks; how often the blocks were read."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, WIDTH))
    y = (X @ np.arange(WIDTH) + rng.logistic(size=ROWS) > 0).astype(np.float64)
    read, height = [0], height_for(WIDTH + 1)

    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[Array, Array]]:
        read[0] += 1
        yield from cut(X, y, range(height // 2, ROWS, height // 2))

    whole = opened(enter(X, y, BOUNDS))
    parts: Records = opened(enter_streamed(blocks, ROWS, WIDTH, WIDTH + 1, height, BOUNDS))
    return Objective(Logistic(), L2(1e-3), whole, ROWS), PartedObjective(Logistic(), L2(1e-3), parts, ROWS), read


def test_files_begin_where_memory_does_and_cost_one_pass_for_it() -> None:
    whole, parts, read = both()
    started, other = rough_start(parts, Chord()), rough_start(whole, Chord())
    assert read == [1]
    assert isinstance(started, np.ndarray)
    assert isinstance(other, np.ndarray)
    assert np.abs(started).max() > 0.1
    np.testing.assert_allclose(started, other, rtol=1e-9)


@pytest.mark.parametrize("radius", [1e-3, 1e-6])
def test_they_end_at_the_same_point_and_not_only_within_their_radius(radius: float) -> None:
    whole, parts, _ = both()
    ends = [solve(objective, radius) for objective in (whole, parts)]
    assert all(end.certificate.distance <= radius for end in ends)
    assert np.abs(ends[0].point - ends[1].point).max() <= 1e-9


def test_samples_that_are_too_large_to_be_held_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parted, "MOST_HELD", ROWS // 8)
    _, parts, read = both()
    np.testing.assert_array_equal(rough_start(parts, Chord()), parts.centre)
    assert read == [0]


def test_of_records_that_are_cut_off_none_is_in_the_sample() -> None:
    """Under add-remove a table may be cut to a public number of its rows, and what is left weighs less."""
    _, parts, _ = both()
    (few,) = parts.records.first(1000).thinned([7])
    assert few.design.rows == len(few.labels) == len(range(0, 1000, 7))
