"""Attacks on certificates: objectives on which the bound is attained, so that any constant made smaller is too small.

The minimiser is known without solving: the labels fit the penalty's centre, which then is the minimiser, whatever the
rows, and lies in the ball or on its sphere.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import NotCertified
from equipoise.inside import Records
from equipoise.inside.certificate import Certificate, in_ball, smooth
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.solvers.solution import certified
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Softmax, Squared
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

ALPHA, BALL, ROWS = 0.01, 1.0, 4
SMOOTH: list[Loss] = [Logistic(), SmoothedHinge(0.5), Squared(), Huber(0.4), Softmax(3), Softmax(5)]


def at(angle: float, length: float = BALL) -> Array:
    return length * np.array([math.cos(angle), math.sin(angle)])


def fitted_at(centre: Array, row: Array) -> Objective:
    """Squared loss of equal rows whose labels the centre fits exactly: the centre minimises both parts."""
    records = Records(design_from(np.tile(row, (ROWS, 1)), 1e9, 0.0), np.full(ROWS, float(row @ centre)))
    return Objective(Squared(), L2(ALPHA, tuple(centre.tolist())), records, float(ROWS))


def shares_in_ball() -> list[float]:
    """True distance over certified distance, for points of the sphere and rows that pull along it and outwards."""
    found = []
    for depth in (1.0, 0.999, 0.9):
        centre = at(0.0, depth * BALL)
        for turn in (1e-6, 1e-3, 0.05, 0.3, 1.0, 2.5):
            point = at(turn)
            across = math.atan2(*(point - centre)[::-1]) + math.pi / 2
            for tilt in (-1e-1, -1e-2, -1e-3, 0.0, 1e-3, 1e-2, 1e-1, 0.5, 1.5):
                for length in (0.1, 1.0, 30.0):
                    objective = fitted_at(centre, at(across + tilt, length))
                    bound = in_ball(objective, point, objective.gradient(point), BALL)
                    found.append(float(np.linalg.norm(point - centre)) / bound.distance)
    return found


def test_no_point_of_the_sphere_is_farther_than_certified_and_some_are_as_far() -> None:
    shares = shares_in_ball()
    assert max(shares) <= 1.0
    assert max(shares) >= 0.95


@pytest.mark.parametrize("loss", SMOOTH, ids=lambda loss: f"{loss.name} {loss.outputs}")
def test_without_pull_from_the_rows_the_certificate_is_the_distance_itself(loss: Loss) -> None:
    """Rows of zeros leave the ridge alone: every direction counts, each by itself and all together."""
    labels = np.zeros(ROWS) if isinstance(loss, Softmax) else np.ones(ROWS)
    size = loss.outputs * 3
    objective = Objective(loss, L2(ALPHA), Records(design_from(np.zeros((ROWS, 3)), 1.0, 0.0), labels), float(ROWS))
    rng = np.random.default_rng(0)
    for point in (*np.eye(size), np.ones(size), rng.normal(size=size), 1e-6 * rng.normal(size=size)):
        true = float(np.linalg.norm(point))
        assert true <= smooth(objective, point, objective.gradient(point)).distance <= 1.0001 * true + 1e-12


@pytest.mark.parametrize("radius", [1e-12, 1e-3, 7.0])
def test_a_solution_is_taken_only_if_its_certificate_is_within_the_radius(radius: float) -> None:
    point = np.zeros(2)
    for share in (0.0, 0.5, 1.0):
        assert certified(point, Certificate(share * radius, "here"), radius).certificate.distance <= radius
    for distance in (math.nextafter(radius, math.inf), 1.001 * radius, 1.04 * radius, 2 * radius, math.inf, math.nan):
        with pytest.raises(NotCertified):
            certified(point, Certificate(distance, "here"), radius)
