"""Weights over the simplex: certified on every table, by the quick way and by the sure one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.audit.exact.corner_laws import corner_weights
from equipoise.inside.design import as_design
from equipoise.inside.simplex.mixtures import Mixtures
from equipoise.inside.simplex.solver import accelerated, averaged, residual_of, softmax, solve
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Logistic, Loss, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import Entropy
from equipoise.theory.runs import LONGEST_RUN
from equipoise.theory.simplex.corners import Corners
from equipoise.theory.simplex.solving import Course, course_for

Array = npt.NDArray[np.float64]
N, D = 30, 4


def tables() -> Iterator[tuple[str, Array, Array]]:
    rng = np.random.default_rng(0)
    ones = np.ones(N)
    yield "random", rng.uniform(-1, 1, (N, D)), np.sign(rng.normal(size=N))
    yield "corners", np.sign(rng.normal(size=(N, D))), np.sign(rng.normal(size=N))
    yield "zeros", np.zeros((N, D)), ones
    yield "all alike", np.ones((N, D)), ones
    yield "all alike against each other", np.ones((N, D)), np.where(np.arange(N) % 2, 1.0, -1.0)
    yield "one column for everything", np.eye(D)[np.zeros(N, dtype=int)], ones
    yield "columns against each other", np.tile([1.0, -1.0, 1.0, -1.0], (N, 1)), ones
    yield "tiny", np.full((N, D), 5e-324), -ones


def problem(
    X: Any, y: Array, loss: Loss, alpha: float, *, signed: bool = True, scale: float = 1.0
) -> tuple[Mixtures, Course]:
    corners = Corners(X.shape[1], signed, True)
    facts = Facts(loss, Entropy(alpha), Bounds(1.0, 1.0, coef_norm=scale), len(y), X.shape[1] + 1)
    return Mixtures(as_design(X), y, loss, corners, 1.0, scale, len(y)), course_for(facts, corners)


def written_out(X: Array, corners: Corners, scale: float) -> Array:
    """Every corner as a column of scores."""
    columns, signs = corners.sides(np.arange(corners.count))
    return scale * np.column_stack([X, np.ones(len(X))])[:, columns] * signs


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("alpha", [3.0, 0.1, 0.003])
@pytest.mark.parametrize("name", [name for name, _, _ in tables()])
def test_both_ways_meet_the_planned_residual_and_find_the_minimiser(name: str, alpha: float, loss: Loss) -> None:
    X, y = next((X, y) for case, X, y in tables() if case == name)
    inner, course = problem(X, y, loss, alpha)
    quick = accelerated(inner, course)
    assert quick is not None, "the certificate is met in the steps it was given"
    exact = corner_weights(written_out(X, inner.corners, 1.0), y, loss, alpha)
    for logs in (quick, averaged(inner, course)):
        assert residual_of(inner, logs, alpha) <= course.residual
        assert np.abs(softmax(logs) - exact).sum() <= 2 * course.residual / alpha


def test_the_sure_way_answers_where_the_quick_one_is_given_no_time() -> None:
    X, y = np.random.default_rng(3).uniform(-1, 1, (N, D)), np.ones(N)
    inner, course = problem(X, y, Squared(), 0.2)
    hurried = Course(course.alpha, course.condition, course.rounding, course.residual, course.steps, 1)
    assert accelerated(inner, hurried) is None
    assert residual_of(inner, solve(inner, hurried), course.alpha) <= course.residual


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("signed", [True, False])
def test_the_gradient_is_that_of_the_mean_loss(loss: Loss, signed: bool) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (N, D)), np.sign(rng.normal(size=N))
    inner, _ = problem(X, y, loss, 1.0, signed=signed, scale=1.7)
    weights = rng.dirichlet(np.ones(inner.corners.count))
    scores = written_out(X, inner.corners, 1.7)
    expected = scores.T @ loss.slope(scores @ weights, y) / N
    np.testing.assert_allclose(inner.gradient(weights), expected, atol=1e-14)
    thin = problem(sparse.csr_array(X), y, loss, 1.0, signed=signed, scale=1.7)[0]
    np.testing.assert_allclose(thin.gradient(weights), expected, atol=1e-14)


def test_long_rows_are_summed_in_runs() -> None:
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(5, 3 * LONGEST_RUN + 17)), rng.normal(size=3 * LONGEST_RUN + 17)
    expected = np.array([sum(map(float, row * w)) for row in X])
    np.testing.assert_allclose(as_design(X).matvec(w), expected, rtol=1e-9)
    np.testing.assert_allclose(as_design(sparse.csr_array(X)).matvec(w), expected, rtol=1e-9)


def test_steps_and_residual_come_from_public_facts_alone() -> None:
    _, one = problem(np.zeros((N, D)), np.ones(N), Logistic(), 0.1)
    _, two = problem(np.ones((N, D)), -np.ones(N), Logistic(), 0.1)
    assert one == two
    assert one.steps < 1000
