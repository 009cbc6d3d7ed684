"""Scores that move little, and the constants of tuning: attained, never passed, and what has none is refused."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import InvalidInput, MechanismRefused
from equipoise.gate import MECHANISMS
from equipoise.theory import sensitivity
from equipoise.theory.accounting import total_spent
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import GaussianRelease, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic, Softmax
from equipoise.theory.plan import Facts, Plan
from equipoise.theory.regularisers import L2
from equipoise.theory.tuning import stability as tuning
from equipoise.theory.tuning.scores import (
    CLASSIFIERS,
    REGRESSION,
    Score,
    clipped_hinge,
    clipped_huber,
    clipped_logistic,
    clipped_squared,
    margins,
    ramp,
    score_named,
)

Array = npt.NDArray[np.float64]

ALL = [*CLASSIFIERS.values(), *REGRESSION.values(), ramp(0.2), clipped_hinge(1.5), clipped_logistic(6.0)]
ALL += [clipped_squared(4.0), clipped_huber(0.5, 0.5)]


def values(score: Score, where: Array) -> Array:
    """Two classes with the label 1, or residuals against the label 0."""
    labels = np.zeros_like(where) if score.on == "residual" else np.ones_like(where)
    return score.losses(where, labels, 2)


@pytest.mark.parametrize("score", ALL, ids=lambda score: f"{score.name} {score.cap:.3g}")
def test_a_score_is_as_steep_and_as_wide_as_it_says_and_no_more(score: Score) -> None:
    where = np.linspace(-40, 40, 2**18 + 1)
    each = values(score, where)
    steepest = float(np.max(np.abs(np.diff(each))) / (where[1] - where[0]))
    assert 0.999 * score.lipschitz <= steepest <= score.lipschitz * (1 + 1e-9)
    assert 0 <= each.min() <= 1e-12 + 0.001 * score.cap
    assert 0.999 * score.cap <= each.max() <= score.cap * (1 + 1e-12)


def test_the_margin_of_several_classes_moves_root_two_as_far_as_the_scores_and_no_farther() -> None:
    rng = np.random.default_rng(0)
    farthest = 0.0
    for classes in (3, 5):
        basis_scores = rng.normal(size=(20_000, classes - 1))
        moved = basis_scores + 1e-4 * rng.normal(size=basis_scores.shape)
        labels = rng.integers(classes, size=20_000).astype(float)
        change = np.abs(margins(moved, labels, classes) - margins(basis_scores, labels, classes))
        farthest = max(farthest, float(np.max(change / np.linalg.norm(moved - basis_scores, axis=1))))
    assert 0.98 * math.sqrt(2) <= farthest <= math.sqrt(2) * (1 + 1e-9)
    assert ramp().slope(3) == pytest.approx(math.sqrt(2) / 2)
    assert ramp().slope(2) == 0.5 * (1 + 1e-15)


def test_a_margin_is_positive_exactly_where_the_answer_is_right() -> None:
    scores = np.random.default_rng(1).normal(size=(500, 3))
    labels = np.random.default_rng(2).integers(4, size=500).astype(float)
    right = Softmax(4).logits(scores).argmax(axis=1) == labels
    assert np.array_equal(margins(scores, labels, 4) > 0, right)
    assert margins(np.array([2.0, -3.0]), np.array([1.0, -1.0]), 2).tolist() == [2.0, 3.0]


def test_a_strangers_score_sees_logits_and_labels() -> None:
    gap = Score("gap", lambda logits, labels: np.abs(logits[:, 0] - labels), 1.0, 2.0, on="scores")
    scores = np.random.default_rng(1).normal(size=(5, 2))
    assert gap.losses(scores, np.zeros(5), 3) == pytest.approx(np.abs(Softmax(3).logits(scores)[:, 0]))
    assert gap.slope(3) == 1.0
    assert score_named(gap, regression=True) is gap


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "roc_auc_ovr", "f1_macro", "balanced_accuracy"])
def test_scores_that_jump_are_refused_and_the_alternatives_named(name: str) -> None:
    with pytest.raises(MechanismRefused, match=r'jumps.*"ramp", "hinge", "logistic"'):
        score_named(name, regression=False)


def test_endless_unknown_bare_and_misplaced_scores_are_refused() -> None:
    with pytest.raises(MechanismRefused, match=r'without limit.*"squared"'):
        score_named("neg_mean_squared_error", regression=True)
    with pytest.raises(MechanismRefused, match="states no stability"):
        score_named(lambda scores, labels: scores, regression=False)
    with pytest.raises(InvalidInput, match="must be one of"):
        score_named("squared", regression=False)
    with pytest.raises(InvalidInput, match="does not fit"):
        score_named(ramp(), regression=True)
    for wrong in ({"lipschitz": 0.0}, {"cap": math.inf}, {"on": "rows"}, {"function": None}):
        given: dict[str, Any] = {"name": "mine", "function": np.abs, "lipschitz": 1.0, "cap": 1.0} | wrong
        with pytest.raises(InvalidInput):
            Score(**given)


# --- how far scores move ----------------------------------------------------------------------------------------------


def test_a_graded_score_moves_by_one_at_most_and_nearly_that() -> None:
    rng, farthest = np.random.default_rng(3), 0.0
    for _ in range(400):
        betas = np.exp(rng.normal(size=4) * 2)
        scores, weights = rng.normal(size=4) * betas.max(), -rng.exponential(size=4)
        for signs in itertools.product((-1.0, 1.0), repeat=4):
            moved = tuning.graded_scores(scores + betas * signs, betas, weights, 0.7)
            farthest = max(farthest, float(np.abs(moved - tuning.graded_scores(scores, betas, weights, 0.7)).max()))
    assert 0.999 <= farthest <= tuning.GRADED_MOVE


def test_beta_is_the_larger_of_training_and_validation_and_rounded_up() -> None:
    beta = tuning.beta_of_mean(0.5, 1.0, 2.0, 0.01, 1e-10, 40)
    assert beta.training == pytest.approx(0.5 * 2.0 * 0.01, rel=1e-6)
    assert beta.training > 0.01
    assert beta.validation == pytest.approx(1 / 40)
    assert beta.most == beta.validation
    assert replace(beta, training=1.0).most == 1.0


def test_the_loss_of_a_choice_is_the_theorems() -> None:
    assert tuning.expected_loss(0.01, 10, 0.5, 0.1) == pytest.approx(2 * 0.01 * (math.log(10) + math.log(10)) / 0.5)
    assert tuning.expected_loss(0.01, 1, 0.5) == 0.0


def test_predicted_risk_gives_a_head_start_that_rules_nobody_out() -> None:
    weights = tuning.log_weights([0.5, 0.48, 1e9])
    assert weights[1] == 0.0
    assert weights[0] == pytest.approx(-0.02 / tuning.DOUBT)
    assert weights[2] == tuning.FAINTEST
    assert tuning.usual_scale([1.0, 3.0], [0.0, 0.0], graded=True) == pytest.approx(4.0)
    assert tuning.usual_scale([1.0, 3.0], [0.0, 0.0], graded=False) == 3.0
    assert tuning.usual_scale([1.0, 3.0], None, graded=True) == 3.0
    assert tuning.promise([0.3, 0.2], 1e-9, 1.0) == pytest.approx(0.2)
    assert tuning.promise([0.3, 0.2], 1e9, 1.0) == pytest.approx(0.2 + tuning.DOUBT)


def facts(loss: Logistic | None = None) -> Facts:
    return Facts(loss or Logistic(), L2(0.1), Bounds(1.0), 500, 3)


def test_the_tilted_minimiser_is_given_the_ball_and_not_the_norm_of_untilted_ones() -> None:
    assert sensitivity.of_tilted_minimiser(facts()) == pytest.approx(2 / (0.1 * 500))
    within = replace(facts(), bounds=Bounds(1.0, coef_norm=1.0))
    assert sensitivity.of_tilted_minimiser(within) < 0.8 * sensitivity.of_tilted_minimiser(facts())


def planned(mechanism: str, budget: Budget) -> Plan:
    made: Plan = MECHANISMS[mechanism].plan(facts(), budget)
    return made


@pytest.mark.parametrize("mechanism", ["output", "objective"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("choosing", [0.1, 0.9])
def test_the_fit_and_the_choice_stay_within_the_budget_together(mechanism: str, delta: float, choosing: float) -> None:
    whole = Budget(1.0, delta)
    plan = tuning.plan_within(lambda budget: planned(mechanism, budget), whole, choosing)
    assert total_spent([PureRelease(choosing), plan.event], delta).epsilon <= 1.0
    assert plan.budget.epsilon >= (1.0 - choosing) * (1 - 1e-12)
    if isinstance(plan.event, GaussianRelease):
        assert plan.budget.epsilon > 1.01 * (1.0 - choosing), "joint accounting should leave more than what is left"
        more = replace(plan.event, mu=plan.event.mu * 1.0001)
        assert total_spent([PureRelease(choosing), more], delta).epsilon > 1.0, "and nearly all there is"


def test_a_choice_that_takes_everything_is_refused() -> None:
    with pytest.raises(MechanismRefused, match="share"):
        tuning.plan_within(lambda budget: planned("output", budget), Budget(1.0), 1.0)
