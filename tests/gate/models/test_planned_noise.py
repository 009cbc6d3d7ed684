"""No plan has less noise, and no draw a smaller scale, than what was paid for says: checked from the definitions.

The scales are recomputed from sensitivity, radius and grid by the formulas of the proof pages, and every event is asked
of the accountant, for all mechanisms, losses and budgets.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tests.lists.losses import classes_of, labels_of, scores_of
from tests.lists.mechanisms import plans

from equipoise.gate import MECHANISMS, bits_from, laws
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian, objective_delta, total_spent
from equipoise.theory.accounting.calibrate import ObjectiveLaw
from equipoise.theory.accounting.slack import delta_numeric, gaussian_on_grid, spherical_on_grid
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Coding, Loss
from equipoise.theory.noise import Law, Noise
from equipoise.theory.plan import GradientPlan, OutputPlan, Plan, StatisticsPlan, TiltedPlan, WalkPlan

BUDGETS = [Budget(0.3), Budget(2.0), Budget(0.3, 1e-6), Budget(2.0, 1e-6)]


def of_kind(*kinds: type[Plan]) -> list[Plan]:
    return [plan for plan in plans(BUDGETS) if isinstance(plan, kinds)]


def name_of(plan: Plan) -> str:
    return f"{plan.mechanism}-{plan.facts.loss.name}-{plan.budget.epsilon}-{plan.budget.delta}"


@pytest.mark.parametrize("plan", plans(BUDGETS), ids=name_of)
def test_the_event_costs_the_budget_and_no_more_and_is_of_the_noises_kind(plan: Plan) -> None:
    spent = total_spent([plan.event], plan.budget.delta)
    assert 0.98 * plan.budget.epsilon <= spent.epsilon <= plan.budget.epsilon * (1 + 1e-12)
    assert isinstance(plan, OutputPlan | TiltedPlan | GradientPlan | StatisticsPlan | WalkPlan)
    if (plan.tilt if isinstance(plan, TiltedPlan) else plan.noise).law is Law.GAUSSIAN:
        assert not isinstance(plan.event, PureRelease)
    elif plan.noise.law is Law.SPHERICAL:
        assert plan.event.delta_numeric > 0
    assert plan.guarantee(seeded=False).delta_numeric == plan.event.delta_numeric


@pytest.mark.parametrize("plan", of_kind(GradientPlan), ids=name_of)
def test_arithmetic_is_counted_for_every_noisy_gradient(plan: GradientPlan) -> None:
    """Each has noise of its own, with a tail that is cut and a grid that adds to ε."""
    steps, room = plan.schedule.steps, gaussian_on_grid(plan.facts.dim)
    assert steps > 1
    one = delta_numeric(plan.budget.epsilon, room, plan.budget.delta)
    assert plan.event.delta_numeric >= steps * one * (1 - 1e-9)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == steps
    assert plan.event.epsilon_numeric >= steps * room.epsilon


@pytest.mark.parametrize("plan", of_kind(OutputPlan), ids=name_of)
def test_output_noise_covers_the_sensitivity_two_radii_and_the_grid(plan: OutputPlan) -> None:
    moved = plan.sensitivity.l2 + 2 * plan.radius + plan.noise.step * math.sqrt(plan.facts.dim)
    if plan.noise.law is Law.GAUSSIAN:
        slack = gaussian_on_grid(plan.facts.dim).epsilon
        assert delta_gaussian(plan.budget.epsilon - slack, moved / plan.noise.scale) <= plan.budget.delta
    else:
        assert moved / plan.noise.scale <= plan.budget.epsilon - spherical_on_grid(plan.facts.dim).epsilon


@pytest.mark.parametrize("rows", [10, 45])
@pytest.mark.parametrize("plan", of_kind(OutputPlan, TiltedPlan), ids=name_of)
def test_the_stability_of_training_counts_two_radii(plan: OutputPlan | TiltedPlan, rows: int) -> None:
    taken_apart = MECHANISMS[plan.mechanism].steady
    assert taken_apart is not None
    steady = taken_apart(plan, rows, None)
    part = replace(plan.facts, n=rows)
    exact = sensitivity.of_tilted_minimiser(part) if isinstance(plan, TiltedPlan) else sensitivity.of_minimiser(part).l2
    assert steady.radius > 0
    assert steady.stability >= exact + 2 * steady.radius


def pulls_one_way(loss: Loss) -> bool:
    """By trying, not by what the loss says of itself: no score turns the sign of a record's slope."""
    rng = np.random.default_rng(0)
    score, label = scores_of(loss, rng, 2000, 5.0), labels_of(loss, rng, 2000)
    return bool(np.all(loss.slope(score, label) * label <= 0))


