"""Clipping: never above its bound, whatever the numbers; done once is done."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from equipoise.inside.design import design_from

DOUBLES = arrays.arrays(
    np.float64,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(allow_nan=False, allow_infinity=False, width=64),
)
SINGLES = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(allow_nan=False, allow_infinity=False, width=32),
)
BOUNDS = st.floats(min_value=1e-3, max_value=1e3)


def _stored(X: npt.NDArray[np.floating], bound: float) -> npt.NDArray[np.float64]:
    """The clipped rows, read back through products with the unit vectors."""
    return design_from(X, bound, 0.0).matvec(np.eye(X.shape[1]))


def _longest(rows: npt.NDArray[np.float64]) -> float:
    exact = rows.astype(np.longdouble)
    return float(np.sqrt(np.sum(exact * exact, axis=1)).max())


@given(X=DOUBLES, bound=BOUNDS)
@settings(max_examples=300, deadline=None)
def test_doubles_never_exceed_the_bound_and_stay_when_clipped_again(X: npt.NDArray[np.float64], bound: float) -> None:
    once = _stored(X, bound)
    assert _longest(once) <= bound
    np.testing.assert_array_equal(_stored(once, bound), once)


@given(X=SINGLES, bound=BOUNDS)
@settings(max_examples=200, deadline=None)
def test_singles_are_clipped_as_the_same_numbers_in_doubles(X: npt.NDArray[np.float32], bound: float) -> None:
    np.testing.assert_array_equal(_stored(X, bound), _stored(X.astype(np.float64), bound))


@given(X=DOUBLES, bound=BOUNDS)
@settings(max_examples=200, deadline=None)
def test_sparse_rows_are_clipped_as_dense_ones(X: npt.NDArray[np.float64], bound: float) -> None:
    as_sparse = design_from(sparse.csr_array(X), bound, 0.0).matvec(np.eye(X.shape[1]))
    assert _longest(as_sparse) <= bound
    np.testing.assert_allclose(as_sparse, _stored(X, bound), rtol=1e-14)


@pytest.mark.parametrize("excess", [1e-6, 1e-9, 0.5, 1e200, -1e-13])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_long_rows_among_short_ones_are_clipped_as_when_alone(excess: float, store: type) -> None:
    """Whichever path a row takes, and with whom: it ends as the same numbers, within the bound."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 7)) * (rng.random((60, 7)) < 0.6)
    X[::9] = 0.0
    X[3:, 0] += 0.1
    X *= 0.4 / np.maximum(1e-9, np.linalg.norm(X, axis=1, keepdims=True))
    X[[7, 20, 59]] *= (1 + excess) / 0.4
    clipped = _stored(store(X), 1.0)
    alone = np.vstack([_stored(store(X[row : row + 1]), 1.0) for row in range(60)])
    np.testing.assert_array_equal(clipped, alone)
    assert _longest(clipped) <= 1.0
    short = np.setdiff1d(np.arange(60), [7, 20, 59])
    np.testing.assert_array_equal(clipped[short], X[short])


@given(X=DOUBLES)
@settings(max_examples=200, deadline=None)
def test_direction_is_kept(X: npt.NDArray[np.float64]) -> None:
    peak = np.abs(X).max(axis=1, keepdims=True)
    unit = X / np.where(peak > 0, peak, 1.0)
    clipped = _stored(X, 1.0)
    overlap = np.einsum("ij,ij->i", unit, clipped)
    lengths = np.linalg.norm(unit, axis=1) * np.linalg.norm(clipped, axis=1)
    np.testing.assert_allclose(overlap, lengths, rtol=1e-9, atol=1e-150)


def test_short_rows_are_untouched_and_huge_rows_land_on_the_bound() -> None:
    X = np.array([[0.3, 0.4], [1e300, 1e300], [5e-324, 0.0], [0.0, 0.0], [-1.7e308, 0.0]])
    clipped = _stored(X, 1.0)
    np.testing.assert_array_equal(clipped[[0, 2, 3]], X[[0, 2, 3]])
    np.testing.assert_allclose(clipped[[1, 4]], [[0.5**0.5, 0.5**0.5], [-1.0, 0.0]], rtol=1e-11)


def test_a_tiny_bound_on_singles_is_kept() -> None:
    X = np.full((3, 7), 1.1, dtype=np.float32)
    assert design_from(X, 1e-40, 0.0).row_norms().max() <= 1e-40


def test_an_entry_stored_in_pieces_is_measured_whole() -> None:
    pieces = sparse.csr_array((np.array([0.9, 0.9]), np.array([0, 0]), np.array([0, 2])), shape=(1, 3))
    assert 1 - 1e-11 < float(design_from(pieces, 1.0, 0.0).matvec(np.ones(3))[0]) <= 1


@pytest.mark.parametrize("store", [np.asarray, lambda X: X.astype(np.float32), sparse.csr_array])
@pytest.mark.parametrize(
    ("bad", "becomes"), [(np.nan, [0.3, 0.0, 0.3]), (np.inf, [0.0, 1.0, 0.0]), (-np.inf, [0.0, -1.0, 0.0])]
)
def test_a_missing_cell_is_0_and_infinity_a_long_row_and_the_others_stay(
    bad: float, becomes: list[float], store: type
) -> None:
    X = np.full((4, 3), 0.3)
    X[2, 1] = bad
    rows = design_from(store(X), 1.0, 0.0).matvec(np.eye(3))
    np.testing.assert_allclose(rows[2], becomes, atol=1e-7)
    kept = float(store(X).dtype.type(0.3))
    np.testing.assert_array_equal(np.delete(rows, 2, axis=0), np.full((3, 3), kept))


@pytest.mark.parametrize("pieces", [[1e308, 1e308], [1e308] * 9 + [-1e308] * 8, [np.inf, 3.0], [1e308] * 40])
def test_pieces_that_add_up_to_more_than_doubles_hold_make_a_row_of_the_bound(pieces: list[float]) -> None:
    k = len(pieces)
    table = sparse.csr_array((np.array(pieces), np.zeros(k, dtype=int), np.array([0, k])), shape=(1, 3))
    assert _longest(design_from(table, 1.0, 0.0).matvec(np.eye(3))) <= 1.0
