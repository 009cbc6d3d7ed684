"""A row is clipped by itself: another one, however long, does not change what becomes of it."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from equipoise.rows.clip import clip_dense, clip_sparse, row_sum, squares_of
from equipoise.theory.bounds import clip_margin

COLUMNS, ENTRIES = 10**6, 3


def at_the_line() -> np.ndarray:
    """Rows on which two measures of a norm disagree: too long for the one with a peak, short enough for the other."""
    line, generator = 1 - clip_margin(COLUMNS) / 2, np.random.default_rng(0)
    rows = generator.uniform(0.1, 1.0, (100_000, ENTRIES))
    rows *= line / np.linalg.norm(rows, axis=1, keepdims=True)
    starts, peak = np.arange(0, rows.size + 1, ENTRIES), rows.max(axis=1)
    unit = rows / peak[:, None]
    plain = np.sqrt(row_sum((rows * rows).ravel(), starts))
    other = np.sqrt(row_sum((unit * unit).ravel(), starts))
    return np.asarray(rows[(plain <= line) & (other > line / peak)])


def clipped_beside(rows: np.ndarray, last: np.ndarray) -> np.ndarray:
    table = np.vstack([rows, last])
    places, starts = np.tile(np.arange(ENTRIES), len(table)), np.arange(0, table.size + 1, ENTRIES)
    matrix = sparse.csr_array((table.ravel().copy(), places, starts), shape=(len(table), COLUMNS))
    clip_sparse(matrix, 1.0)
    return matrix.data.reshape(-1, ENTRIES)[:-1]


def test_a_huge_row_does_not_shorten_others() -> None:
    rows = at_the_line()
    assert len(rows) > 0
    usual = clipped_beside(rows, np.full(ENTRIES, 0.1))
    for huge in (1e101, 1e150, 1e308):
        assert np.array_equal(clipped_beside(rows, np.full(ENTRIES, huge)), usual)


def test_how_many_rows_are_long_does_not_shorten_others() -> None:
    """In a table that lies by columns, a norm may be summed in two ways that differ by a unit."""
    columns, generator = 20, np.random.default_rng(0)
    line = 1 - clip_margin(columns) / 2
    rows = generator.uniform(0.1, 1.0, (300, columns))
    rows *= line / np.linalg.norm(rows, axis=1, keepdims=True)
    short = np.full((899, columns), 0.01)

    def clipped_by_columns(last: float) -> np.ndarray:
        turned = np.ascontiguousarray(np.vstack([rows, short, np.full((1, columns), last)]).T)
        clip_dense(turned.T, 1.0)
        return turned.T[: len(rows)]

    assert np.array_equal(clipped_by_columns(0.01), clipped_by_columns(9.0))


def test_a_long_row_measures_the_same_however_many_threads_there_are() -> None:
    """Rows that are read in several passes are compared by their squares: else another thread that limits those of the
    linear algebra would seem to have written to them, or not, as the rounding of a record has it."""
    for columns in (40, 5_000, 10_001, 30_000):
        rows = np.random.default_rng(columns).normal(size=(20, columns))
        with threadpool_limits(1):
            alone = squares_of(rows)
        with threadpool_limits(2):
            assert np.array_equal(squares_of(rows), alone)
