"""The entrance: labels are encoded in the order given, clipped to their range, and never quoted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
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


@pytest.mark.parametrize("classes", [("0", "1"), (0, 1), ("healthy", "ill")])
def test_a_label_outside_classes_is_refused_without_quoting_it(classes: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="list every class in classes=") as caught:
        _labels(["1", "0", "secret", "1"], Bounds(1.0, classes=classes))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("bounds", [Bounds(1.0, label_range=(0, 1)), Bounds(1.0, classes=(0.0, 1.0))])
def test_labels_that_are_not_finite_are_refused(bad: float, bounds: Bounds) -> None:
    with pytest.raises(InvalidInput, match="y: contains NaN or infinity"):
        _labels([0.0, 1.0, bad, 0.0], bounds)


def test_words_as_regression_labels_are_refused_without_quoting_them() -> None:
    with pytest.raises(InvalidInput, match="y: must be numbers") as caught:
        _labels(["secret"] * 4, Bounds(1.0, label_range=(0, 1)))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


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
