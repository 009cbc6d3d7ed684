"""Bends that open on the way: what opens them is released, and every gradient is paid for where it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit import replay
from equipoise.audit.subjects import additive_models
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import noisy_gradients
from equipoise.inside import Private, Records, enter
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.plan import GradientPlan

Array = npt.NDArray[np.float64]

ROWS = 1200
KNOTS = 6


def made(**more: Any) -> Any:
    given: dict[str, Any] = {"column_bounds": (-1, 1), "knots": KNOTS, "label_bounds": (-1, 1)}
    return eq.AdditiveRegressor(1.0, 1e-5, **(given | more))


def table(rows: int = ROWS) -> tuple[Array, Array]:
    """The first column bends, the second does nothing."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (rows, 2))
    return X, np.clip(1.5 * X[:, 0] ** 2 - 0.7 + 0.1 * rng.standard_normal(rows), -1, 1)


def classifier() -> Any:
    """Of a loss whose gradients get longer with the coefficients."""
    return eq.AdditiveClassifier(30.0, 1e-5, mechanism="noisy-gradient", column_bounds=(-1, 1), knots=KNOTS)


def walked(monkeypatch: pytest.MonkeyPatch, model: Any) -> tuple[GradientPlan, Array, list[Array], list[Any]]:
    """A release, what passed the door on the way, and with which noise."""
    plan = model.plan(ROWS, 2)
    assert isinstance(plan, GradientPlan)
    X, y = table()
    bounds = plan.facts.bounds
    records: Private[Records] = (
        enter(X, y, bounds) if bounds.label_range else enter(X, (y > 0).astype(int), replace(bounds, classes=(0, 1)))
    )
    seen: list[Array] = []
    noises: list[Any] = []

    def watched(value: Any, noise: Any, *rest: Any) -> Array:
        noises.append(noise)
        seen.append(door.add_noise(value, noise, *rest))
        return seen[-1]

    monkeypatch.setattr(noisy_gradients, "add_noise", watched)
    with Ledger().reserve(plan.event) as entry:
        value = MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(3)).value
    return plan, value, seen[: plan.schedule.steps], noises[: plan.schedule.steps]


def by_hand(plan: GradientPlan, gradients: list[Array], noises: list[Any]) -> list[Array]:
    """Every point, from released gradients and public numbers alone."""
    schedule, dim = plan.schedule, plan.facts.dim
    encoding = plan.facts.bounds.encoding
    assert encoding is not None
    points, walk, speed = [np.zeros(dim)], np.zeros(dim), np.zeros(dim)
    pushes = np.zeros((0, 2))  # how far each draw of noise has moved a number, and its speed
    for gradient, noise in zip(gradients, noises, strict=True):
        whole = gradient + plan.facts.penalty.strong_convexity * points[-1]
        moved = walk - schedule.step_size * whole + schedule.momentum * speed
        moved *= min(1.0, schedule.ball / max(1e-300, float(np.linalg.norm(moved))))
        walk, speed = moved, moved - walk
        pushes = np.vstack([pushes, [0.0, 0.0]])
        step = schedule.momentum * pushes[:, 1]
        step[-1] += schedule.step_size * noise.rms
        pushes = np.column_stack([pushes[:, 0] + step, step])
        point = walk.copy()
        for group in encoding.shut:
            longest = np.sqrt((group.stop - group.start) * np.sum(pushes[:, 0] ** 2))
            point[group] *= max(0.0, 1 - longest / np.linalg.norm(walk[group]))
        points.append(point)
    return points


@pytest.mark.parametrize("make", [made, classifier])
def test_every_point_is_made_of_noisy_gradients_and_public_numbers_alone(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, value, gradients, noises = walked(monkeypatch, make())
    points = by_hand(plan, gradients, noises)[1:]
    mean = np.mean(points[plan.schedule.steps // 2 :], axis=0)
    free = slice(None) if plan.anchor is None else slice(-1)  # an anchor sets the intercept afterwards
    assert np.allclose(value[free], mean[free], rtol=1e-7, atol=1e-10)


def test_each_gradient_has_the_noise_of_the_point_it_is_asked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _, gradients, noises = walked(monkeypatch, classifier())
    assert noises[-1].rms > 1.05 * noises[0].rms
    for point, noise in zip(by_hand(plan, gradients, noises), noises, strict=False):
        asked = sensitivity.of_mean_gradient(plan.facts, float(np.linalg.norm(point))).l2 / plan.schedule.mu
        assert noise.rms >= asked * (1 - 1e-9)


def test_a_bend_that_is_there_opens_and_one_that_is_not_stays_nearly_shut() -> None:
    """Ten seeds, each fit apart: no false alarm by chance."""
    X, y = table(6000)
    for seed in range(10):
        bent, flat = (shape.values for shape in made(random_state=seed).fit(X, y).shapes_)
        turns = [float(np.linalg.norm(np.diff(values, 2))) for values in (bent, flat)]
        assert turns[0] > 5 * turns[1]


def test_what_is_audited_opens() -> None:
    plan = additive_models.opening_model(1.0).plan(additive_models.MANY, 1)
    assert plan.facts.bounds.encoding is not None
    assert plan.facts.bounds.encoding.shut


def test_a_replay_moves_as_far_as_was_paid_for_and_no_further() -> None:
    (target,) = additive_models.opening(1.0)
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs[:4]]
    assert all(each.holds for each in found)
    assert 0.3 < max(each.ratio for each in found) <= 1
