"""A usual length, chosen first: what one record can do to the choice and to what follows, and what follows from it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.inside import (
    Private,
    Records,
    ending_with,
    enter,
    evened_gradient,
    length_scores,
    mean_residual,
    minimise,
)
from equipoise.inside.tables.moments import row_moments
from equipoise.theory import sensitivity, triangles
from equipoise.theory import usual_length as theory
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening, weights
from equipoise.theory.losses import (
    CappedLogistic,
    CappedSoftmax,
    ClippedSoftmax,
    Huber,
    Logistic,
    Loss,
    SmoothedHinge,
    Softmax,
)
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
WIDTH, N = 3, 60
LENGTHS = np.array(theory.LENGTHS)
CAPPED = CappedLogistic(0.5)
SIGNS, NUMBERS = (-1.0, 1.0), (-1.0, 1.0)
LOSSES: list[Loss] = [
    CappedLogistic(0.5),
    Logistic(),
    SmoothedHinge(0.5),
    Softmax(3),
    ClippedSoftmax(4),
    Huber(0.25, 1.0, 2.0),
    Huber(2.0, 1.0, 2.0),
]


def bounds_of(loss: Loss, length: float = 1.0) -> Bounds:
    if loss.traits.labels.name == "NUMBERS":
        return Bounds(length, 0.5 * length, label_range=NUMBERS)
    return Bounds(length, 0.5 * length, classes=tuple(range(max(2, loss.outputs + 1))))


def facts_of(loss: Loss, length: float, evened: bool, n: int = N, alpha: float = 1e-3) -> Facts:
    return Facts(loss, L2(alpha), bounds_of(loss, length), n, WIDTH + 1, evened=evened, longer=1 / length)


def labels_of(loss: Loss) -> list[Any]:
    return list(NUMBERS) if loss.traits.labels.name == "NUMBERS" else list(range(max(2, loss.outputs + 1)))


def records_of(rows: Array, labels: Any, loss: Loss, length: float) -> Private[Records]:
    """As a fit holds them: let in by the wide bound, and ending with the constant of the usual length."""
    return ending_with(enter(rows, np.asarray(labels), bounds_of(loss)), 0.5 * length)


def row(rng: np.random.Generator) -> Array:
    """Of any length up to the bound, mostly at the ends of what weights tell apart."""
    direction = rng.normal(size=WIDTH)
    size = rng.choice([1.0, 0.5, 0.25, 0.1, 0.01, 10 ** rng.uniform(-3, 0)])
    return np.asarray(direction / np.linalg.norm(direction) * size)


def whole_scores(rows: Array, beyond: float) -> Array:
    given = enter(rows, np.zeros(len(rows)), bounds_of(CappedLogistic(0.5)))
    return length_scores(given, LENGTHS, beyond).reveal()


@given(st.integers(0, 10**6), st.sampled_from([0.005, 0.1, 0.25]))
def test_a_replaced_row_moves_no_score_by_more_than_one(seed: int, beyond: float) -> None:
    rng = np.random.default_rng(seed)
    rows = np.array([row(rng) for _ in range(rng.integers(2, 30))])
    other = rows.copy()
    other[0] = rng.choice([0.0, 1.0]) * row(rng)
    assert np.abs(whole_scores(rows, beyond) - whole_scores(other, beyond)).max() <= theory.MOVED * (1 + 1e-12)


def test_some_row_moves_a_score_by_one() -> None:
    rows = np.full((10, 1), 0.9) @ np.eye(1, WIDTH)
    rows[:3] *= 0.1
    other = rows.copy()
    other[0] *= 10
    apart = np.abs(whole_scores(rows, 0.25) - whole_scores(other, 0.25))
    assert apart.max() == pytest.approx(theory.MOVED)


@pytest.mark.parametrize("beyond", [0.01, 0.1, 0.25])
def test_the_best_length_is_the_one_that_so_many_rows_exceed(beyond: float) -> None:
    rng = np.random.default_rng(3)
    sizes = np.sort(rng.uniform(0.01, 0.6, 1000))
    rows = np.outer(sizes, np.eye(WIDTH)[0])
    best = LENGTHS[int(np.argmax(whole_scores(rows, beyond)))]
    exceeded = sizes[int((1 - beyond) * 1000) - 1]
    assert best / math.sqrt(2) <= exceeded <= best


def test_rows_of_zeros_say_nothing_of_a_length_and_where_most_are_the_bound_is_kept() -> None:
    rows = np.vstack([np.zeros((500, WIDTH)), np.full((600, WIDTH), 0.1)])
    assert (whole_scores(rows, 0.1) == whole_scores(rows[500:], 0.1)).all()
    few = whole_scores(rows[:520], 0.1)
    assert np.argmax(few) == len(LENGTHS) - 1
    assert few[:-1].max() == 20 - 260


@given(st.integers(1, 2**40))
def test_stretches_are_rows_of_the_table_none_of_them_twice(n: int) -> None:
    found = theory.stretches(n)
    assert found[0][0] == 0
    assert found[-1][1] == n
    assert all(first < last for first, last in found)
    assert all(one[1] <= next_one[0] for one, next_one in pairwise(found))
    assert sum(last - first for first, last in found) == min(n, theory.MOST_MEASURED)


@pytest.mark.parametrize("step", [2, 3, 4, 7, 64, 128])
def test_what_is_measured_of_many_rows_is_like_the_rest(step: int) -> None:
    """Of a table whose every so-many-th row is long, and of one that is sorted."""
    n = 700_001
    often = np.arange(n) % step == 0
    late = np.arange(n) > n * (1 - 1 / step)
    for long in (often, late):
        seen = np.concatenate([long[first:last] for first, last in theory.stretches(n)])
        assert seen.mean() == pytest.approx(1 / step, abs=0.01)


@pytest.mark.parametrize("classes", [2, 3, 10, 1000, theory.MOST_CLASSES])
@pytest.mark.parametrize("made", [Softmax, lambda k: CappedSoftmax(k, 0.5), lambda k: ClippedSoftmax(k, 0.5)])
def test_a_slope_grows_no_faster_than_its_scores(made: Any, classes: int) -> None:
    loss = made(classes)
    reaches = np.concatenate([[1e-9], np.geomspace(1e-6, 60, 600)])
    slopes = np.array([loss.facts(float(reach)).slope for reach in reaches])
    assert (np.diff(slopes / reaches) <= 1e-12).all()


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=8),
    st.sampled_from(theory.LENGTHS),
    st.sampled_from([1.0, 2.25]),
)
def test_neither_count_times_length_nor_count_times_its_square_passes_the_bound(
    sizes: list[float], length: float, heaviest: float
) -> None:
    rows = np.array(sizes)
    found = weights(rows, Evening(length, heaviest), WIDTH)
    assert np.all((found > 0) & (found <= heaviest))
    assert np.all(found * rows <= length)
    assert np.all(found * rows**2 <= length**2)
    assert np.all(found[rows <= length * (1 - 1e-9)] >= 1)


def gradient_moved(facts: Facts, w: Array, rng: np.random.Generator) -> float:
    found = []
    for _ in range(2):
        one = records_of(row(rng)[None], [rng.choice(labels_of(facts.loss))], facts.loss, facts.bounds.row_norm)
        found.append(evened_gradient(one, replace(facts, n=1), w).reveal())
    return float(np.linalg.norm(found[0] - found[1]))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("length", [theory.LENGTHS[0], 0.25, 2**-0.5])
@pytest.mark.parametrize("evened", [False, True])
def test_no_exchange_of_a_record_moves_a_gradient_by_more_than_is_stated(
    loss: Loss, length: float, evened: bool
) -> None:
    """Short rows and rows that are as long as they may be, at coefficients short and long."""
    facts, rng = facts_of(loss, length, evened), np.random.default_rng(1)
    for _ in range(60):
        w = rng.normal(size=facts.dim) * 10 ** rng.uniform(-2, 2) / length
        stated = sensitivity.of_mean_gradient(facts, float(np.linalg.norm(w))).l2 * facts.n
        assert gradient_moved(facts, w, rng) <= stated


@pytest.mark.parametrize("loss", [CappedLogistic(0.5), Logistic(), Huber(2.0, 1.0, 2.0)], ids=repr)
def test_some_exchange_moves_a_gradient_by_nearly_as_much(loss: Loss) -> None:
    """Rows of the usual length that say the opposite."""
    length = 0.25
    facts, w = facts_of(loss, length, False), np.zeros(WIDTH + 1)
    stated = sensitivity.of_mean_gradient(facts, 0.0).l2 * facts.n
    found = []
    for size, label in ((length, labels_of(loss)[-1]), (-length, labels_of(loss)[-1])):
        given = records_of(size * np.eye(1, WIDTH), [label], loss, length)
        found.append(evened_gradient(given, replace(facts, n=1), w).reveal())
    assert float(np.linalg.norm(found[0] - found[1])) > 0.85 * stated


@pytest.mark.parametrize("loss", [CappedLogistic(0.5), Logistic(), Huber(0.25, 1.0, 2.0)], ids=repr)
@pytest.mark.parametrize("evened", [False, True])
def test_no_exchange_moves_a_minimiser_by_more_than_is_stated(loss: Loss, evened: bool) -> None:
    length, rng, largest = 0.2, np.random.default_rng(2), 0.0
    facts = facts_of(loss, length, evened, n=6, alpha=length**2)
    stated = sensitivity.of_minimiser(facts).l2
    choices = labels_of(loss)
    for trial in range(40):
        rows = np.array([row(rng) for _ in range(6)]) * (trial % 3 > 0)
        labels = rng.choice(choices, 6)
        rows[0], labels[0] = row(rng), choices[0]
        other, changed = rows.copy(), labels.copy()
        other[0], changed[0] = -rows[0] if trial % 2 else rows[0], choices[-1]
        found = [
            minimise(records_of(*each, loss, length), loss, facts.penalty, 6, 1e-9, evened=facts.evened_to)
            for each in ((rows, labels), (other, changed))
        ]
        apart = [solved.reveal().point for solved in found]
        largest = max(largest, float(np.linalg.norm(apart[0] - apart[1])))
    assert 0.5 * stated < largest <= stated


@pytest.mark.parametrize("evened", [False, True])
def test_second_moments_move_by_no_more_than_is_stated(evened: bool) -> None:
    loss, length, rng, largest = Huber(0.25, 1.0, 2.0), 0.25, np.random.default_rng(4), 0.0
    facts = facts_of(loss, length, evened, n=1)
    by = triangles.stretch(WIDTH + 1) / facts.bounds.norm**2
    for _ in range(200):
        found = [
            row_moments(records_of(row(rng)[None], [0.0], loss, length), by, facts.evened_to).reveal() for _ in range(2)
        ]
        largest = max(largest, float(np.linalg.norm(found[0] - found[1])))
    assert 1.0 < largest <= math.sqrt(2)


def test_a_mean_residual_moves_by_no_more_than_is_stated() -> None:
    clipped, length, rng = Huber(1.5, 1.0), 0.25, np.random.default_rng(5)
    facts = replace(facts_of(Huber(0.25, 1.0, 2.0), length, False, n=1), loss=clipped)
    w, largest = np.array([1.0, 0.0, 0.0, 0.0]), 0.0
    stated = sensitivity.of_mean_residual(facts, 1.0).l2
    for trial in range(200):
        ends = [np.eye(WIDTH)[0], -np.eye(WIDTH)[0]] if trial % 2 else [row(rng), row(rng)]
        labels = rng.choice(NUMBERS, 2)
        pair = [
            mean_residual(records_of(end[None], [label], clipped, length), clipped, 1, w).reveal()
            for end, label in zip(ends, labels, strict=True)
        ]
        largest = max(largest, float(np.linalg.norm(pair[0] - pair[1])))
    assert 0.9 * stated < largest <= stated
