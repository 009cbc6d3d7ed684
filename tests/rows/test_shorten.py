"""Queries are clipped to the very numbers that records are clipped to, whichever road they take."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.rows.clip import clip_dense
from equipoise.rows.shorten import shorten

Array = npt.NDArray[np.float64]


def same(block: Array, row_norm: float) -> bool:
    """To the last bit."""
    quick, usual = block.copy(), block.copy()
    shorten(quick, row_norm)
    clip_dense(usual, row_norm)
    return quick.tobytes() == usual.tobytes()


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 60),
    st.integers(1, 40),
    st.floats(-8, 8),
    st.sampled_from([0.3, 1.0, 7e5]),
)
def test_every_number_is_that_of_the_usual_clipping(
    seed: int, rows: int, columns: int, size: float, norm: float
) -> None:
    """From rows that are all short to rows that are all too long."""
    rng = np.random.default_rng(seed)
    lengths = norm * 2.0 ** (size * rng.uniform(-1, 1, size=(rows, 1)))
    assert same(rng.normal(size=(rows, columns)) / np.sqrt(columns) * lengths, norm)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e200, 1.7e308, 1e-310, 0.0, -0.0])
@pytest.mark.parametrize("norm", [1.0, 1e-150, 1e150])
def test_rows_of_any_size_and_missing_cells_are_clipped_alike(odd: float, norm: float) -> None:
    block = np.random.default_rng(0).normal(size=(20, 5)) * norm
    block[3, 2] = odd
    assert same(block, norm)
    block[3] = odd
    assert same(block, norm)


@pytest.mark.parametrize("columns", [1, 3, 31, 32, 200])
def test_rows_at_the_line_stay_or_are_shortened_alike(columns: int) -> None:
    """Lengths within a few units of the bound, where two rules would disagree first."""
    rng = np.random.default_rng(columns)
    rows = rng.normal(size=(4000, columns))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert same(rows * (1 + rng.integers(-40, 41, size=(4000, 1)) * columns * 2.0**-53), 1.0)
    assert same(rows * (1 + rng.uniform(-2e-12, 2e-12, size=(4000, 1))), 1.0)


def test_a_shortened_row_is_within_the_bound_and_stays() -> None:
    rows = np.random.default_rng(1).normal(size=(500, 7)) * 3
    shorten(rows, 1.0)
    assert np.linalg.norm(rows, axis=1).max() <= 1.0
    again = rows.copy()
    shorten(again, 1.0)
    assert np.array_equal(again, rows)
