"""Steps of several classes in a metric: normal scores are met at once, noise is not followed, nothing can fail."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.theory.aiming import Walker
from equipoise.theory.losses import CappedSoftmax, ClippedSoftmax, Loss, Softmax
from equipoise.theory.losses.links import probabilities
from equipoise.theory.losses.softmax import zero_sum_basis
from equipoise.theory.metric import Moments
from equipoise.theory.normal_scores import POINTS, Shape, normal_points, scores_of

Array = npt.NDArray[np.float64]
WIDTH = 6
LOSSES: list[Loss] = [Softmax(3), ClippedSoftmax(3), CappedSoftmax(3), ClippedSoftmax(6)]


def normal_rows(n: int = 10_000, seed: int = 0) -> Array:
    """With a mean, and a constant last."""
    rng = np.random.default_rng(seed)
    rows = 0.1 + rng.standard_normal((n, WIDTH)) * 0.3 * np.arange(1, WIDTH + 1) ** -0.5
    return np.column_stack([rows, np.full(n, 0.5)])


def moments_of(rows: Array) -> Moments:
    square = np.asarray(rows.T @ rows / len(rows))
    return Moments(square, np.asarray(np.linalg.inv(square), dtype=np.float64))


def walker(rows: Array, loss: Loss, step_size: float = 3.0) -> Walker:
    return Walker(loss, moments_of(rows), 1.0, 0.5, step_size)


def best_of(rows: Array, loss: Loss, size: float) -> tuple[Array, Array]:
    """Coefficients, flat, and the chances that make them the best: no labels are drawn, so nothing is by chance."""
    w = np.random.default_rng(1).standard_normal((loss.outputs, WIDTH + 1))
    w *= size / (rows @ w.T).std()
    return w.reshape(-1), chances_at(rows, loss, w.reshape(-1))


def chances_at(rows: Array, loss: Loss, w: Array) -> Array:
    scores = rows @ w.reshape(loss.outputs, -1).T
    return probabilities(scores @ zero_sum_basis(loss.outputs + 1), loss.traits.cap, loss.traits.link)


def gradient_at(rows: Array, loss: Loss, chances: Array, w: Array) -> Array:
    scores = rows @ w.reshape(loss.outputs, -1).T
    slopes = sum(chances[:, [k]] * loss.slope(scores, np.full(len(rows), float(k))) for k in range(loss.outputs + 1))
    return np.asarray(np.asarray(slopes).T @ rows / len(rows)).reshape(-1)


def size_of(loss: Loss) -> int:
    return loss.outputs * (WIDTH + 1)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("size", [0.3, 2.0, 6.0])
def test_a_point_without_a_gradient_stays_where_it_is(loss: Loss, size: float) -> None:
    rows = normal_rows()
    w, chances = best_of(rows, loss, size)
    gradient = gradient_at(rows, loss, chances, w)
    assert np.abs(gradient).max() < 1e-10
    found = walker(rows, loss).next(w, gradient, 0.0)
    assert np.linalg.norm(found - w) <= 0.05 * np.linalg.norm(w)


@pytest.mark.parametrize("loss", LOSSES[:3], ids=repr)
@pytest.mark.parametrize(("size", "left"), [(0.3, 0.01), (2.0, 0.03), (6.0, 0.15)])
def test_normal_scores_are_met_in_a_few_steps(loss: Loss, size: float, left: float) -> None:
    """Where plain steps of the same length would need hundreds."""
    rows = normal_rows(10_000)
    w, chances = best_of(rows, loss, size)
    here, plain, take = np.zeros(size_of(loss)), np.zeros(size_of(loss)), walker(rows, loss)
    inverse = np.linalg.inv(rows.T @ rows / len(rows))
    for _ in range(16):
        here = take.next(here, gradient_at(rows, loss, chances, here), 0.0)
        step = gradient_at(rows, loss, chances, plain).reshape(loss.outputs, -1) @ inverse
        plain = plain - 3.0 * step.reshape(-1)

    def error(point: Array) -> float:
        return float(np.std(rows @ (point - w).reshape(loss.outputs, -1).T) / size)

    assert error(here) < left
    if size > 1:
        assert error(plain) > 3 * error(here)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_noise_does_not_make_coefficients_long(loss: Loss) -> None:
    """With a signal and without one: lengths stay about the right one, or as short as a few steps' noise.
    Seeded, no false alarm by chance."""
    rows, rng, noise = normal_rows(3000), np.random.default_rng(4), 0.01
    best, chances = best_of(rows, loss, 2.0)
    take, here, lengths = walker(rows, loss), best, []
    for _ in range(150):
        gradient = gradient_at(rows, loss, chances, here) + noise * rng.standard_normal(size_of(loss))
        here = take.next(here, gradient, noise)
        lengths.append(float(np.std(rows @ here.reshape(loss.outputs, -1).T)) / 2.0)
    assert -0.4 < float(np.mean(np.log(lengths[50:]))) < 0.15
    even = np.full((len(rows), loss.outputs + 1), 1 / (loss.outputs + 1))
    take, here, seen = walker(rows, loss), np.zeros(size_of(loss)), []
    for _ in range(40):
        gradient = gradient_at(rows, loss, even, here) + noise * rng.standard_normal(size_of(loss))
        here = take.next(here, gradient, noise)
        seen.append(float(np.std(rows @ here.reshape(loss.outputs, -1).T)))
    one = 3 * noise * math.sqrt(float(np.trace(np.linalg.inv(rows.T @ rows / len(rows)))))
    assert max(seen[10:]) < 4 * one


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_no_gradient_makes_a_step_fail(loss: Loss) -> None:
    """Released numbers can be anything: whatever comes, a finite point, no error, no warning."""
    rows, size = normal_rows(1000), size_of(loss)
    for gradient in (np.zeros(size), np.full(size, 1e-300), np.full(size, 1e30), np.full(size, 1e200)):
        for noise in (0.0, 1e-30, 1.0, 1e20):
            for norm in (1e-30, 1.0, 1e30):
                take = Walker(loss, moments_of(rows), norm, 0.5 * norm, 3 / norm**2)
                here = np.zeros(size)
                try:
                    for _ in range(3):
                        here = take.next(here, gradient * norm, noise * norm)
                except (ArithmeticError, np.linalg.LinAlgError) as error:
                    pytest.fail(f"a step failed: {error}")
                assert np.isfinite(here).all()


def test_units_of_rows_do_not_matter() -> None:
    rows, loss = normal_rows(2000), ClippedSoftmax(4)
    _, chances = best_of(rows, loss, 3.0)
    found = []
    for norm in (1e-9, 1.0, 1e9):
        take, here = Walker(loss, moments_of(rows), norm, 0.5 * norm, 3 / norm**2), np.zeros(size_of(loss))
        for _ in range(5):
            here = take.next(here, gradient_at(rows, loss, chances, here * norm) * norm, 1e-3 * norm)
        found.append(here * norm)
    assert np.allclose(found[0], found[1], rtol=1e-6)
    assert np.allclose(found[2], found[1], rtol=1e-6)


@pytest.mark.parametrize("dimensions", [1, 2, 8, 30])
def test_points_are_spread_as_a_normal_law_is(dimensions: int) -> None:
    points = normal_points(dimensions)
    assert points.shape == (POINTS, dimensions)
    assert np.allclose(points.mean(axis=0), 0.0, atol=1e-12)
    assert np.allclose((points**2).mean(axis=0), 1.0)
    together = np.cov(points.T).reshape(dimensions, dimensions) - np.eye(dimensions)
    assert np.abs(together).max() < 0.2
    assert np.abs((points**4).mean(axis=0) - 3.0).max() < 0.8


def test_pulls_are_those_of_rows_that_are_normal() -> None:
    """Means over a few hundred points, beside those over many rows."""
    rows, loss = normal_rows(60_000), ClippedSoftmax(4)
    shape = Shape.of(moments_of(rows), 1.0, 0.5)
    w, _ = best_of(rows, loss, 2.0)
    here = 0.3 * w[::-1]
    pull = scores_of(loss, shape).pull(here, w)
    for log_k in (-1.0, 0.0, 1.0):
        gradient = gradient_at(rows, loss, chances_at(rows, loss, math.exp(log_k) * w), here)
        assert pull(log_k) == pytest.approx(float(gradient @ w), abs=0.05)


def test_variances_of_a_class_are_no_smaller_than_what_a_sum_over_scores_has() -> None:
    """A class's coefficient is a sum over scores, and what is unsure of the length is in all of them at once."""
    rows, loss = normal_rows(1000), ClippedSoftmax(4)
    take, found = walker(rows, loss), np.random.default_rng(2).standard_normal(size_of(loss))
    said = take.spread(found, 0.01)
    assert said.shape == (size_of(loss),)
    turn = zero_sum_basis(4).T
    of_classes = turn**2 @ said.reshape(loss.outputs, -1)
    inverse = moments_of(rows).inverse
    pushed = 0.01 * float(np.linalg.norm(inverse, 2)) * np.diagonal(inverse)
    exact = np.sum(turn**2, axis=1, keepdims=True) * pushed + (turn @ found.reshape(loss.outputs, -1)) ** 2
    assert np.all(of_classes >= exact * (1 - 1e-12))
