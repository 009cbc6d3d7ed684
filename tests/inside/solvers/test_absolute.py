"""Least absolute deviations: certified on easy and on degenerate tables, and equal to an interior-point solver."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from equipoise.errors import MechanismRefused
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import absolute, solve
from equipoise.theory.losses import Absolute
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]


def labels_for(kind: str, X: Array) -> Array:
    rng = np.random.default_rng(8)
    lean = X[:, 0] - X[:, 1]
    return {
        "noisy": np.clip(lean / 2 + rng.normal(size=len(X)) / 5, -1, 1),
        "exactly linear": np.clip(lean / 2, -1, 1),
        "nearly linear": np.clip(lean / 2 + rng.normal(size=len(X)) / 100, -1, 1),
        "constant": np.ones(len(X)),
        "zero": np.zeros(len(X)),
        "two values": np.sign(lean),
        "few values": np.round(2 * np.clip(lean, -1, 1)) / 2,
    }[kind]


def objective_for(
    kind: str, alpha: float, *, store: Callable[[Array], Any] = np.asarray, tilt: bool = False
) -> Objective:
    X = np.random.default_rng(7).normal(size=(600, 4)) / 2
    push = np.full(5, 0.01) if tilt else None
    centre = (0.1, 0.0, -0.2, 0.0, 0.3) if tilt else None
    records = Records(design_from(store(X), 1.0, 0.5), labels_for(kind, X))
    return Objective(Absolute(), L2(alpha, centre), records, 600, push)


def fine(objective: Objective) -> float:
    """A thousandth of the sensitivity."""
    return 2.0**-10 * 2 * math.hypot(1.0, 0.5) / (objective.penalty.alpha * objective.divisor)


KINDS = ["noisy", "exactly linear", "nearly linear", "constant", "zero", "two values", "few values"]


@pytest.mark.parametrize("alpha", [1e-3, 0.03, 0.3, 3.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_table_is_certified(kind: str, alpha: float) -> None:
    objective = objective_for(kind, alpha)
    found = solve(objective, fine(objective))
    assert found.certificate.distance <= fine(objective)
    rng = np.random.default_rng(1)
    lowest = objective.value(found.point)
    for scale in (1e-1, 1e-3, 1e-5):
        for _ in range(10):
            moved = found.point + scale * rng.normal(size=objective.size)
            assert objective.value(moved) >= lowest - 10 * found.certificate.distance


@pytest.mark.parametrize("kind", ["noisy", "exactly linear", "two values"])
def test_an_interior_point_solver_agrees(kind: str) -> None:
    cvxpy: Any = importlib.import_module("cvxpy")  # publishes no types
    objective = objective_for(kind, 0.03, tilt=True)
    design = objective.records.design
    matrix, w = design.matvec(np.eye(5)), cvxpy.Variable(5)
    ridge = 0.5 * 0.03 * cvxpy.sum_squares(w - objective.centre)
    residuals = cvxpy.norm1(matrix @ w - objective.records.labels) / 600
    cvxpy.Problem(cvxpy.Minimize(residuals + ridge + np.full(5, 0.01) @ w)).solve(solver=cvxpy.CLARABEL)
    found = solve(objective, fine(objective))
    assert np.linalg.norm(found.point - w.value) <= found.certificate.distance + 1e-5


def test_storages_agree() -> None:
    dense, thin = objective_for("noisy", 0.01), objective_for("noisy", 0.01, store=sparse.csr_array)
    first, second = solve(dense, fine(dense)), solve(thin, fine(thin))
    gap = float(np.linalg.norm(first.point - second.point))
    assert gap <= first.certificate.distance + second.certificate.distance


def test_any_dual_point_has_an_honest_certificate() -> None:
    objective = objective_for("noisy", 0.03)
    best = solve(objective, fine(objective))
    rng = np.random.default_rng(2)
    for _ in range(30):
        w, certificate = absolute.certify(objective, np.clip(rng.normal(size=600), -1, 1))
        assert np.linalg.norm(w - best.point) <= certificate.distance + best.certificate.distance


def test_a_ball_is_refused() -> None:
    with pytest.raises(MechanismRefused, match="absolute"):
        absolute.solve(objective_for("noisy", 0.1), 1.0, ball=1.0)
