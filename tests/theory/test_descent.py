"""What the last resort promises: more for harder problems, and never less than the start's own distance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import last_resort, solve
from equipoise.theory.descent import MOST_STEPS, Course
from equipoise.theory.losses import Huber, Logistic, Loss, SmoothedHinge, Squared
from equipoise.theory.regularisers import L2

EASY = Course(alpha=0.01, smoothness=1.0, steepness=1.0, strays=5.0, norm=5.0, error=1e-13)


def test_harder_problems_are_promised_less() -> None:
    harder = {"smoothness": 30.0, "steepness": 7.0, "strays": 9.0, "norm": 50.0, "error": 1e-11}
    for name, value in harder.items():
        other = replace(EASY, **{name: value})
        assert other.reach >= EASY.reach
        for steps in (0, 10, 1000):
            assert other.after(steps) >= EASY.after(steps)
    assert replace(EASY, alpha=0.001).reach >= EASY.reach


def test_the_steps_that_are_asked_for_are_enough_and_not_many_more() -> None:
    for radius in (1.0, 1e-3, 1e-6, EASY.reach):
        steps = EASY.steps_to(radius)
        assert steps is not None
        assert EASY.after(steps) <= radius
        assert EASY.after(steps - 2) > radius or steps <= 2


def test_a_start_that_is_near_enough_needs_no_step() -> None:
    assert EASY.steps_to(5.0) == 0
    assert EASY.steps_to(math.nextafter(5.0, 0)) != 0


def test_less_than_doubles_can_hold_is_not_promised() -> None:
    assert EASY.steps_to(EASY.floor) is None
    assert EASY.steps_to(math.nan) is None
    assert EASY.floor > 4 * EASY.error / EASY.alpha


def test_a_ridge_too_weak_for_the_most_steps_is_promised_the_start_at_worst() -> None:
    weak = replace(EASY, alpha=1e-14, strays=1e5)
    assert weak.after(MOST_STEPS) > weak.strays
    assert weak.reach == pytest.approx(weak.strays)
    assert weak.steps_to(weak.reach) == 0


@pytest.mark.parametrize("pushed", [0.0, 0.3, 20.0])
@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.1), Squared(), Huber(0.2)], ids=lambda loss: loss.name)
def test_the_start_is_no_further_from_the_minimiser_than_stated(loss: Loss, pushed: float) -> None:
    """With nothing to pull but a tilt the bound is attained."""
    rng = np.random.default_rng(3)
    for rows in (rng.normal(size=(40, 3)), np.zeros((40, 3)), np.tile([1.0, 0.0, 0.0], (40, 1))):
        labels = np.where(rng.random(40) < 0.9, 1.0, -1.0)
        records = Records(design_from(rows, 1.0, 0.0), labels)
        for alpha in (1e-3, 0.1, 10.0):
            objective = Objective(loss, L2(alpha), records, 40, np.array([pushed, 0.0, 0.0]))
            way = last_resort.course(objective, objective.centre, math.inf)
            found = solve(objective, max(way.reach, 1e-12))
            far = float(np.linalg.norm(found.point))
            assert far <= way.strays + found.certificate.distance
            assert float(np.linalg.norm(objective.gradient(objective.centre))) <= way.steepness
            if not np.any(rows):
                assert far >= 0.999 * way.strays - found.certificate.distance or loss.pull(0.0) > 0
