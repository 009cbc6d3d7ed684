"""Records that are seen from a middle: in memory, in files and in somebody's array they are the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.inside import Private, Records, enter, mean_gradient, mean_row, seen_from
from equipoise.inside.borrowed import enter_borrowed
from equipoise.inside.design import rows_of
from equipoise.inside.parted import enter_streamed
from equipoise.inside.records import nobody
from equipoise.inside.view import in_view
from equipoise.rows import RowBounds
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.losses import Logistic

ROWS, WIDTH, HEIGHT = 1000, 6, 128
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))
VIEW = View(0.4, (0.3, -0.2, 0.1, 0.0, 0.05, -0.3))


def table() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Some rows beyond their bound, some cells missing or without end."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, WIDTH)) * rng.choice([0.05, 0.3, 4.0], ROWS)[:, None]
    X[3, 2], X[5, 1] = np.nan, -np.inf
    return X, rng.integers(0, 2, ROWS)


def in_memory() -> Private[Records]:
    return enter(*table(), BOUNDS)


def sparse_rows() -> Private[Records]:
    X, y = table()
    return enter(sparse.csr_array(X), y, BOUNDS)


def streamed() -> Private[Records]:
    X, y = table()

    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[Any]]]:
        for start in range(0, ROWS, HEIGHT):
            yield X[start : start + HEIGHT].copy(), y[start : start + HEIGHT]

    return enter_streamed(blocks, ROWS, WIDTH, WIDTH + 1, HEIGHT, BOUNDS)


def borrowed() -> Private[Records]:
    return enter_borrowed(*table(), BOUNDS, nobody)


WAYS = {"sparse": sparse_rows, "streamed": streamed, "borrowed": borrowed}


@pytest.mark.parametrize("way", WAYS)
def test_however_records_lie_their_sums_are_those_in_memory(way: str) -> None:
    here, there, w = in_memory(), WAYS[way](), np.linspace(-2, 2, WIDTH + 1)
    assert np.allclose(mean_row(here, ROWS).reveal(), mean_row(there, ROWS).reveal(), rtol=0, atol=1e-15)
    found, other = (mean_gradient(seen_from(each, VIEW, 0.2), Logistic(), ROWS, w).reveal() for each in (here, there))
    assert np.allclose(found, other, rtol=0, atol=1e-15)
    assert not np.allclose(found, mean_gradient(here, Logistic(), ROWS, w).reveal(), atol=1e-3)


def test_a_row_is_what_lies_between_the_middle_and_it_no_longer_than_the_reach() -> None:
    """Against the slow, obvious way, one record at a time."""
    entered = in_memory().reveal()
    found = rows_of(in_view(entered, VIEW, 0.2).design)
    for own, row in zip(rows_of(entered.design), found, strict=True):
        away = own - np.array(VIEW.middle)
        assert np.allclose(row, away * min(1.0, VIEW.reach / float(np.linalg.norm(away))), rtol=1e-9, atol=1e-15)


def test_predictions_pull_rows_in_as_the_fit_did() -> None:
    X, _ = table()
    pulled = RowBounds(1.0, view=VIEW).brought_within(X)
    fitted = rows_of(in_view(in_memory().reveal(), VIEW, 0.2).design)
    assert np.allclose(pulled - np.array(VIEW.middle), fitted, rtol=0, atol=1e-15)


def test_with_ranges_of_columns_the_middle_is_in_the_units_of_the_fit() -> None:
    """A row that is pulled in, in its own units, is what the fit saw."""
    ranges = tuple((float(-place), float(10 * place + 1)) for place in range(WIDTH))
    X = np.random.default_rng(1).uniform(-5, 60, (40, WIDTH))
    bounds = Bounds(1.0, 0.5, columns=ranges, classes=(0, 1))
    entered = enter(X, np.zeros(40, dtype=int), bounds).reveal()
    fitted = rows_of(in_view(entered, VIEW, 0.2).design)
    pulled = RowBounds(1.0, ranges, VIEW).brought_within(X)
    known = Bounds(1.0, 0.5, columns=ranges, view=VIEW)
    back = (pulled - np.array(known.column_centres)) * np.array(known.column_scales)
    assert np.allclose(back, fitted, rtol=0, atol=1e-12)
    assert np.array_equal(RowBounds(1.0, ranges).brought_within(X), np.clip(X, *np.array(ranges).T))


def test_all_of_them_are_used() -> None:
    with pytest.raises(TypeError, match="all are used"):
        seen_from(streamed(), VIEW, 0.2).reveal().first(3)
