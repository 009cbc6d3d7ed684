"""Releases done again by hand from the same draws: what leaves is made of planned noise and of nothing else.

A law tested draw by draw says nothing about what a mechanism does with the draws.  Here every release is replayed with
the noise it drew, step by step from its definition.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.lists.tables import facts_of, table

from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import noisy_gradients, sufficient_statistics
from equipoise.inside import Private, Records, enter, minimise
from equipoise.inside.tables.moments import second_moments
from equipoise.ledger import Ledger
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Loss, Squared
from equipoise.theory.plan import Facts, GradientPlan, Plan, StatisticsPlan, TiltedPlan

Array = npt.NDArray[np.float64]

N, COLUMNS = 50, 2
SEED = 11


def problem(loss: Loss) -> tuple[Facts, Private[Records]]:
    return facts_of(loss, N, COLUMNS, alpha=0.3), enter(*table(loss, N, COLUMNS, seed=4))


def released(plan: Plan, records: Private[Records]) -> Array:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(SEED)).value


@pytest.mark.parametrize("budget", [Budget(2.0), Budget(2.0, 1e-6)], ids=str)
@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=str)
def test_the_whole_drawn_tilt_reaches_the_solver(loss: Loss, budget: Budget) -> None:
    facts, records = problem(loss)
    plan = MECHANISMS["objective"].plan(facts, budget)
    assert isinstance(plan, TiltedPlan)
    with Ledger().reserve(plan.event) as entry:
        tilt = door.draw_tilt(plan.tilt, plan.event, entry, bits_from(SEED)).reveal()
    by_hand = minimise(records, loss, plan.facts.penalty, N, plan.radius, plan.facts.ball, tilt / N).reveal().point
    blur = 60 * plan.noise.rms  # far beyond any draw, far below what the tilt does
    assert blur < 0.1 * float(np.linalg.norm(tilt)) / (N * plan.facts.penalty.strong_convexity)
    assert np.linalg.norm(released(plan, records) - by_hand) < blur


@pytest.mark.parametrize("loss", [Logistic(), Squared()], ids=str)
def test_iterates_are_made_of_noisy_gradients_alone(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, records = problem(loss)
    plan = MECHANISMS["noisy-gradient"].plan(facts, Budget(2.0, 1e-6))
    assert isinstance(plan, GradientPlan)
    plan = replace(plan, schedule=replace(plan.schedule, momentum=0.7))
    seen: list[Array] = []

    def watched(*given: Any) -> Array:
        seen.append(door.add_noise(*given))
        return seen[-1]

    monkeypatch.setattr(noisy_gradients, "add_noise", watched)
    value = released(plan, records)
    steps, late = plan.schedule.steps, []
    assert len(seen) == steps
    point = speed = np.zeros(facts.dim)
    for gradient in seen:
        whole = gradient + plan.facts.penalty.strong_convexity * point
        moved = point - plan.schedule.step_size * whole + plan.schedule.momentum * speed
        norm = float(np.linalg.norm(moved))
        moved = moved if norm <= plan.schedule.ball else moved * (plan.schedule.ball / norm)
        point, speed = moved, moved - point
        late.append(point)
    assert np.allclose(value, np.mean(late[steps // 2 :], axis=0), rtol=1e-9, atol=1e-12)


def test_every_moment_that_is_used_has_passed_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the door shut (it lets out zeros) nothing of the records is left: labels, products and squares alike."""
    facts, records = problem(Squared())
    plan = MECHANISMS["sufficient-statistics"].plan(facts, Budget(2.0))
    seen: list[Array] = []
    read = sufficient_statistics._read

    def watched(numbers: Array, plan: StatisticsPlan) -> sufficient_statistics.Moments:
        seen.append(numbers)
        return read(numbers, plan)

    monkeypatch.setattr(sufficient_statistics, "_read", watched)
    monkeypatch.setattr(sufficient_statistics, "add_noise", lambda value, noise, *rest: np.zeros(noise.dim))
    released(plan, records)
    assert second_moments(records, np.ones(6), 1.0, 1.0).reveal().all()
    (numbers,) = seen
    assert not numbers.any()
