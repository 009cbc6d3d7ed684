"""Bounds that every constant rests on, attacked one by one: row norms, largest losses, secret sizes, Jacobians."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside import enter, mean_gradient, minimise
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]


@pytest.mark.parametrize("intercept", [0.0, 0.5, 3.0])
def test_the_longest_row_with_its_constant_column_reaches_the_stated_norm(intercept: float) -> None:
    bounds = Bounds(2.0, intercept, classes=(0, 1))
    rows = 100 * np.random.default_rng(0).standard_normal((20, 3))
    longest = enter(rows, np.arange(20) % 2, bounds).reveal().longest_row
    assert 0.999999 * bounds.norm < longest <= bounds.norm


@pytest.mark.parametrize("number", [Fraction, np.float32, np.float16, np.longdouble, int])
def test_bounds_are_doubles_whatever_numbers_they_are_given_as(number: Any) -> None:
    """Others round as their type does, and plans are kept for whoever asks for equal ones."""
    usual = Bounds(3.0, 1.0, (-2.0, 5.0), None, 2.0, ((0.0, 4.0),))
    odd = Bounds(number(3), number(1), (number(-2), number(5)), None, number(2), ((number(0), number(4)),))
    assert odd == usual
    held = [odd.row_norm, odd.intercept, odd.coef_norm, *(odd.label_range or ()), *(odd.columns or ((),))[0]]
    held += [odd.norm, odd.label_scale, odd.label_centre]
    assert all(type(each) is float for each in held)


@pytest.mark.parametrize(("coef_norm", "row_norm", "label"), [(1.0, 1.0, 1.0), (3.0, 2.0, 1.0), (0.1, 0.5, 1.0)])
def test_the_largest_squared_loss_is_reached_and_never_passed(coef_norm: float, row_norm: float, label: float) -> None:
    bound = sensitivity.largest_squared_loss(coef_norm, row_norm, label)
    rng = np.random.default_rng(1)
    w, x = (
        size * v / np.linalg.norm(v) for size, v in zip((coef_norm, row_norm), rng.normal(size=(2, 4)), strict=True)
    )
    loss = Squared()
    values = [float(loss.value(np.array([row @ w]), np.array([y]))[0]) for row in (x, -x) for y in (-label, label)]
    assert max(values) <= bound
    aligned = w * (row_norm / coef_norm)
    worst = float(loss.value(np.array([-aligned @ w]), np.array([label]))[0])
    assert 0.999999 * bound < worst <= bound


def test_a_table_larger_than_its_nominal_size_passes_the_norm_bound_of_a_public_size() -> None:
    """So that bound must not be used where the number of rows is secret."""
    public = Facts(Logistic(), L2(0.05), Bounds(1.0), 20, 1)
    secret = replace(public, adjacency=Adjacency.ADD_REMOVE)
    records = enter(np.ones((4000, 1)), np.ones(4000, dtype=int), Bounds(1.0, classes=(-1, 1)))
    found = float(np.linalg.norm(minimise(records, public.loss, public.penalty, public.n, 1e-3).reveal().point))
    assert found > 1.2 * sensitivity.minimiser_norm(public)
    assert found <= sensitivity.minimiser_norm(secret)


def test_under_add_remove_a_record_moves_a_gradient_by_its_own_length() -> None:
    """Attained: one more row whose slope is as steep as slopes within the ball can be."""
    for ball in (0.5, 3.0):
        facts = Facts(Squared(), L2(1.0), Bounds(2.0, coef_norm=ball), 1, 1, Adjacency.ADD_REMOVE)
        record = enter(np.array([[2.0]]), np.array([-1.0]), Bounds(2.0, label_range=(-1.0, 1.0)))
        moved = abs(float(mean_gradient(record, facts.loss, 1, np.array([ball])).reveal()[0]))
        assert (
            0.999 * sensitivity.of_mean_gradient(facts, ball).l2 < moved <= sensitivity.of_mean_gradient(facts, ball).l2
        )


def log_determinant_change(facts: Facts, rows: Array, labels: Array, points: Array) -> float:
    """The most by which the first record moves the log-determinant of the Hessian at these coefficients."""
    loss, outputs = facts.loss, facts.loss.outputs
    most = 0.0
    for point in points:
        bends = [
            np.kron(
                np.reshape(loss.curvature(_scores(loss, row, point), np.array([label])), (outputs, outputs)),
                np.outer(row, row),
            )
            for row, label in zip(rows, labels, strict=True)
        ]
        without = facts.n * facts.penalty.strong_convexity * np.eye(facts.dim) + sum(
            bends[1:], np.zeros((facts.dim, facts.dim))
        )
        most = max(most, float(np.linalg.slogdet(without + bends[0])[1] - np.linalg.slogdet(without)[1]))
    return most


def _scores(loss: Loss, row: Array, point: Array) -> Array:
    found = point.reshape(loss.outputs, -1) @ row
    return found if loss.outputs == 1 else found[None, :]


@pytest.mark.parametrize("norm", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.5), Squared(), Softmax(3), Softmax(5)], ids=str)
def test_no_record_passes_the_log_jacobian_and_one_beside_zeros_reaches_it(loss: Loss, norm: float) -> None:
    bounds = Bounds(norm, coef_norm=4.0)
    facts = Facts(loss, L2(0.02), bounds, 9, 2)
    bound = sensitivity.log_jacobian(facts)
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(9, 2))
    rows *= (norm / np.linalg.norm(rows, axis=1))[:, None]
    labels = rng.integers(getattr(loss, "classes", 2), size=9).astype(float)
    labels = labels if isinstance(loss, Softmax) else 2 * labels - 1
    points = np.vstack([np.zeros(facts.dim), rng.normal(size=(20, facts.dim))])
    assert log_determinant_change(facts, rows, labels, points) <= bound
    alone = np.zeros((9, 2))
    alone[0, 0] = norm
    corner = np.zeros((1, facts.dim))
    if isinstance(loss, SmoothedHinge):  # curved around a margin of one alone
        corner[0, 0], labels[0] = 1 / norm, 1.0
    assert 0.99 * bound < log_determinant_change(facts, alone, labels, corner) <= bound
