"""The hinge's dual method against an independent optimiser, and where rows coincide."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import MechanismRefused
from equipoise.inside import Records
from equipoise.inside.certificate import reachable_by_gap
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.solvers import dual
from equipoise.theory.losses import Hinge
from equipoise.theory.regularisers import L2

cvxpy: Any = importlib.import_module("cvxpy")  # publishes no types

Array = npt.NDArray[np.float64]


def _objective(X: Array, labels: Array, alpha: float, centre: Array | None = None) -> Objective:
    middle = None if centre is None else tuple(centre.tolist())
    return Objective(Hinge(), L2(alpha, middle), Records(design_from(X, 1.0, 0.0), labels), len(labels))


def _sensitivity(objective: Objective) -> float:
    return 2 / (objective.penalty.alpha * objective.divisor)


@pytest.mark.parametrize("alpha", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("with_centre", [False, True])
def test_minimiser_agrees_with_an_interior_point_solver(alpha: float, with_centre: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 5)) / 4
    labels = np.where(X[:, 0] + rng.normal(size=150) / 5 > 0, 1.0, -1.0)
    centre = rng.normal(size=5) if with_centre else np.zeros(5)
    objective = _objective(X, labels, alpha, centre)
    found = dual.solve(objective, 1e-5)
    clipped = objective.records.design.matvec(np.eye(5))
    w = cvxpy.Variable(5)
    loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(labels, clipped @ w))) / 150
    cvxpy.Problem(cvxpy.Minimize(loss + alpha / 2 * cvxpy.sum_squares(w - centre))).solve(
        solver=cvxpy.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12
    )
    assert float(np.linalg.norm(found.point - w.value)) <= found.certificate.distance + 1e-6
    assert found.certificate.distance <= 1e-5


def test_a_gap_of_a_thousandth_of_the_sensitivity_is_reached_on_overlapping_classes() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, size=(4000, 20)) / math.sqrt(20)
    labels = np.where(X[:, :5].sum(axis=1) + rng.normal(size=4000) / 2 > 0.6, 1.0, -1.0)
    for alpha in (0.1, 1e-2, 1e-3, 1e-4):
        objective = _objective(X, labels, alpha)
        radius = 2.0**-10 * _sensitivity(objective)
        assert dual.solve(objective, radius).certificate.distance <= radius


@pytest.mark.parametrize("alpha", [0.4, 0.1, 1e-3])
def test_many_equal_rows_are_certified_at_the_rounding_floor(alpha: float) -> None:
    """All margins sit on the corner at once, so every term of the gap carries the rounding of its score."""
    X, labels = np.tile([[0.6, 0.8]], (200_000, 1)), np.ones(200_000)
    objective = _objective(X, labels, alpha)
    radius = 2 * reachable_by_gap(2, 1.0, alpha, 1 / math.sqrt(alpha))
    found = dual.solve(objective, max(radius, 2.0**-10 * _sensitivity(objective)))
    np.testing.assert_allclose(found.point, [0.6, 0.8], atol=found.certificate.distance)


def test_separable_rows_reach_the_widest_margin() -> None:
    """Two points at ±1 on the axis and a small ridge: margins of exactly one."""
    objective = _objective(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0]), 0.1)
    np.testing.assert_allclose(dual.solve(objective, 1e-6).point, [1.0, 0.0], atol=1e-6)


def test_a_strong_ridge_puts_every_row_inside_the_margin() -> None:
    """All dual numbers are one: w is the mean of y·x over α."""
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(50, 3)) / 4, rng.choice([-1.0, 1.0], size=50)
    objective = _objective(X, labels, 10.0)
    clipped = objective.records.design.matvec(np.eye(3))
    np.testing.assert_allclose(dual.solve(objective, 1e-9).point, (clipped.T @ labels) / 50 / 10, atol=1e-9)


def test_a_ball_is_refused() -> None:
    objective = _objective(np.eye(2), np.array([1.0, -1.0]), 0.1)
    with pytest.raises(MechanismRefused, match=r"coef_norm=3\.0"):
        dual.solve(objective, 1e-3, 3.0)


def test_the_cushion_is_the_envelope_it_claims() -> None:
    """Its value against a fine search over β, its slope and curvature against differences."""
    rng = np.random.default_rng(4)
    score, label, start = rng.normal(size=30) * 2, rng.choice([-1.0, 1.0], size=30), rng.uniform(size=30)
    cushion = dual.Cushion(start, 3.0)
    beta = np.linspace(0, 1, 20_001)[:, None]
    search = (beta * (1 - label * score) - (beta - start) ** 2 / 6).max(axis=0)
    np.testing.assert_allclose(cushion.value(score, label), search, atol=1e-8)
    step = 1e-6
    rise = (cushion.value(score + step, label) - cushion.value(score - step, label)) / (2 * step)
    np.testing.assert_allclose(cushion.slope(score, label), rise, atol=1e-8)
    bend = (cushion.slope(score + step, label) - cushion.slope(score - step, label)) / (2 * step)
    np.testing.assert_allclose(cushion.curvature(score, label), bend, atol=1e-8)
    assert cushion.facts(1.0).curvature == 3.0
    assert np.all(-cushion.slope(score, label) * score <= cushion.pull(0.0))
