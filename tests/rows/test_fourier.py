"""Every row of random Fourier features has norm one, less a hair, and is made without the other rows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from equipoise.errors import InvalidInput
from equipoise.inside import enter
from equipoise.rows import RowBounds
from equipoise.rows.lifts.fourier import KERNELS, Fourier, drawn
from equipoise.theory.bounds import Bounds, clip_margin

Array = npt.NDArray[np.float64]

CELL = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(-2, 2))
ROWS = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12)
RANGES = ((-1.0, 1.0), (0.0, 1e20), (-3.0, 2.0))


def lift(kernel: str = "rbf", ranges: bool = False, **given: float) -> Fourier:
    bounds = RowBounds(given.pop("row_norm", 1.0), RANGES if ranges else None)
    made = {"bandwidth": 0.5, "frequencies": 9, "seed": 7} | given
    return Fourier(bounds, 3, kernel, **made)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(
    ROWS,
    st.sampled_from(KERNELS),
    st.booleans(),
    st.integers(0, 2**128 - 1),
    st.sampled_from([1e-30, 1e-3, 0.5, 1e30]),
    st.sampled_from([1e-30, 1.0, 1e30]),
    st.sampled_from([1, 2, 50]),
)
def test_every_row_has_norm_one_less_a_hair(
    rows: list[tuple[float, ...]], kernel: str, ranges: bool, seed: int, width: float, norm: float, many: int
) -> None:
    """Above would be more than the noise is for; far below would be noise for nothing."""
    found = lift(kernel, ranges, seed=seed, bandwidth=width, row_norm=norm, frequencies=many).rows(np.array(rows))
    norms = np.array([math.sqrt(math.fsum(row * row)) for row in found])
    assert (norms <= 1 - 2 * clip_margin(2 * many)).all()
    assert (norms >= 1 - 6 * clip_margin(2 * many)).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ranges", [False, True])
def test_a_row_is_lifted_as_it_would_be_alone(kernel: str, ranges: bool) -> None:
    """To the last bit, so that the number of rows, secret under add-remove, is in none of them."""
    own = lift(kernel, ranges, frequencies=67)
    table = np.random.default_rng(0).normal(size=(301, 3))
    together = own.rows(table)
    for count in (1, 2, 3, 7, 8, 100, 300):
        assert np.array_equal(own.rows(table[:count]), together[:count])
    for place in (0, 5, 250, 300):
        assert np.array_equal(own.rows(table[place : place + 1])[0], together[place])


def test_rows_enter_without_being_clipped() -> None:
    own = lift()
    table = np.random.default_rng(1).normal(size=(20, 3))
    found = enter(table, np.zeros(20), Bounds(1.0, 0.5, classes=(0, 1), lift=own))
    lifted = found.map(lambda inner: inner.design.matvec(np.eye(19)))._Private__value  # type: ignore[attr-defined]
    assert np.array_equal(lifted[:, :-1], own.rows(table))


def test_sparse_rows_are_lifted_as_dense_ones() -> None:
    table = np.random.default_rng(2).normal(size=(40, 3)) * (np.random.default_rng(3).random((40, 3)) < 0.5) / 4
    assert np.array_equal(lift().rows(csr_array(table)), lift().rows(table))


@pytest.mark.parametrize("kernel", KERNELS)
def test_products_are_the_kernel_on_average(kernel: str) -> None:
    """Each of the six is off by five standard errors with a chance below one in a million."""
    many = 20_000
    own = Fourier(RowBounds(2.0), 2, kernel, 0.4, many, seed=11)
    table = np.array([[0.0, 0.0], [0.3, 0.1], [-0.5, 0.6], [1.0, -0.2]])
    lifted = own.rows(table)
    for left in range(4):
        for right in range(left):
            apart = table[left] - table[right]
            wanted = (
                math.exp(-float(apart @ apart) / (2 * 0.8**2))
                if kernel == "rbf"
                else math.exp(-float(np.abs(apart).sum()) / 0.8)
            )
            assert float(lifted[left] @ lifted[right]) == pytest.approx(wanted, abs=5 / math.sqrt(2 * many))


def test_a_seed_means_the_same_frequencies_in_every_version() -> None:
    """They are written nowhere else: a model's file holds the seed."""
    assert drawn("rbf", 1.0, 2, 2, 1).ravel() == pytest.approx(PINNED["rbf"], rel=1e-12)
    assert drawn("laplace", 2.0, 2, 2, 1).ravel() == pytest.approx(PINNED["laplace"], rel=1e-12)
    assert not np.allclose(drawn("rbf", 1.0, 2, 2, 2), drawn("rbf", 1.0, 2, 2, 1))


PINNED = {
    "rbf": [-0.5400266312269794, -0.5315735919241155, -1.115236294756802, -2.043673415368377],
    "laplace": [-0.37642032030973815, -0.36927980391501897, -1.1321836666260965, -7.755608521880838],
}


def test_other_kernels_bandwidths_and_numbers_are_refused() -> None:
    for wrong in ({"kernel": "linear"}, {"bandwidth": 0.0}, {"frequencies": 0}, {"frequencies": 2**20}, {"seed": -1}):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            replace(lift(), **wrong)
    with pytest.raises(InvalidInput, match="column_bounds"):
        Fourier(RowBounds(1.0, RANGES), 2, "rbf", 1.0, 4)
