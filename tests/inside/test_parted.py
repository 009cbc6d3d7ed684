"""Records in parts: their sums are those of the whole, no deeper than stated, and in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from equipoise.errors import UnreadableFile
from equipoise.inside import enter
from equipoise.inside.borrowed import borrowed, height_at_hand
from equipoise.inside.design.by_columns import ByColumns
from equipoise.inside.design.dense import DenseDesign
from equipoise.inside.objective import UNIT, Objective
from equipoise.inside.parted import (
    depth_in_pairs,
    enter_streamed,
    extent,
    extent_of_lent_parts,
    extent_of_parts,
    height_for,
    in_pairs,
    part_of,
)
from equipoise.inside.parted_objective import PartedObjective
from equipoise.inside.private import Private
from equipoise.inside.records import Records, brought_in
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, Softmax
from equipoise.theory.regularisers import L2
from equipoise.theory.runs import runs_depth

ROWS, WIDTH, HEIGHT = 1000, 3, 128


def opened(value: Private[Any]) -> Any:
    return value.reveal()


def both(loss: Loss, weight: int = ROWS) -> tuple[Objective, PartedObjective]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(ROWS, WIDTH)), rng.integers(0, loss.outputs + 1, ROWS)
    bounds = Bounds(1.0, 0.5, classes=tuple(range(loss.outputs + 1)))

    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[npt.NDArray[np.float64], npt.NDArray[Any]]]:
        for start in range(0, ROWS, HEIGHT):
            yield X[start : start + HEIGHT].copy(), y[start : start + HEIGHT]

    whole = opened(enter(X, y, bounds))
    parts = opened(enter_streamed(blocks, ROWS, WIDTH, WIDTH + 1, HEIGHT, bounds))
    return Objective(loss, L2(0.1), whole, weight), PartedObjective(loss, L2(0.1), parts, weight)


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=["two classes", "three"])
def test_every_derivative_is_that_of_the_whole(loss: Loss) -> None:
    whole, parts = both(loss)
    rng = np.random.default_rng(1)
    w, v = rng.normal(size=whole.size), rng.normal(size=whole.size)
    close: Any = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(parts.value(w), whole.value(w), **close)
    np.testing.assert_allclose(parts.gradient(w), whole.gradient(w), **close)
    np.testing.assert_allclose(parts.hessian(w), whole.hessian(w), **close)
    for bent in (parts.bent_at(w), whole.bent_at(w)):
        np.testing.assert_allclose(bent[0], whole.gradient(w), **close)
        np.testing.assert_allclose(bent[1], whole.hessian(w), **close)
    np.testing.assert_allclose(parts.hessian_product(w)(v), whole.hessian_product(w)(v), **close)
    np.testing.assert_allclose(parts.slope_along(w, v)(0.3), whole.slope_along(w, v)(0.3), **close)
    assert parts.smoothness >= whole.smoothness
    assert parts.rounding(w) > 0
    assert parts.records.longest_row >= whole.records.longest_row


def test_the_first_rows_are_those_of_the_whole() -> None:
    whole, parts = both(Logistic())
    w = np.ones(whole.size)
    for most in (0, 1, HEIGHT, 300, ROWS, 2 * ROWS):
        few = PartedObjective(Logistic(), L2(0.1), parts.records.first(most), ROWS)
        same = Objective(Logistic(), L2(0.1), whole.records.first(most), ROWS)
        np.testing.assert_allclose(few.gradient(w), same.gradient(w), rtol=1e-12, atol=1e-14)
        assert few.records.design.rows == min(most, ROWS)


def test_a_source_with_fewer_rows_than_it_had_is_noticed() -> None:
    bounds = Bounds(1.0, classes=(0, 1))
    records = opened(enter_streamed(lambda order=None: iter([(np.ones((5, 2)), np.zeros(5))]), 6, 2, 2, 4, bounds))
    with pytest.raises(UnreadableFile, match="fewer rows"):
        records.summed(lambda part: np.ones(1))


def test_no_products_are_asked_of_records_in_parts() -> None:
    _, parts = both(Logistic())
    with pytest.raises(TypeError, match="no products"):
        parts.records.design.matvec(np.ones(WIDTH + 1))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300))
def test_sums_in_pairs_are_as_deep_as_stated(numbers: list[float]) -> None:
    found = in_pairs(np.array([number]) for number in numbers)
    assert found is not None
    exact = sum((Fraction(number) for number in numbers), Fraction(0))
    allowed = depth_in_pairs(len(numbers)) * UNIT * sum(abs(number) for number in numbers)
    assert abs(float(exact - Fraction(float(found[0])))) <= allowed * (1 + 1e-9)


def test_in_pairs_of_none_is_none_and_keeps_what_it_was_given() -> None:
    assert in_pairs([]) is None
    given_sums = [np.ones(2), np.ones(2), np.ones(2)]
    np.testing.assert_array_equal(in_pairs(given_sums), 3 * np.ones(2))
    assert all((one == 1).all() for one in given_sums)


@pytest.mark.parametrize("rows", [2, 255, 10**4, 10**6, 10**8, 10**11, 2**40])
@pytest.mark.parametrize("columns", [1, 20, 1000, 10**6])
def test_depths_stay_below_what_plans_allow_for(rows: int, columns: int) -> None:
    """`theory.sensitivity` counts 2√n + 512 additions for a gradient, whatever the storage."""
    found = extent(rows, columns, height_for(columns), 1.0)
    assert found.column_depth <= 2 * rows**0.5 + 512
    assert found.row_depth <= runs_depth(columns) + 1


PARTS = st.lists(st.one_of(st.integers(0, 400), st.integers(0, 2**40)), min_size=1, max_size=50)


@given(PARTS, st.sampled_from([1, 50, 10**6]))
def test_parts_of_any_sizes_stay_below_what_plans_allow_for(sizes: list[int], columns: int) -> None:
    found = extent_of_parts(sizes, columns, 1.0)
    assert found.rows == sum(sizes)
    assert found.column_depth <= 2 * sum(sizes) ** 0.5 + 512
    assert found.row_depth <= runs_depth(columns) + 1


@pytest.mark.parametrize("largest", [0, 1, 255, 256, 65_535, 65_536, 2**30, 2**40])
def test_many_empty_parts_beside_a_large_one_stay_below_it_too(largest: int) -> None:
    """2⁶³ of them: more than anybody has."""
    alone = extent_of_parts([largest], 1, 1.0).column_depth - depth_in_pairs(1)
    assert alone + depth_in_pairs(2**63 - 1) <= 2 * largest**0.5 + 512


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("sizes", [(1,), (300, 0, 7), (70_000, 1, 1)])
def test_no_part_of_a_cluster_is_deeper_than_was_stated_of_the_whole(sizes: tuple[int, ...], intercept: float) -> None:
    """Dense, in singles and sparse."""
    stated = extent_of_parts(sizes, 3 + (intercept > 0), 1.0)
    bounds = Bounds(1.0, intercept, classes=(0, 1))
    for rows in sizes:
        thin: Any = sparse.csr_array((rows, 3))
        for X in (np.zeros((rows, 3)), np.zeros((rows, 3), dtype=np.float32), thin):
            part = brought_in(X, np.zeros(rows), bounds).design
            assert part.row_depth <= stated.row_depth
            assert part.column_depth + depth_in_pairs(len(sizes)) <= stated.column_depth


@given(PARTS, st.sampled_from([1, 50, 10**6]))
def test_lent_parts_of_any_sizes_stay_below_what_plans_allow_for(sizes: list[int], columns: int) -> None:
    found = extent_of_lent_parts(sizes, columns, height_at_hand(columns), 1.0)
    assert found.rows == sum(sizes)
    assert found.column_depth + depth_in_pairs(2**40) - depth_in_pairs(1) <= 2 * sum(sizes) ** 0.5 + 512
    assert found.row_depth <= runs_depth(columns) + 2


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("sizes", [(1,), (300, 2, 7), (70_000, 1, 1)])
@pytest.mark.parametrize("columns", [3, 500])
def test_no_lent_part_is_deeper_than_was_stated_of_the_whole(
    sizes: tuple[int, ...], columns: int, intercept: float
) -> None:
    """Neither its blocks nor a copy of its rows."""
    bounds = Bounds(1.0, intercept, classes=(0, 1))
    stated = extent_of_lent_parts(sizes, bounds.features(columns), height_at_hand(columns), bounds.norm)
    for rows in sizes:
        X = np.zeros((rows, columns), dtype=np.float32)
        lent, copied = borrowed(X, np.zeros(rows), bounds).design, brought_in(X, np.zeros(rows), bounds).design
        for part in (lent, copied):
            assert part.row_depth <= stated.row_depth
            assert part.column_depth + depth_in_pairs(len(sizes)) <= stated.column_depth


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200), st.integers(1, 5))
def test_groups_of_a_power_of_two_are_added_as_one_long_row_is(numbers: list[float], power: int) -> None:
    """To the last digit: so workers may add neighbours up before the caller does."""
    sums, group = [np.array([number]) for number in numbers], 2**power
    apart = [in_pairs(sums[at : at + group]) for at in range(0, len(sums), group)]
    assert in_pairs(one for one in apart if one is not None) == in_pairs(sums)


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 5000])
def test_by_columns_is_the_dense_design(rows: int) -> None:
    rng = np.random.default_rng(rows)
    matrix = rng.normal(size=(rows, 4))
    turned, dense = ByColumns(np.ascontiguousarray(matrix.T)), DenseDesign(matrix)
    w, r, c = rng.normal(size=4), rng.normal(size=rows), rng.normal(size=rows)
    close: Any = {"rtol": 1e-12, "atol": 1e-11}
    assert (turned.rows, turned.columns) == (dense.rows, dense.columns)
    np.testing.assert_allclose(turned.matvec(w), dense.matvec(w), **close)
    np.testing.assert_allclose(turned.rmatvec(r), dense.rmatvec(r), **close)
    np.testing.assert_allclose(turned.rmatvec(np.column_stack([r, c])), matrix.T @ np.column_stack([r, c]), **close)
    np.testing.assert_allclose(turned.weighted_gram(c), (matrix.T * c) @ matrix, **close)
    np.testing.assert_allclose(turned.row_norms(), dense.row_norms(), **close)
    if rows > 1:
        np.testing.assert_array_equal(turned.take(np.array([1, 0])).turned, matrix[[1, 0]].T)


@pytest.mark.parametrize("columns", [1, 20, 5000, 10**5])
@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_no_part_is_deeper_than_was_stated_of_the_whole(columns: int, intercept: float) -> None:
    """Dense and sparse blocks, of one row and of as many as a block has."""
    features = columns + (intercept > 0)
    height = height_for(features)
    stated = extent(10 * height, features, height, 1.0)
    for rows in (1, height):
        thin: Any = sparse.random_array((rows, columns), density=0.001, format="csr", random_state=1)
        for X in (np.zeros((rows, columns)), thin):
            part = part_of((X, np.zeros(rows)), Bounds(1.0, intercept, classes=(0, 1))).design
            assert part.row_depth <= stated.row_depth
            assert part.column_depth + depth_in_pairs(2 * 10 + 2) <= stated.column_depth


def test_rounding_does_not_pile_up_in_equal_rows() -> None:
    rows = 2**15
    design = ByColumns(np.full((1, rows), 0.1))
    exact = Fraction(0.1) * Fraction(0.1) * rows
    error = abs(float(Fraction(float(design.rmatvec(np.full(rows, 0.1))[0])) - exact))
    assert error <= (design.column_depth + 1) * UNIT * float(exact)


def test_records_in_memory_are_their_own_only_part() -> None:
    whole, _ = both(Logistic())
    seen: list[Records] = []

    def met(part: Records) -> npt.NDArray[np.float64]:
        seen.append(part)
        return np.ones(1)

    whole.records.summed(met)
    assert seen == [whole.records]
