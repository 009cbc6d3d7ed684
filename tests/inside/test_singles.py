"""Tables in single precision stay that, without a copy in doubles: short rows, and sums in doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import equipoise as eq
from equipoise.inside import enter
from equipoise.inside.design import dense, design_from
from equipoise.inside.design.dense import DenseDesign
from equipoise.rows.tables import own_table
from equipoise.theory.bounds import Bounds

Singles = npt.NDArray[np.float32]

SINGLES = arrays.arrays(
    np.float32, arrays.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(width=32)
)


def stored(X: Singles, bound: float) -> Singles:
    design = design_from(X.copy(), bound, 0.0, ours=True)
    assert isinstance(design, DenseDesign)
    assert design.matrix.dtype == np.float32
    return np.array(design.matrix, dtype=np.float32)


@given(X=SINGLES, bound=st.floats(min_value=1e-3, max_value=1e3))
@settings(max_examples=300, deadline=None)
def test_rows_in_singles_never_exceed_the_bound_and_stay_when_clipped_again(X: Singles, bound: float) -> None:
    """Whatever they hold, missing cells and infinities included; judged in long doubles."""
    once = stored(X, bound)
    exact = once.astype(np.longdouble)
    assert np.all(np.sqrt(np.sum(exact * exact, axis=1)) <= bound)
    np.testing.assert_array_equal(stored(once, bound), once)


def test_they_are_the_rows_of_a_table_in_doubles_but_for_their_last_digits() -> None:
    X = np.random.default_rng(0).normal(size=(300, 7)).astype(np.float32)
    X[3, 1], X[5, 2] = np.nan, -np.inf
    np.testing.assert_allclose(stored(X, 1.0), design_from(X, 1.0, 0.0).matvec(np.eye(7)), rtol=3e-7, atol=1e-40)


@pytest.mark.parametrize("outputs", [1, 3])
def test_products_are_those_of_the_same_numbers_in_doubles(outputs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 5)).astype(np.float32)
    held: Any = X
    singles, doubles = DenseDesign(held), DenseDesign(X.astype(np.float64))
    w, r = (rng.normal(size=(size, outputs)[: 1 + (outputs > 1)]) for size in (5, 2000))
    for entries in (1, 2**11, 2**20):
        monkeypatch.setattr(dense, "BLOCK_ENTRIES", entries)
        np.testing.assert_allclose(singles.matvec(w), doubles.matvec(w), rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(singles.rmatvec(r), doubles.rmatvec(r), rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(
            singles.pulled(w, lambda s, _: s), doubles.pulled(w, lambda s, _: s), rtol=1e-12, atol=1e-11
        )
    np.testing.assert_allclose(
        singles.weighted_gram(abs(w[:1]).sum() + np.zeros(2000)), abs(w[:1]).sum() * (X.T.astype(float) @ X)
    )
    np.testing.assert_allclose(singles.gram_of_rows()[:9], doubles.gram_of_rows()[:9], atol=1e-12)
    assert singles.longest_row == doubles.longest_row
    assert singles.take(np.arange(3)).matrix.dtype == np.float32


def test_column_bounds_and_tiny_norms_are_for_doubles() -> None:
    X = np.full((4, 2), 0.1, dtype=np.float32)
    scaled = enter(X.copy(), np.zeros(4, dtype=int), Bounds(1.0, classes=(0, 1), columns=((0, 1), (0, 1))), ours=True)
    tiny = enter(X.copy(), np.zeros(4, dtype=int), Bounds(1e-30, classes=(0, 1)), ours=True)
    for records in (scaled, tiny):
        design = records.reveal().design
        assert isinstance(design, DenseDesign)
        assert design.matrix.dtype == np.float64
    assert tiny.reveal().longest_row <= 1e-30


def test_a_fit_copies_singles_as_singles_and_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 6)).astype(np.float32)
    y, kept = (X[:, 0] > 0).astype(int), X.copy()
    assert own_table(X, None, singles=True).dtype == np.float32
    made = [
        eq.LogisticRegression(50.0, mechanism="output", alpha=0.1, random_state=3).fit(table, y).coef_
        for table in (X, X.astype(np.float64))
    ]
    np.testing.assert_allclose(made[0], made[1], atol=1e-5)
    np.testing.assert_array_equal(X, kept)
