"""Bends open as far as they stand out of a noise that is known, and what opens them never makes noise larger."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.additive import Basis, Categories, Encoding, Numbers, Pair
from equipoise.theory.additive.opened import corners, ramp, root_of, shut_in
from equipoise.theory.additive.opening import Opening, part_open
from equipoise.theory.bounds import Bounds

Array = npt.NDArray[np.float64]

COLUMNS = (Numbers(tuple(range(8))), Categories(("a", "b", "c")), Numbers((0.0, 1.0)))
PAIR = Pair((0, 2), (Numbers((0.0, 3.0, 7.0)), COLUMNS[2]))
TWO = st.lists(st.floats(-5, 5), min_size=3, max_size=3)


def encoding(told: float = 200.0, pairs: tuple[Pair, ...] = ()) -> Encoding:
    return Encoding(Basis(COLUMNS, pairs), 0.4, 0.2, told=told)


def opening(outputs: int = 1, momentum: float = 0.6, step_size: float = 0.5) -> Opening:
    own = encoding()
    return Opening.of(Bounds(1.0, 0.5, encoding=own), outputs, own.width + 1, momentum, step_size)


def test_a_line_keeps_most_of_its_slope_and_bends_are_neither_line_nor_constant() -> None:
    column = Numbers(tuple(range(16)))
    root = root_of(column)
    assert root.shape == (17, 1 + 14 + 1)
    assert root[:16, 0] == pytest.approx(math.sqrt(0.75) * ramp(column))
    assert np.linalg.norm(root, axis=1) == pytest.approx(np.ones(17))
    assert np.linalg.matrix_rank(np.column_stack([np.ones(16), root[:16, :15]])) == 16  # any shape can be made
    assert root[16].tolist() == [0.0] * 15 + [1.0]


def test_listed_values_lie_as_far_apart_as_they_can_and_their_mean_says_nothing() -> None:
    for many in (2, 3, 7):
        found = corners(many)
        assert np.abs(found.mean(axis=0)).max() < 1e-12
        apart = np.linalg.norm(found[:, None] - found, axis=2)[~np.eye(many, dtype=bool)]
        assert apart == pytest.approx(np.full(many * (many - 1), math.sqrt(2 * many / (many - 1))))
    assert corners(1).shape == (1, 0)


def by_decomposition(many: int) -> Array:
    """Corners as they were found before there was a formula: from the singular vectors of a centred one-hot."""
    directions, sizes, _ = np.linalg.svd(np.eye(many) - 1 / many)
    result = directions[:, : many - 1] * sizes[: many - 1]
    return np.asarray(result / np.linalg.norm(result, axis=1, keepdims=True))


@pytest.mark.parametrize("many", [2, 3, 4, 7, 64, 500])
def test_the_formula_for_corners_is_the_decomposition_turned(many: int) -> None:
    """All that a fit sees of them are products with each other: noise has no direction."""
    found, before = corners(many), by_decomposition(many)
    np.testing.assert_allclose(found @ found.T, before @ before.T, atol=1e-13)
    turn = found.T @ before * (many - 1) / many
    np.testing.assert_allclose(turn @ turn.T, np.eye(many - 1), atol=1e-12)
    np.testing.assert_allclose(found @ turn, before, atol=1e-12)


def test_corners_of_thousands_of_values_take_no_decomposition(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("svd", "eigh", "qr"):
        monkeypatch.delattr(np.linalg, name)
    found = corners(3000)
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-15 * 4
    assert found[0] @ found[1] == pytest.approx(-1 / 2999, rel=1e-9)
    assert found[5] @ found[2998] == pytest.approx(-1 / 2999, rel=1e-9)


def test_lines_and_listed_values_are_never_shut_and_everything_else_is_in_one_group() -> None:
    own = encoding(pairs=(PAIR,))
    held = [place for group in own.shut for place in range(group.start, group.stop)]
    assert len(held) == len(set(held))
    free = sorted(set(range(own.width)) - set(held))
    assert free == [0, 8, 9, 12]  # the first line, two numbers of three listed values, the second line
    assert [shut_in(column) for column in COLUMNS] == [[(1, 4), (4, 7), (7, 8)], [(2, 3), (3, 4)], [(1, 2)]]
    assert shut_in(Numbers((0.0, 1.0, 2.0))) == [(1, 2), (2, 3)]
    assert (own.shut[-1].stop - own.shut[-1].start) == PAIR.slots


def test_a_plan_reckons_with_the_part_of_the_bends_that_records_can_show() -> None:
    shut = sum(group.stop - group.start for group in encoding().shut)
    width, apart = encoding().width, 1 + 2 + 1
    assert encoding(1e-9).expected == width - shut
    assert encoding(1000.0).expected == width - shut + (shut - apart) // 2
    assert encoding(1e12).expected == width - apart
    assert Encoding(Basis(COLUMNS), 0.4, 0.2).expected == Encoding(Basis(COLUMNS), 0.4, 0.2).width
    with pytest.raises(InvalidInput, match="told"):
        encoding(0.0)


def test_what_is_no_longer_than_its_noise_stays_shut_and_the_rest_walks_on() -> None:
    own = opening()
    walked, sizes = np.full(encoding().width + 1, 0.1), np.array([0.2, 0.2, 0.2])
    point = own.opened(walked, sizes)
    shut = np.concatenate([np.arange(group.start, group.stop) for group in encoding().shut])
    free = np.setdiff1d(np.arange(len(walked)), shut)
    assert not point[shut].any()
    assert np.array_equal(point[free], walked[free])
    assert np.array_equal(walked, np.full(encoding().width + 1, 0.1))
    assert np.array_equal(own.opened(walked, np.zeros(3)), walked)


def test_linear_models_walk_as_ever() -> None:
    own = Opening.of(Bounds(1.0, 0.5), 1, 4, 0.5, 1.0)
    walked = np.arange(4.0)
    assert own.opened(walked, np.ones(5)) is walked


def test_all_classes_of_a_column_open_together() -> None:
    one, three = opening(), opening(outputs=3)
    width = encoding().width + 1
    for single, group in zip(one.groups, three.groups, strict=True):
        assert sorted(group) == sorted(place + width * output for output in range(3) for place in single)


@given(TWO, TWO, st.floats(0, 4))
def test_opening_never_parts_two_walks(left: list[float], right: list[float], noise: float) -> None:
    """Hence the noise of a value is no larger than if nothing were shut (docs/proofs/additive.md, section 4)."""
    first, second = (np.array(each) for each in (left, right))
    drawn = [part_open(np.array([np.linalg.norm(each)]), np.array([noise])) * each for each in (first, second)]
    assert np.linalg.norm(drawn[0] - drawn[1]) <= np.linalg.norm(first - second) + 1e-9


def test_the_noise_of_a_group_without_signal_is_as_long_as_it_is_reckoned() -> None:
    """Pure noise, walked: the mean square of 4,000 walks is within six standard errors: one false alarm in 10⁸."""
    rng, sizes = np.random.default_rng(0), np.array([0.3, 0.5, 0.2, 0.4])
    own, walks = opening(momentum=0.7, step_size=0.3), 4000
    group = own.groups[0]
    walked, speed = np.zeros((walks, len(group))), np.zeros((walks, len(group)))
    for size in sizes:
        moved = walked - 0.3 * size * rng.standard_normal(walked.shape) + 0.7 * speed
        walked, speed = moved, moved - walked
    probe = np.zeros(encoding().width + 1)
    probe[group] = 100.0 / math.sqrt(len(group))
    reckoned = (100.0 - float(np.linalg.norm(own.opened(probe, sizes)[group]))) ** 2
    squares = np.sum(walked**2, axis=1)
    assert abs(squares.mean() - reckoned) < 6 * squares.std() / math.sqrt(walks)
