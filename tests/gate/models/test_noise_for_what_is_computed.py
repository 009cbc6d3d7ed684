"""Noise is for what is computed: a solver's error on either table, a tilt and coefficients rounded to their grids."""

from __future__ import annotations

import math

import pytest

from equipoise.gate import MECHANISMS
from equipoise.gate.models import objective_perturbation
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.accounting.slack import gaussian_on_grid
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Logistic, Softmax, Squared
from equipoise.theory.noise import Law
from equipoise.theory.plan import Facts, TiltedPlan
from equipoise.theory.regularisers import L2


def hardly_solvable() -> list[TiltedPlan]:
    """Objective perturbation where little but the solver's error is left for the second noise: steep, nearly flat."""
    bounds = [Bounds(1.0, 0.5, coef_norm=1e6), Bounds(300.0, 150.0, coef_norm=1e6)]
    return [
        objective_perturbation.plan(Facts(loss, L2(alpha), bound, n, 4, adjacency), budget)
        for loss in (Logistic(), Huber(0.5), Softmax(3))
        for bound in bounds
        for n, alpha in ((60, 0.2), (10**6, 1e-4), (10**9, 1e-9))
        for adjacency in Adjacency
        for budget in (Budget(2.0), Budget(20.0), Budget(2.0, 1e-6))
    ]


def test_the_second_noise_hides_an_error_of_the_solver_on_either_side() -> None:
    """Two solutions, each as far from its minimiser as allowed, in opposite directions, and each tilt on its grid."""
    told = 0
    for plan in hardly_solvable():
        facts, noise, part = plan.facts, plan.noise, plan.blur
        blur = Budget(plan.budget.epsilon * part, plan.budget.delta * part)
        assert 0 < part <= 1 / 8
        off_grid = plan.tilt.step * math.sqrt(facts.dim) / (2 * facts.n * facts.penalty.strong_convexity)
        apart = 2 * (plan.radius + off_grid) + noise.step * math.sqrt(facts.dim)
        if noise.law is Law.GAUSSIAN:
            slack = gaussian_on_grid(facts.dim).epsilon
            assert delta_gaussian(blur.epsilon - slack, apart / noise.scale) <= blur.delta
        else:
            assert apart / noise.scale <= blur.epsilon * (1 + 1e-12)
            told += apart / noise.scale >= 0.9 * blur.epsilon
    assert told, "somewhere the solver's error must be what the noise is for"


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("features", [1, 5, 300])
def test_noise_in_the_objectives_coefficients_covers_their_rounding(features: int, epsilon: float) -> None:
    """One step in every number, beside what a record moves: Laplace noise sees them all added up."""
    for adjacency in Adjacency:
        facts = Facts(Squared(), L2(0.2), Bounds(1.0, 0.5, coef_norm=1.5), 60, features, adjacency)
        plan = MECHANISMS["functional"].plan(facts, Budget(epsilon))
        moved = sensitivity.of_quadratic(facts) + plan.noise.step * plan.noise.dim
        assert plan.noise.dim == features * (features + 3) // 2
        assert moved / plan.noise.scale <= epsilon
