"""The entrance: labels are encoded in the order given, clipped to their range, and never quoted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from equipoise.errors import BoundsRequired, InvalidInput
from equipoise.inside import enter
from equipoise.theory.bounds import Bounds

X = np.eye(4)


def _labels(y: object, bounds: Bounds) -> list[float]:
    return [float(label) for label in enter(X, np.asarray(y), bounds).reveal().labels]


@pytest.mark.parametrize(
    ("classes", "y"),
    [
        (("no", "yes"), ["yes", "no", "no", "yes"]),
        ((0, 1), [1, 0, 0, 1]),
        ((0, 1), [True, False, False, True]),
        ((False, True), [True, False, False, True]),
        ((0, 1), [1.0, 0.0, 0.0, 1.0]),
        ((3, -2), [-2, 3, 3, -2]),
        (("no", "yes"), np.array(["yes", "no", "no", "yes"], dtype=object)),
        (("no", 1), np.array([1, "no", "no", 1], dtype=object)),
        ((2**60, 2**60 + 1), np.array([2**60 + 1, 2**60, 2**60, 2**60 + 1])),
    ],
)
def test_two_classes_become_minus_and_plus_one_in_the_order_given(classes: tuple[object, ...], y: object) -> None:
    assert _labels(y, Bounds(1.0, classes=classes)) == [1, -1, -1, 1]


def test_more_classes_become_their_index() -> None:
    assert _labels(["c", "a", "b", "a"], Bounds(1.0, classes=("b", "c", "a"))) == [1, 2, 0, 2]


def test_one_class_alone_is_not_an_error() -> None:
    assert _labels([1, 1, 1, 1], Bounds(1.0, classes=(0, 1))) == [1, 1, 1, 1]


class Sly:
    """Claims to equal everything, and tells nobody how."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(1)

    def __float__(self) -> float:
        raise ZeroDivisionError


STRANGE = [np.nan, np.inf, None, "secret", b"1", Sly(), {"a": 1}, [1], 1j, 10**400, pd.NA, 7]


@pytest.mark.parametrize("strange", STRANGE, ids=lambda strange: type(strange).__name__)
def test_a_label_that_is_no_class_counts_as_the_first_and_changes_no_other(strange: object) -> None:
    y = np.empty(4, dtype=object)
    y[:] = [1, 0, strange, 1]
    assert _labels(y, Bounds(1.0, classes=(0, 1))) == [1, -1, -1, 1]
    assert _labels(y, Bounds(1.0, classes=(1, 0))) == [-1, 1, -1, -1]
    assert _labels(y, Bounds(1.0, classes=("a", 0, 1))) == [2, 1, 0, 2]


@pytest.mark.parametrize("strange", STRANGE, ids=lambda strange: type(strange).__name__)
def test_a_number_that_is_none_is_the_middle_and_changes_no_other(strange: object) -> None:
    y = np.empty(4, dtype=object)
    y[:] = [0.0, 5.0, strange, 10.0]
    edge = type(strange) is int or strange is np.inf
    found = _labels(y, Bounds(1.0, intercept=1.0, label_range=(0, 10)))
    assert found[:2] + found[3:] == [-1.0, 0.0, 1.0]
    assert found[2] > 0 if edge else found[2] == 0


@pytest.mark.parametrize(
    ("classes", "y"),
    [((0, 1), ["1", "0", "secret", "1"]), (("0", "1"), [1, 0, 7, 1]), ((0.0, 1.0), [np.nan, np.inf, -np.inf, 2.0])],
)
def test_labels_of_another_type_are_no_class(classes: tuple[object, ...], y: list[object]) -> None:
    assert _labels(y, Bounds(1.0, classes=classes)) == [-1, -1, -1, -1]


def test_regression_labels_are_clipped_centred_and_scaled() -> None:
    with_intercept = Bounds(1.0, intercept=1.0, label_range=(10.0, 30.0))
    assert _labels([-1e300, 10.0, 25.0, 1e300], with_intercept) == [-1, -1, 0.5, 1]
    without = Bounds(1.0, label_range=(10.0, 40.0))
    assert _labels([0, 10, 20, 99], without) == [0.25, 0.25, 0.5, 1]


def test_a_range_or_classes_must_be_given() -> None:
    with pytest.raises(BoundsRequired, match="label_bounds"):
        _labels([0, 1, 0, 1], Bounds(1.0))


@pytest.mark.parametrize("y", [np.zeros(3), np.zeros((4, 1)), np.zeros((4, 2))])
def test_one_label_per_row_is_asked_for(y: npt.NDArray[np.float64]) -> None:
    with pytest.raises(InvalidInput, match="one label per row"):
        enter(X, y, Bounds(1.0, label_range=(0, 1)))


def test_the_constant_column_is_the_intercept_of_the_bounds() -> None:
    design = enter(X, np.zeros(4), Bounds(1.0, intercept=2.0, label_range=(-1, 1))).reveal().design
    np.testing.assert_array_equal(design.matvec(np.array([0.0, 0.0, 0.0, 0.0, 1.0])), np.full(4, 2.0))


def test_records_have_no_telling_repr() -> None:
    assert "1." not in repr(enter(X, np.zeros(4), Bounds(1.0, label_range=(-1, 1))).reveal())
