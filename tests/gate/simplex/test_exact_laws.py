"""What is drawn, exactly: the sampler's law, its ε by enumeration, and that of whole horizons of decisions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare
from tests.lists.corner_attacks import REACH, evenly, facts_for, farthest

import equipoise as eq
from equipoise.audit.exact.audits import exact_discrete
from equipoise.audit.exact.corner_laws import corner_weights, counts_law, decisions_law, mixed_with_uniform
from equipoise.gate.noise import SeededBits
from equipoise.gate.noise.weights import draw_by_weights, whole_weights
from equipoise.theory.losses import Logistic, Squared
from equipoise.theory.simplex.draws import MIXED, weights_error
from equipoise.theory.simplex.plans import SamplePlan
from equipoise.theory.simplex.rounds import RoundsPlan

Array = npt.NDArray[np.float64]
FALSE_ALARM = 1e-6
ROWS = 8


@pytest.mark.parametrize("spread", [0.0, 1.0, 50.0, 3000.0])
def test_whole_weights_are_within_the_stated_error_of_the_mixed_law(spread: float) -> None:
    logs = np.random.default_rng(0).uniform(-spread, spread, 1000) if spread else np.zeros(1000)
    weights = [int(weight) for weight in whole_weights(logs)]
    top = max(logs)
    shares = [math.exp(log - top) for log in logs]
    total, sum_of_shares = sum(weights), math.fsum(shares)
    ideal = [(1 - MIXED) * share / sum_of_shares + MIXED / 1000 for share in shares]
    gaps = [abs(math.log(weight / total) - math.log(law)) for weight, law in zip(weights, ideal, strict=True)]
    assert max(gaps) <= weights_error(1000, 2 * spread)
    assert min(weights) >= 1
    assert total < 2**63


def test_draws_follow_their_weights() -> None:
    """Chi-square over five places; false alarm one in a million."""
    shares = np.array([0.01, 0.02, 0.03, 0.1, 0.84])
    weights = whole_weights(np.log(shares))
    drawn = draw_by_weights(weights, 20_000, SeededBits(0))
    assert np.all(np.diff(drawn) >= 0), "sorted: the order of draws says nothing"
    counts = np.bincount(drawn, minlength=5)
    assert chisquare(counts, 20_000 * mixed_with_uniform(shares, MIXED)).pvalue > FALSE_ALARM


def plan_of(epsilon: float, delta: float, n: int, kappa: float, corners: int) -> SamplePlan:
    """For the tables of `corner_attacks`."""
    alpha = facts_for(Logistic(), kappa, n, corners).penalty.strong_convexity
    shape: dict[str, Any] = {"signed": corners == 2, "fit_intercept": False, "coef_norm": REACH, "alpha": alpha}
    found = eq.SimplexClassifier(epsilon, delta, mechanism="sample", **shape).plan(n, 1 if corners == 2 else corners)
    assert isinstance(found, SamplePlan)
    assert found.corners.count == corners
    return found


def shown(plan: SamplePlan, pair: tuple[Array, Array], more: int = 0, mixed: float = MIXED) -> float:
    """The exact ε of the counts that are released, or of some draws more."""
    laws = [counts_law(mixed_with_uniform(weights, mixed), plan.draws.count + more) for weights in pair]
    return exact_discrete(laws[0], laws[1], plan.budget.delta)


def test_pure_draws_use_most_of_epsilon_at_the_worst_tables_and_one_more_is_too_many() -> None:
    """The weight under attack is tiny, so the uniform part of the law hides it: here it is left out."""
    plan = plan_of(1.0, 0.0, 80_000, 30.0, 3)
    pair = farthest(plan.facts, 30.0)
    assert plan.draws.count >= 4
    assert 0.7 < shown(plan, pair, mixed=0.0) <= 1.0
    assert shown(plan, pair, more=2, mixed=0.0) > 1.0
    assert shown(plan, pair) < 0.2


def test_draws_with_delta_use_most_of_epsilon_at_the_worst_tables() -> None:
    """Two corners of equal weight: the two-point pair that dominates."""
    for epsilon, delta, n in ((1.0, 1e-3, 20), (3.0, 1e-2, 8)):
        plan = plan_of(epsilon, delta, n, 0.01, 2)
        assert 2 <= plan.draws.count <= 2000
        assert 0.8 * epsilon < shown(plan, evenly(plan.facts)) <= epsilon


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_no_pair_of_small_tables_exceeds_the_promise(delta: float) -> None:
    """Rows at ±1 and one record turned round, with its label or without, squared and logistic loss."""
    made: list[tuple[Any, dict[str, Any]]] = [
        (eq.SimplexRegressor, {"label_bounds": (-1, 1)}),
        (eq.SimplexClassifier, {}),
    ]
    for kind, more in made:
        model = kind(2.0, delta, mechanism="sample", signed=True, fit_intercept=False, coef_norm=1.0, alpha=1.5, **more)
        plan, worst = model.plan(ROWS, 1), 0.0
        for ones, flips in itertools.product(range(ROWS), ((-1, 1), (1, -1), (-1, -1))):
            rows, labels = np.where(np.arange(ROWS) <= ones, 1.0, -1.0), np.ones(ROWS)
            other, told = rows.copy(), labels.copy()
            other[0], told[0] = flips[0] * rows[0], flips[1]
            sides = [(np.column_stack([x, -x]), y) for x, y in ((rows, labels), (other, told))]
            pair = [corner_weights(*side, plan.facts.loss, 1.5) for side in sides]
            worst = max(worst, shown(plan, (pair[0], pair[1])))
        assert 0.2 < worst <= 2.0


def rounds(epsilon: float, delta: float, experts: int, horizon: int) -> RoundsPlan:
    return eq.SimplexFTRL(epsilon, delta, experts=experts, horizon=horizon).plan()


@pytest.mark.parametrize(("experts", "horizon", "delta"), [(2, 8, 0.0), (2, 8, 1e-3), (3, 5, 0.0), (3, 5, 1e-2)])
def test_a_horizons_exact_privacy_loss_keeps_the_promise(experts: int, horizon: int, delta: float) -> None:
    """All sequences of decisions, the first cost vector turned round; costs at their bounds, helping or hurting it."""
    plan, worst = rounds(1.0, delta, experts, horizon), 0.0
    for rest in (-1.0, 0.0, 1.0):
        costs = np.full((horizon, experts), 0.0)
        costs[1:, 0] = rest
        one, two = costs.copy(), costs.copy()
        one[0, 0], one[0, 1:] = 1.0, -1.0
        two[0] = -one[0]
        laws = [decisions_law(table, plan.smoothing, MIXED) for table in (one, two)]
        worst = max(worst, exact_discrete(laws[0], laws[1], delta))
    assert 0.4 < worst <= 1.0


def test_pure_rounds_are_nearly_attained() -> None:
    """An expert that hardly anybody would choose any more: each round shows nearly all of its range."""
    plan, costs = rounds(50.0, 0.0, 2, 14), np.tile([1.0, -1.0], (14, 1))
    other = costs.copy()
    other[0] *= -1
    shown = exact_discrete(decisions_law(costs, plan.smoothing, 0.0), decisions_law(other, plan.smoothing, 0.0))
    assert 0.8 < shown / (plan.eta * plan.paid_draws) <= 1


def test_an_adversary_who_answers_decisions_gains_no_more_than_was_paid() -> None:
    """Costs that depend on the decisions so far: every strategy of a family, by the tree of all decisions."""
    plan = rounds(1.0, 0.0, 2, 6)

    def law(first: Array, helps: bool) -> Array:
        probabilities = []
        for path in itertools.product(range(2), repeat=6):
            total, chance = np.zeros(2), 1.0
            for place, chosen in enumerate(path):
                weights = np.exp(-total / plan.smoothing)
                chance *= mixed_with_uniform(weights / weights.sum(), MIXED)[chosen]
                answer = np.where(np.arange(2) == chosen, -1.0, 1.0) * (1 if helps else -1)
                total = total + (first if place == 0 else answer)
            probabilities.append(chance)
        return np.array(probabilities)

    turned = [
        exact_discrete(law(np.array([1.0, -1.0]), helps), law(np.array([-1.0, 1.0]), helps)) for helps in (True, False)
    ]
    assert 0.5 < max(turned) <= 1.0


def test_the_auditors_laws_add_up_and_refuse_what_is_too_large() -> None:
    assert math.fsum(counts_law([0.2, 0.3, 0.5], 4).tolist()) == pytest.approx(1)
    assert len(counts_law([0.2, 0.3, 0.5], 4)) == 15
    assert math.fsum(decisions_law(np.ones((4, 3)), 1.0).tolist()) == pytest.approx(1)
    with pytest.raises(eq.InvalidInput, match="enumerate"):
        counts_law(np.full(50, 0.02), 50)
    with pytest.raises(eq.InvalidInput, match="enumerate"):
        decisions_law(np.ones((30, 3)), 1.0)
    flat = corner_weights(np.zeros((3, 4)), np.ones(3), Squared(), 1.0)
    np.testing.assert_allclose(flat, 0.25)