def most_lacking(loss: Loss) -> float:
    """By trying: what the true class lacks at most, which is the length of q·(e_k − e_y) over √2."""
    rng = np.random.default_rng(1)
    score, label = scores_of(loss, rng, 4000, 200.0), labels_of(loss, rng, 4000)
    return float(np.linalg.norm(loss.slope(score, label).reshape(4000, -1), axis=1).max()) / math.sqrt(2)


@pytest.mark.parametrize("plan", of_kind(TiltedPlan), ids=name_of)
def test_the_tilt_leaves_the_second_noise_its_part(plan: TiltedPlan) -> None:
    """And is calibrated for the law of its loss: one-signed slopes, two-signed ones, or several scores."""
    facts, budget = plan.facts, plan.budget
    loss = facts.loss.facts(facts.bounds.norm * facts.ball)
    epsilon = budget.epsilon * (1 - plan.blur) - sensitivity.log_jacobian(facts)
    if budget.delta > 0:
        law, gradient, classes = ObjectiveLaw.TWO_SIGNED, facts.bounds.norm * loss.slope, 2
        if facts.loss.traits.labels is Coding.PLACES:
            law, classes = ObjectiveLaw.SOFTMAX, classes_of(facts.loss)
            gradient = facts.bounds.norm * most_lacking(facts.loss)
        elif pulls_one_way(facts.loss):
            law = ObjectiveLaw.FIXED_SIGN
        spent = objective_delta(epsilon, gradient / plan.tilt.scale, law, facts.adjacency, classes)
        assert spent <= budget.delta * (1 - plan.blur)
    elif facts.loss.traits.sharper_rate is None:
        assert facts.bounds.norm * loss.diameter / plan.tilt.scale <= epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 7.3, 40.0])
@pytest.mark.parametrize("dim", [1, 2, 5, 200])
def test_pure_laws_cover_the_grid_and_their_slack(dim: int, epsilon: float) -> None:
    """In L2 for spherical noise; Laplace noise in every coordinate must cover the L1 sensitivity."""
    for l2 in (1e-3, 1.0, 37.0):
        noise = laws.pure(l2, dim, epsilon).noise
        if noise.law is Law.SPHERICAL:
            moved = l2 + noise.step * math.sqrt(dim)
            assert moved / noise.scale <= epsilon - spherical_on_grid(dim).epsilon
        else:
            assert (math.sqrt(dim) * l2 + noise.step * dim) / noise.scale <= epsilon


@pytest.mark.parametrize("dim", [1, 3, 50])
def test_gaussian_laws_cover_the_grid_and_their_slack(dim: int) -> None:
    for l2, epsilon, delta in ((1e-3, 0.1, 1e-9), (1.0, 1.0, 1e-6), (37.0, 8.0, 1e-3)):
        noise = laws.gaussian(l2, dim, epsilon, delta).noise
        moved = l2 + noise.step * math.sqrt(dim)
        assert delta_gaussian(epsilon - gaussian_on_grid(dim).epsilon, moved / noise.scale) <= delta


def test_a_draw_never_has_a_smaller_scale_than_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def watched(scale: float, size: int, bits: object) -> npt.NDArray[np.int64]:
        asked.append(scale)
        return np.zeros(size, dtype=np.int64)

    monkeypatch.setattr(laws, "discrete_laplace", watched)
    monkeypatch.setattr(laws, "discrete_gaussian", watched)
    monkeypatch.setattr(laws, "rounded_gaussian", watched)
    monkeypatch.setattr(laws, "spherical_lattice", lambda rate, dim, bits: watched(1 / rate, dim, bits))
    noise = Noise(Law.LAPLACE, 1.0, 2.0**-24, 3)
    for law in (Law.LAPLACE, Law.GAUSSIAN, Law.SPHERICAL):
        for scale in (1.0, 1.0 + 2.0**-26, 1.9999999, 3.3):
            laws.draw(replace(noise, law=law, scale=scale), bits_from(1))
            assert asked.pop() >= scale / noise.step * (1 - 1e-15)
