"""One contract for every loss: a new one is taken up from the library's own list (tests/lists/losses.py)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.lists.losses import EXAMPLES, MINIMISED, SMOOTH, classes_of, extremes_of, labels_of, name_of, scores_of

from equipoise.errors import InvalidInput
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.losses import (
    LOSSES,
    Absolute,
    CappedLogistic,
    CappedSoftmax,
    ClippedSoftmax,
    Coding,
    Hinge,
    Huber,
    Link,
    Logistic,
    Loss,
    SmoothedHinge,
    Softmax,
    Squared,
    Task,
    is_regression,
    needs_ball,
    zero_sum_basis,
)
from equipoise.theory.losses.links import OF_MANY
from equipoise.theory.losses.written import read_loss, write_loss

Array = npt.NDArray[np.float64]

REACHES = (0.0, 0.1, 1.0, 5.0, 40.0)


@pytest.mark.parametrize("loss", SMOOTH, ids=name_of)
def test_slope_is_the_derivative_of_value(loss: Loss) -> None:
    rng = np.random.default_rng(1)
    score, label = scores_of(loss, rng, 200, 4.0), labels_of(loss, rng, 200)
    slope, step = loss.slope(score, label), 1e-6
    for j in range(loss.outputs):
        move = np.zeros(np.shape(score))
        move[..., j if np.ndim(score) == 2 else slice(None)] = step
        numeric = (loss.value(score + move, label) - loss.value(score - move, label)) / (2 * step)
        assert np.allclose(numeric, slope[:, j] if np.ndim(score) == 2 else slope, atol=2e-6)


@pytest.mark.parametrize("loss", SMOOTH, ids=name_of)
def test_curvature_is_the_derivative_of_slope(loss: Loss) -> None:
    rng = np.random.default_rng(2)
    score, label = scores_of(loss, rng, 200, 4.0), labels_of(loss, rng, 200)
    curvature = loss.curvature(score, label).reshape(200, loss.outputs, loss.outputs)
    for j in range(loss.outputs):
        step = np.zeros((200, loss.outputs))
        step[:, j] = 1e-6
        move: Array = step.reshape(np.shape(score))
        numeric = (loss.slope(score + move, label) - loss.slope(score - move, label)) / 2e-6
        gap = np.abs(numeric.reshape(200, -1) - curvature[:, :, j])
        assert np.quantile(gap, 0.98) < 1e-5  # a row may straddle a kink of the slope


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
@pytest.mark.parametrize("reach", REACHES)
def test_no_record_exceeds_the_facts(loss: Loss, reach: float) -> None:
    rng = np.random.default_rng(3)
    facts = loss.facts(reach)
    score, label = scores_of(loss, rng, 4000, reach), labels_of(loss, rng, 4000)
    slopes = np.linalg.norm(loss.slope(score, label).reshape(4000, -1), axis=1)
    assert slopes.max() <= facts.slope * (1 + 1e-12)
    bends = loss.curvature(score, label).reshape(-1, loss.outputs, loss.outputs)
    assert np.linalg.eigvalsh(bends).max() <= facts.curvature * (1 + 1e-12)
    assert np.trace(bends, axis1=1, axis2=2).max() <= facts.trace * (1 + 1e-12)
    if loss.traits.tilt is ObjectiveLaw.FIXED_SIGN:
        assert np.all(loss.slope(score, label) * label <= 0)


def gradients(loss: Loss, w: Array, rows: Array, label: float) -> Array:
    """The gradient at w of each row with that label, one below the other."""
    score = rows @ w.T if loss.outputs > 1 else rows @ w[0]
    slope = loss.slope(score, np.full(len(rows), label)).reshape(len(rows), loss.outputs)
    return (slope[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)


def disc() -> Array:
    """Rows of the plane's unit disc: its circle close by, and some smaller ones."""
    angles = np.linspace(0.0, 2 * np.pi, 96, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.concatenate([circle * size for size in (1.0, 0.75, 0.5, 0.25, 0.05)])


def widest_pair(loss: Loss, w: Array) -> float:
    """The largest distance between two records' gradients at w: all pairs of a grid, then a climb from the widest."""
    rows, best = disc(), 0.0
    for a in extremes_of(loss):
        for b in extremes_of(loss):
            left, right = gradients(loss, w, rows, a), gradients(loss, w, rows, b)
            squares = np.sum(left**2, axis=1)[:, None] + np.sum(right**2, axis=1) - 2 * left @ right.T
            start = np.concatenate([rows[place] for place in np.unravel_index(np.argmax(squares), squares.shape)])

            def distance(flat: Array, a: float = a, b: float = b) -> float:
                pair = flat.reshape(2, -1)
                pair = pair / np.maximum(1.0, np.linalg.norm(pair, axis=1, keepdims=True))
                return -float(np.linalg.norm(gradients(loss, w, pair[:1], a) - gradients(loss, w, pair[1:], b)))

            best = max(best, -float(minimize(distance, start, method="Nelder-Mead", options={"maxiter": 400}).fun))
    return best


@pytest.mark.parametrize(
    ("loss", "tight"),
    [
        (Logistic(), 0.99),
        (Squared(), 0.99),
        (Hinge(), 0.99),
        (Absolute(), 0.99),
        (SmoothedHinge(0.5), 0.99),
        (Huber(0.5), 0.99),
        (Huber(5.0), 0.99),
        (Softmax(3), 0.6),
        (CappedLogistic(0.5), 0.99),
        (CappedLogistic(0.7), 0.9),
        (CappedSoftmax(3), 0.6),
        (ClippedSoftmax(3), 0.99),
        (ClippedSoftmax(6, 0.65), 0.9),
    ],
    ids=name_of,
)
@pytest.mark.parametrize("reach", [0.0, 1.0, 4.0])
def test_gradient_diameter_holds_and_is_attained(loss: Loss, tight: float, reach: float) -> None:
    w = np.zeros((loss.outputs, 2))
    w[0, 0] = reach
    found, bound = widest_pair(loss, w), loss.facts(reach).diameter
    assert tight * bound <= found <= bound * (1 + 1e-9)


@pytest.mark.parametrize("loss", MINIMISED, ids=name_of)
@pytest.mark.parametrize("start", [0.0, 0.5, 3.0])
def test_pull_is_never_exceeded_and_attained(loss: Loss, start: float) -> None:
    if loss.outputs == 1:
        score = np.linspace(-60, 60, 1_200_001)
        label = np.full_like(score, 0.0 if loss.traits.labels is Coding.PLACES else loss.label_bound)
        size = -loss.slope(score, label)
        found = max(float((size * (score - s)).max()) for s in (-start, start))
        tight = 0.999
    else:
        value = np.linspace(-1, 12, 4001)
        direction = -zero_sum_basis(classes_of(loss))[:, 1:].sum(axis=1)
        direction = direction / np.linalg.norm(direction)
        score = value[:, None] * direction
        gap = score + start * direction
        found = float((-np.sum(loss.slope(score, np.zeros(4001)) * gap, axis=1)).max())
        tight = 0.8
    assert tight * loss.pull(start) <= found <= loss.pull(start) * (1 + 1e-9)


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
@given(left=st.floats(-20, 20), right=st.floats(-20, 20), seed=st.integers(0, 2**20))
@settings(max_examples=40, deadline=None)
def test_value_is_convex(loss: Loss, left: float, right: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    label = labels_of(loss, rng, 1)
    a, b = (scores_of(loss, rng, 1, 1.0) * point for point in (left, right))
    middle = loss.value((a + b) / 2, label)
    ends = (loss.value(a, label) + loss.value(b, label)) / 2
    assert np.all(middle <= ends + 1e-9 * (1 + np.abs(ends)))


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_far_scores_stay_finite(loss: Loss) -> None:
    label = labels_of(loss, np.random.default_rng(6), 2)
    for size in (1e150, -1e150):
        score = np.full((2, loss.outputs), size).reshape((2,) if loss.outputs == 1 else (2, -1))
        assert np.all(np.isfinite(loss.slope(score, label)))
        assert not np.any(np.isnan(loss.value(score, label)))


def test_reference_values_of_the_logistic_diameter() -> None:
    """theory: B·G(k) at k = √(0.278465/λ)."""
    for ridge, expected in ((1.0, 1.032), (0.1, 1.214), (0.01, 1.637), (0.001, 1.907)):
        assert Logistic().facts(math.sqrt(0.278465 / ridge)).diameter == pytest.approx(expected, abs=6e-4)


def test_reference_value_of_the_squared_diameter() -> None:
    assert Squared().facts(1.0).diameter == pytest.approx(3 * math.sqrt(3))


def test_huber_with_scale_two_is_the_squared_loss_within_its_threshold() -> None:
    score, label = np.linspace(-2, 2, 41), np.full(41, 0.5)
    huber, squared = Huber(3.0, scale=2.0), Squared()
    assert np.allclose(huber.value(score, label), squared.value(score, label))
    assert np.allclose(huber.slope(score, label), squared.slope(score, label))


# --- what a loss says of itself ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_labels_task_and_link_tell_one_story(loss: Loss) -> None:
    coding, link = loss.traits.labels, loss.traits.link
    assert is_regression(loss) == (coding is Coding.NUMBERS) == (link is Link.IDENTITY)
    assert loss.traits.task is (Task.REGRESSION if is_regression(loss) else Task.CLASSIFICATION)
    assert (coding is Coding.PLACES) == (link in OF_MANY) == (loss.traits.tilt is ObjectiveLaw.SOFTMAX)
    assert (loss.traits.cap < 1) == (link in (Link.CAPPED_LOGISTIC, Link.CAPPED_SOFTMAX, Link.CLIPPED_SOFTMAX))
    assert loss.outputs == 1 or coding is Coding.PLACES


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_a_kink_is_a_curvature_without_bound(loss: Loss) -> None:
    assert loss.smooth == math.isfinite(loss.facts(math.inf).curvature)


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_a_loss_that_needs_no_ball_has_a_slope_bound_that_far_records_respect(loss: Loss) -> None:
    far = scores_of(loss, np.random.default_rng(8), 50, 1e9)
    steepest = np.abs(loss.slope(far, labels_of(loss, np.random.default_rng(9), 50))).max()
    assert needs_ball(loss) == bool(steepest > 1e6)


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_a_quadratic_loss_is_the_squared_residual_and_no_other_is(loss: Loss) -> None:
    rng = np.random.default_rng(10)
    score, label = scores_of(loss, rng, 20, 3.0), labels_of(loss, rng, 20)
    same = loss.outputs == 1 and np.allclose(loss.value(score, label), (score - label) ** 2, rtol=1e-12)
    assert loss.traits.quadratic == same


@pytest.mark.parametrize("loss", EXAMPLES, ids=name_of)
def test_a_loss_is_read_back_as_it_was_written(loss: Loss) -> None:
    assert read_loss(write_loss(loss)) == loss


def test_every_loss_has_a_name_and_words_of_its_own() -> None:
    assert len({kind.name for kind in LOSSES}) == len(LOSSES)
    assert len({loss.traits.words for loss in EXAMPLES}) == len(LOSSES)


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"name": "logistc"},
        {"name": "huber"},
        {"name": "logistic", "width": 1.0},
        {"name": "huber", "threshold": -1.0},
    ],
    ids=str,
)
def test_a_loss_that_is_not_known_is_refused_and_never_another(written: dict[str, str | float]) -> None:
    with pytest.raises(InvalidInput):
        read_loss(written)
