"""Weights are averages for every cell there is, and each cell is looked at by itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.additive import Categories, Column, Numbers

CELLS = st.floats(allow_nan=True, allow_infinity=True, width=64)
KNOTS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9, unique=True).map(sorted)


def dense(column: Column, cells: list[float]) -> npt.NDArray[np.float64]:
    return column.weights(np.array(cells)).average(np.eye(column.slots))


@given(st.lists(CELLS, min_size=1, max_size=20), KNOTS)
def test_the_weights_of_any_number_are_an_average(cells: list[float], knots: list[float]) -> None:
    if min(np.diff(knots)) < 1e-20:
        return
    weights = dense(Numbers(tuple(knots)), cells)
    assert (weights >= 0).all()
    assert np.allclose(weights.sum(axis=1), 1.0, atol=1e-14)


@given(st.lists(CELLS, min_size=2, max_size=20))
def test_no_cell_changes_what_another_becomes(cells: list[float]) -> None:
    for column in (Numbers((-1.0, 0.0, 2.0)), Categories((0, 1, 7))):
        together = dense(column, cells)
        alone = np.vstack([dense(column, [cell]) for cell in cells])
        assert np.array_equal(together, alone)


def test_a_number_weighs_on_its_two_neighbours_and_is_clipped_beyond_the_ends() -> None:
    column = Numbers((0.0, 1.0, 4.0))
    weights = dense(column, [0.25, 1.0, 2.5, -9.0, math.inf, math.nan])
    expected = [[0.75, 0.25, 0, 0], [0, 1, 0, 0], [0, 0.5, 0.5, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert np.array_equal(weights, np.array(expected))


def test_categories_have_a_step_each_one_for_the_rest_and_one_for_what_is_missing() -> None:
    column = Categories((3, 1.5, True))
    weights = dense(column, [1.0, 1.5, 3.0, 8.0, math.inf, math.nan])
    assert weights.argmax(axis=1).tolist() == [2, 1, 0, 3, 3, 4]
    assert (weights.sum(axis=1) == 1).all()


def without_error(column: Categories, cells: list[object]) -> npt.NDArray[np.float64]:
    try:
        return column.code(cells)
    except Exception as error:  # noqa: BLE001 - whatever it is, it would tell of a record
        pytest.fail(f"a cell is an error: {type(error).__name__}")


class Odd:
    """Compares as it pleases."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("seen")

    __hash__ = object.__hash__


def test_words_are_coded_by_their_place_and_strange_objects_are_missing() -> None:
    column = Categories(("a", "b", 3))
    coded = without_error(column, ["b", "a", 3, np.int64(3), "other", 4, None, math.nan, Odd(), ["a"], np.str_("b")])
    assert np.array_equal(coded, [1, 0, 2, 2, np.inf, np.inf, np.nan, np.nan, np.nan, np.nan, 1], equal_nan=True)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Numbers((1.0,)), "knots"),
        (lambda: Numbers((1.0, 1.0)), "knots"),
        (lambda: Numbers((2.0, 1.0)), "knots"),
        (lambda: Numbers((0.0, 1e31)), "knots"),
        (lambda: Categories(()), "categories"),
        (lambda: Categories(("a", "a")), "categories"),
        (lambda: Categories((1, True)), "categories"),
        (lambda: Categories((math.nan,)), "categories"),
        (lambda: Categories((None,)), "categories"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_column_is_refused_by_name(make: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        make()
