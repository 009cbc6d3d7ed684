"""What "auto" chooses: from public facts, for every size of table, and better the more there is to go on."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS, choose
from equipoise.gate.models import noisy_gradients
from equipoise.gate.models.choose import passes, work
from equipoise.theory import family
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Logistic, Loss, Softmax, Squared
from equipoise.theory.plan import Facts, Plan, StatisticsPlan
from equipoise.theory.regularisers import L2

TASKS = [Logistic(), Softmax(4), Squared()]


def facts_of(loss: Loss, n: int, features: int = 9) -> Facts:
    return Facts(loss, L2(1.0), Bounds(1.0, 0.5, label_range=(-1.0, 1.0)), n, features)


def figure(plan: Plan) -> float:
    return MECHANISMS[plan.mechanism].predict_risk(plan)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("loss", TASKS, ids=repr)
def test_more_epsilon_and_more_rows_lower_the_predicted_risk(loss: Loss, delta: float) -> None:
    """Up to 3 %, what searching from coarse to fine may miss."""
    by_epsilon = [figure(choose(facts_of(loss, 2000), Budget(e, delta), "auto", None)) for e in (0.05, 0.5, 5.0, 23.0)]
    by_rows = [figure(choose(facts_of(loss, n), Budget(0.5, delta), "auto", None)) for n in (50, 1000, 20_000, 10**6)]
    for figures in (by_epsilon, by_rows):
        assert all(later < 1.03 * earlier for earlier, later in pairwise(figures))
        assert figures[-1] < figures[0] / 5


@pytest.mark.parametrize("loss", TASKS, ids=repr)
def test_no_ball_is_put_around_coefficients_that_nobody_bounded(loss: Loss) -> None:
    for budget in (Budget(0.1), Budget(3.0), Budget(0.1, 1e-6), Budget(3.0, 1e-6)):
        plan = choose(facts_of(loss, 5000), budget, "auto", None)
        assert math.isinf(plan.facts.bounds.coef_norm)


def test_a_ball_that_a_named_mechanism_needs_grows_with_what_records_and_epsilon_tell() -> None:
    balls = []
    for n, epsilon in ((1000, 0.1), (1000, 1.0), (10**5, 1.0), (10**5, 20.0)):
        plan = choose(facts_of(Squared(), n), Budget(epsilon, 1e-6), "noisy-gradient", None)
        balls.append(plan.facts.bounds.coef_norm)
        assert any("coef_norm" in note for note in plan.notes)
    assert balls[0] == balls[1] == 1.5
    assert balls[1] < balls[2] < balls[3]
    assert balls[3] < 2e6 ** (1 / 2)


def test_many_records_are_gone_over_a_few_times() -> None:
    """A plan of 256 noisy gradients is as good as none where a minimiser with noise in its objective does as well."""
    for epsilon in (0.1, 1.0, 10.0):
        plan = choose(facts_of(Logistic(), 10**6, 101), Budget(epsilon, 1e-6), "auto", None)
        assert passes(plan) <= 20
    facts, budget = facts_of(Logistic(), 265_000, 9), Budget(0.1, 1e-6)
    steps, minimiser = (choose(facts, budget, name, None) for name in ("auto", "objective"))
    assert passes(steps) <= 2 * passes(minimiser)  # in a metric
    assert passes(choose(facts_of(Logistic(), 2000), Budget(0.1, 1e-6), "noisy-gradient", None)) <= 32


@pytest.mark.parametrize(("features", "epsilon"), [(10**6, 0.5), (2 * 10**7, 0.3)])
def test_noise_for_millions_of_columns_is_drawn_a_few_times_where_that_is_as_good(
    features: int, epsilon: float
) -> None:
    """Eight or twelve noisy gradients are fewer passes than a solve, but four or six times the noise."""
    facts, budget = facts_of(Logistic(), 10_000, features), Budget(epsilon, 1e-6)
    plan, steps = (choose(facts, budget, name, None) for name in ("auto", "noisy-gradient"))
    assert passes(steps) < passes(plan)
    assert work(plan) < work(steps)
    assert figure(plan) <= family.tied(plan.facts) * figure(steps)


def test_in_ordinary_tables_passes_alone_are_counted() -> None:
    for name in ("objective", "noisy-gradient"):
        plan = choose(facts_of(Logistic(), 10_000, 60_000), Budget(0.5, 1e-6), name, None)
        assert work(plan) == passes(plan)


@pytest.mark.parametrize("n", [500, 20_000, 10**6])
def test_fewer_passes_are_taken_only_where_the_figure_is_as_good(n: int) -> None:
    facts, budget = facts_of(Logistic(), n), Budget(1.0, 1e-6)
    noise_at = noisy_gradients._noise_by_norm(facts)
    best = min(noisy_gradients._best_with(steps, facts, budget, noise_at)[0] for steps in noisy_gradients.STEPS)
    assert figure(noisy_gradients.plan(facts, budget)) <= family.tied(facts) * best


def test_clipping_of_residuals_gives_way_as_records_and_epsilon_grow() -> None:
    thresholds = []
    for n in (1000, 10**5, 10**8):
        plan = choose(facts_of(Squared(), n), Budget(3.0, 1e-6), "auto", None)
        loss = plan.facts.loss
        thresholds.append(loss.threshold if isinstance(loss, Huber) else math.inf)
        assert not isinstance(plan, StatisticsPlan)  # which collapses where rows hardly vary beside their length
    assert thresholds == sorted(thresholds)
    assert thresholds[0] < 1 < thresholds[-1]


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_any_number_of_columns_has_a_plan(delta: float) -> None:
    wide = 2**20 + 5
    for model in (eq.LogisticRegression(1.0, delta), eq.LinearRegression(1.0, delta, label_bounds=(-1, 1))):
        assert model.plan(10_000, wide).facts.dim == wide + 1
    if delta == 0:
        with pytest.raises(MechanismRefused, match=r"2\*\*20"):
            eq.LogisticRegression(1.0, mechanism="objective").plan(10_000, wide)


def test_a_named_mechanism_keeps_the_plain_loss_and_auto_says_what_stands_in() -> None:
    named = eq.LogisticRegression(0.3, 1e-6, mechanism="noisy-gradient").plan(20_000, 100)
    assert named.facts.loss == Logistic()
    chosen = eq.LogisticRegression(0.3, 1e-6).plan(20_000, 100)
    assert chosen.facts.loss.name == "capped-logistic"
    assert any("stands in" in note for note in chosen.notes)
    kept = eq.LogisticRegression(0.3, 1e-6, slope_cap=1.0).plan(20_000, 100)
    assert kept.facts.loss == Logistic()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("loss", TASKS, ids=repr)
def test_every_adjacency_and_a_centre_have_plans(loss: Loss, adjacency: Adjacency) -> None:
    facts = replace(facts_of(loss, 500), adjacency=adjacency)
    centred = replace(facts, penalty=L2(1.0, tuple(np.full(facts.dim, 0.05))))
    for given in (facts, centred):
        for budget in (Budget(0.2), Budget(0.2, 1e-6)):
            plan = choose(given, budget, "auto", None)
            assert plan.facts.penalty.centre == given.penalty.centre
            assert plan.budget == budget
