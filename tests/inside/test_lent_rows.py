"""Rows in somebody else's array, in compiled passes: shortened as numpy does it, and the same from pass to pass."""

from __future__ import annotations

import math
import shutil
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.inside.compiled import passes_are_there, slopes
from equipoise.inside.compiled.slopes import TIMES, Law
from equipoise.inside.compiled.sweep import Outcome, Sweep, lengths, over_lent
from equipoise.inside.design import design_from
from equipoise.inside.design.lent import Lent, Met
from equipoise.inside.objective import data_gradient
from equipoise.inside.records import Records
from equipoise.rows.clip import HUGE, shortening
from equipoise.theory.losses import Logistic

CURVE: Law = (slopes.CURVE, 0.5, 0.0, 0.0)

pytestmark = pytest.mark.skipif(
    not passes_are_there() and shutil.which("cc") is None, reason="no C compiler was here at install"
)


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.sampled_from([1e-30, 0.3, 1.0, 7.0, 1e30]),
    st.sampled_from([np.float64, np.float32]),
    st.integers(0, 10**6),
)
def test_lent_rows_are_shortened_by_the_same_factors(
    rows: int, columns: int, norm: float, kind: Any, seed: int
) -> None:
    """To the last digit: one row at a time, its factor comes out of the constant column's neighbour."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(rows, columns)) * rng.choice([0.0, 0.1, 1.0, 1e3], size=(rows, 1)) * norm).astype(kind)
    squares = lengths(X)
    factors = shortening(squares, norm, columns)
    sweep = Sweep(np.zeros(columns + 1), (slopes.RESIDUAL, 1.0, math.inf, 0.0), np.full(rows, -1.0), None, 1.0)
    for row in range(rows):
        alone = Sweep(sweep.w, sweep.law, sweep.labels[:1], None, 1.0)
        found = over_lent(X[row : row + 1], norm, squares[row : row + 1].copy(), False, alone, 256)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found[:-1], factors[row] * X[row].astype(float))
    met = np.empty(rows)
    first = over_lent(X, norm, met, True, sweep, 256)
    again = over_lent(X, norm, met, False, sweep, 256)
    assert isinstance(first, np.ndarray)
    np.testing.assert_array_equal(met, squares)
    np.testing.assert_array_equal(first, again)


@given(st.integers(1, 300), st.integers(1, 30), st.data())
def test_a_row_of_another_length_is_noticed(rows: int, columns: int, data: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    squares = lengths(X)
    row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    X[row, column] += data.draw(st.sampled_from([1e-3, 1.0, -5.0, 1e200, np.inf, np.nan]))
    sweep = Sweep(rng.normal(size=columns), CURVE, np.ones(rows))
    assert over_lent(X, 1.0, squares, False, sweep, 256) is Outcome.OTHERS


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e101, 1e300])
def test_rows_that_no_factor_serves_are_told(odd: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[17, 1] = odd
    assert over_lent(X, 1.0, np.empty(50), True, Sweep(np.ones(3), CURVE, np.ones(50)), 256) is Outcome.ODD
    assert not np.all(lengths(X) < HUGE)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e300])
def test_a_block_with_an_odd_row_is_summed_by_a_copy(odd: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X[17, 1] = odd
    known, room = Met(), np.empty((64, 3))
    whole = Records(design_from(X, 1.0, 0.0), np.ones(50))
    for _ in range(3):
        lent = Records(Lent(X, 1.0, known, lambda: room), np.ones(50))
        found = data_gradient(Logistic(), lent, 1.0, np.ones(3))
        np.testing.assert_allclose(found, data_gradient(Logistic(), whole, 1.0, np.ones(3)), atol=1e-12)
    assert known.odd


def test_what_is_summed_is_what_was_measured() -> None:
    """Somebody turns the rows around all the while, one way or the other, of one length.  By the score of the one way
    no row may be added that lies the other: that would be a row which nobody measured.  (A number that is met half
    written may be a tiny one beside a row's one.)"""
    rows = 20_000
    ways = [np.tile(way, (rows, 1)) for way in ([1.0, 0.0], [0.0, 1.0])]
    X, over = ways[0].copy(), threading.Event()

    def turn() -> None:
        while not over.is_set():
            for way in ways:
                np.copyto(X, way)

    sweep, squares = Sweep(np.array([1.0, 0.0]), TIMES, np.ones(rows)), np.ones(rows)
    somebody = threading.Thread(target=turn)
    somebody.start()
    try:
        found = [over_lent(X, 1.0, squares, False, sweep, 256) for _ in range(1500)]
    finally:
        over.set()
        somebody.join()
    sums = [one for one in found if isinstance(one, np.ndarray)]
    assert sums
    assert all(abs(one[1]) < 0.5 for one in sums)
