"""Encoded rows have norm at most one for every record, and come near it; scores are those of the shapes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.inside import enter
from equipoise.theory.additive import Basis, Categories, Encoding, Numbers, Pair
from equipoise.theory.additive.monotone import in_order
from equipoise.theory.bounds import Bounds

Array = npt.NDArray[np.float64]

COLUMNS = (Numbers((0.0, 1.0, 2.0, 5.0)), Categories(("a", "b")), Numbers((-1.0, 1.0)))
PAIRS = (Pair((0, 2), (Numbers((0.0, 5.0)), COLUMNS[2])), Pair((1, 0), (COLUMNS[1], Numbers((0.0, 2.0, 5.0)))))
CELL = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, 1.0, 2.0, 5.0, -1.0]))
BENDS = st.sampled_from([None, 0, 1, 3, "opening"])
ROWS = st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12)


def encoding(pairs: bool, straight: float = 0.4, length: float = 0.2, bends: int | str | None = None) -> Encoding:
    basis = Basis(COLUMNS, PAIRS if pairs else ())
    if isinstance(bends, str):
        return Encoding(basis, straight, length, told=200.0)
    return Encoding(basis, straight, length, bends)


@settings(max_examples=200)
@given(ROWS, st.booleans(), st.floats(0, 0.999), st.floats(1e-3, 1e3), BENDS)
def test_no_record_has_a_row_longer_than_one(
    rows: list[tuple[float, float, float]], pairs: bool, straight: float, length: float, bends: int | str | None
) -> None:
    norms = np.linalg.norm(encoding(pairs, straight, length, bends).rows(np.array(rows)), axis=1)
    assert (norms <= 1 - 1e-7).all()


@pytest.mark.parametrize("bends", [None, 0, 1, 3, "opening"])
def test_the_bound_is_reached_on_knots_and_categories(bends: int | str | None) -> None:
    """A row at knots is as long as allowed, so a longer share would be one too long."""
    table = np.array([[5.0, 1.0, 1.0], [0.0, math.nan, -1.0]])
    norms = np.linalg.norm(encoding(pairs=False, bends=bends).rows(table), axis=1)
    assert (norms > 1 - 2e-6).all()


@given(ROWS, BENDS)
def test_rows_enter_without_being_clipped_and_each_by_itself(
    rows: list[tuple[float, float, float]], bends: int | str | None
) -> None:
    own = encoding(pairs=True, bends=bends)
    bounds = Bounds(1.0, 0.5, classes=(0, 1), encoding=own)
    together = own.rows(np.array(rows))
    wide = np.eye(own.width + 1)
    for place, row in enumerate(rows):
        found = enter(np.array([row]), np.array([0]), bounds).map(lambda inner: inner.design.matvec(wide))
        assert np.array_equal(opened(found)[0, :-1], together[place])


def opened(private: object) -> Array:
    value = private._Private__value  # type: ignore[attr-defined]
    return np.asarray(value)


@pytest.mark.parametrize("bends", [None, 0, 1, 3, "opening"])
def test_a_score_is_the_sum_of_the_shapes_whichever_way_it_is_computed(bends: int | str | None) -> None:
    own, rng = encoding(pairs=True, bends=bends), np.random.default_rng(0)
    table = np.column_stack([rng.uniform(-1, 6, 50), rng.integers(0, 4, 50), rng.normal(size=50)])
    w = rng.normal(size=(2, own.width))
    assert np.allclose(own.rows(table) @ w.T, own.basis.scores(table, own.values(w)))


def test_the_ridge_is_the_penalty_for_rough_shapes() -> None:
    own = Encoding(Basis((Numbers(tuple(range(6))),)), 0.3, 0.25)
    at = np.linspace(0, 1, 6)
    apart = np.abs(at[:, None] - at)
    covariance = np.eye(7)
    covariance[:6, :6] = 0.3 * np.cos(np.pi * apart) + 0.7 * np.exp(-apart / 0.25)
    w = np.random.default_rng(1).normal(size=(1, 7))
    theta = own.values(w)[0]
    assert theta @ np.linalg.solve(covariance, theta) == pytest.approx(float(np.sum(w**2)), rel=1e-4)


def test_a_straight_shape_is_one_number_flat_at_the_ends_and_nothing_where_missing() -> None:
    own = Encoding(Basis((Numbers(tuple(range(9))),)), 0.4, 0.2, bends=0)
    values = own.values(np.array([[2.0]]))[0] / own.share
    assert own.width == 1
    assert values[[0, 1, 4, 7, 8, 9]] == pytest.approx([-2.0, -2.0, 0.0, 2.0, 2.0, 0.0])
    assert np.diff(values[2:7]) == pytest.approx(np.full(4, math.sqrt(3) / 2))


def test_few_bends_are_few_numbers_and_smooth() -> None:
    column = Numbers(tuple(range(16)))
    own = Encoding(Basis((column,)), 0.4, 0.2, bends=3)
    assert own.width == 1 + 3
    assert own.values(np.ones((1, 4)))[0, 16] == 0.0  # what is missing is in the middle
    smooth, rough = (
        np.linalg.lstsq(own.roots[0][:16], shape, rcond=None)[0] @ own.roots[0][:16].T
        for shape in (np.cos(np.linspace(0, 2 * np.pi, 16)), (-1.0) ** np.arange(16))
    )
    assert np.corrcoef(smooth, np.cos(np.linspace(0, 2 * np.pi, 16)))[0, 1] > 0.95
    assert np.linalg.norm(rough) < 2
    with pytest.raises(InvalidInput, match="bends"):
        Encoding(Basis((column,)), 0.4, 0.2, bends=-1)


@pytest.mark.parametrize("knots", [2, 3, 4, 8, 16, 17])
@pytest.mark.parametrize("bends", [1, 3, 6, 7, 100])
def test_a_line_beside_bends_keeps_its_slope_and_no_row_is_longer_than_its_share(knots: int, bends: int) -> None:
    """However many bends there are: they have the room that the line leaves, and many set what is missing apart."""
    own = Encoding(Basis((Numbers(tuple(range(knots))),)), 0.4, 0.2, bends=bends)
    root = own.roots[0] / own.share
    assert own.width == 1 + min(bends, knots - 2) + (bends > 6)
    lengths = np.linalg.norm(root, axis=1)
    assert lengths.max() <= 1 + 1e-12
    assert lengths[[0, knots - 1]] == pytest.approx(np.ones(2), abs=0.2)
    assert lengths[-1] == (bends > 6)
    slope = 1.0 if knots == 2 else math.sqrt(0.75)
    assert root[[0, knots - 1], 0] == pytest.approx([-slope, slope])


def test_a_smooth_shape_costs_less_than_a_rough_one() -> None:
    own = Encoding(Basis((Numbers(tuple(range(16))),)), 0.4, 0.2)
    root = own.roots[0][:16, :16]
    line, zigzag = np.linspace(-1, 1, 16), (-1.0) ** np.arange(16)
    cost = [float(np.sum(np.linalg.solve(root, shape) ** 2)) for shape in (line, zigzag)]
    assert cost[1] > 20 * cost[0]


def test_rising_shapes_are_the_nearest_and_others_stay() -> None:
    basis = Basis((Numbers((0.0, 1.0, 2.0)), Numbers((0.0, 1.0))))
    coef = np.array([[3.0, 1.0, 2.0, 9.0, 5.0, 4.0, 7.0]])
    rising = in_order(basis, coef, ((0, 1),))
    assert np.allclose(rising, [[2.0, 2.0, 2.0, 9.0, 5.0, 4.0, 7.0]])
    falling = in_order(basis, coef, ((0, -1), (1, -1)))
    assert np.allclose(falling, [[3.0, 1.5, 1.5, 9.0, 5.0, 4.0, 7.0]])
    assert np.array_equal(coef, [[3.0, 1.0, 2.0, 9.0, 5.0, 4.0, 7.0]])


def test_bases_that_cannot_be_are_refused() -> None:
    for columns, pairs in (
        ((), ()),
        (COLUMNS, (Pair((0, 3), COLUMNS[:2]),)),
        (COLUMNS, (Pair((1, 1), COLUMNS[:2]),)),
        (COLUMNS, (Pair((0, 1), COLUMNS[:2]), Pair((1, 0), COLUMNS[:2]))),
        ((Numbers(tuple(range(4000))),) * 17, ()),
    ):
        with pytest.raises(InvalidInput):
            Basis(columns, pairs)
    with pytest.raises(InvalidInput, match="row_norm"):
        Bounds(2.0, encoding=encoding(pairs=False))
