"""Contenders of the standing comparison: reference implementations spend what they may, and learn."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.utility import metrics, problems
from benchmarks.utility.contenders import CONTENDERS, dp_sgd, glm, noisy_gradient, objective
from benchmarks.utility.contenders.contract import DELTA, Task
from benchmarks.utility.problem import Problem, split
from scipy import special

ABROAD = ("diffprivlib", "DP-EBM")
"""They live in environments of their own, which no test builds."""


def hockey_stick(mu: float, epsilon: float) -> float:
    left = special.ndtr(mu / 2 - epsilon / mu)
    return float(left - np.exp(epsilon) * special.ndtr(-mu / 2 - epsilon / mu))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_gaussian_noise_spends_delta_and_no_more(epsilon: float) -> None:
    mu = glm.gaussian_mu(epsilon, DELTA)
    assert hockey_stick(mu, epsilon) == pytest.approx(DELTA, rel=1e-6)


def test_dp_sgd_on_all_rows_costs_what_gaussian_noise_costs() -> None:
    """With q = 1 a replaced row moves the mean by two clips, exactly; losses are rounded up."""
    steps, noise = 16, 30.0
    exact = hockey_stick(2 * np.sqrt(steps) / noise, 1.0)
    assert exact <= dp_sgd.spent(1.0, steps, noise, 1.0) <= 1.2 * exact


def test_dp_sgd_with_smaller_batches_costs_less() -> None:
    costs = [dp_sgd.spent(rate, 16, 30.0, 0.3) for rate in (0.1, 0.5, 1.0)]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_tight_objective_perturbation_stays_within_its_budget(epsilon: float) -> None:
    for ridge, noise in (objective.their_ridge(epsilon, DELTA), objective.rule(epsilon, DELTA, 20, 1.0)):
        assert ridge > objective.BEND
        assert objective.spent(noise, ridge, epsilon) <= DELTA * (1 + 1e-6)
        assert objective.spent(0.98 * noise, ridge, epsilon) > DELTA


def test_clipped_gradients_are_those_of_rows_one_by_one() -> None:
    draw = np.random.default_rng(0)
    X, slopes = draw.standard_normal((50, 4)), draw.standard_normal((50, 3))
    each = np.einsum("ij,ik->ijk", X, slopes)
    norms = np.linalg.norm(each.reshape(50, -1), axis=1)
    slow = np.sum(each * np.minimum(1, 0.7 / norms)[:, None, None], axis=0)
    assert noisy_gradient.clipped_sum(X, slopes, np.linalg.norm(X, axis=1), 0.7) == pytest.approx(slow)


@pytest.mark.parametrize("name", ["sim-small", "sim-number-small"])
def test_every_contender_here_beats_the_constant_where_privacy_is_cheap(name: str) -> None:
    """At ε = 100; one split, hence a wide margin: two standard deviations of the constant's score, 0.05."""
    problem = problems.load(name)
    parts = split(problem, 0)
    task = Task(problem, parts, 100.0, DELTA, 0)
    scores = {}
    for contender in CONTENDERS.values():
        if contender.applies(problem) and contender.name not in ABROAD:
            answers = [contender.fit(task, setting).values for setting in contender.settings]
            found = [metrics.judge(values, parts.y_test, problem)[metrics.primary(problem.task)] for values in answers]
            scores[contender.name] = max(found)
    level = scores.pop("constant")
    assert {contender for contender, score in scores.items() if score < level - 0.05} == set()
    assert scores["not private"] > level + 0.05


def test_probabilities_are_judged_as_scikit_learn_does() -> None:
    from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

    y, chance = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.7, 0.4, 0.6, 0.9])
    problem = Problem("p", np.zeros((5, 1)), y)
    found = metrics.judge(np.column_stack([1 - chance, chance]), y, problem)
    assert found["log_loss"] == pytest.approx(log_loss(y, chance))
    assert found["brier"] == pytest.approx(brier_score_loss(y, chance))
    assert found["auc"] == pytest.approx(roc_auc_score(y, chance))
    assert found["accuracy"] == 0.6


def test_answers_that_are_no_numbers_are_no_result() -> None:
    problem = Problem("p", np.zeros((2, 1)), np.zeros(2), label_bounds=(-1.0, 1.0))
    with pytest.raises(FloatingPointError):
        metrics.judge(np.array([0.0, np.nan]), problem.y, problem)
