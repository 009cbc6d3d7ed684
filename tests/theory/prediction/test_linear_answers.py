"""One replaced record moves no answer by more than γ(x), and structured pairs come close to it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.errors import BoundsRequired, MechanismRefused
from equipoise.inside.answers.sgd import _average
from equipoise.inside.design import design_from
from equipoise.inside.objective import Objective
from equipoise.inside.records import Records
from equipoise.inside.solvers import solve
from equipoise.theory.bounds import Bounds
from equipoise.theory.losses import Absolute, Hinge, Huber, Logistic, Loss, SmoothedHinge, Squared
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import linear_answers as answers
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
Record = tuple[Array, float]
ALPHA = 0.1


def facts_for(loss: Loss, n: int, features: int, ball: float = math.inf) -> Facts:
    return Facts(loss, L2(ALPHA), Bounds(1.0, coef_norm=ball), n, features)


def joined(rows: Array, labels: Array, extra: Record, *, first: bool) -> Records:
    """The common rows with one more, in front or at the end."""
    place = 0 if first else len(rows)
    return Records(design_from(np.insert(rows, place, extra[0], axis=0), 1.0, 0.0), np.insert(labels, place, extra[1]))


def minimiser(loss: Loss, records: Records) -> Array:
    facts = facts_for(loss, records.design.rows, records.design.columns)
    radius = 1e-3 * answers.of_minimiser(facts, 0.0).exact
    return np.asarray(solve(Objective(loss.stand_in(), facts.penalty, records, facts.n), radius).point)


def stable_share(loss: Loss, rows: Array, labels: Array, left: Record, right: Record) -> float:
    """Part of γ that the most telling query, along the change itself, sees of this pair."""
    moved = minimiser(loss, joined(rows, labels, left, first=False))
    moved = moved - minimiser(loss, joined(rows, labels, right, first=False))
    return float(np.linalg.norm(moved)) / answers.of_minimiser(facts_for(loss, len(rows) + 1, rows.shape[1]), 0.0).exact


def one_pass_share(facts: Facts, step: float, rows: Array, labels: Array, pair: tuple[Record, Record]) -> float:
    found = [_average(joined(rows, labels, end, first=True), facts.loss, step, facts.ball) for end in pair]
    return float(np.linalg.norm(found[0] - found[1])) / answers.of_one_pass(facts, step).exact


def opposite(label: float = 1.0) -> tuple[Record, Record]:
    row = np.array([1.0, 0.0])
    return (row, label), (row, -label)


@pytest.mark.parametrize("loss", [Hinge(), Absolute(), Huber(0.5)], ids=lambda loss: loss.name)
def test_a_record_beside_zeros_reaches_the_stability_of_the_minimiser(loss: Loss) -> None:
    labels = np.zeros(39) if loss.name != "hinge" else np.ones(39)
    assert 0.99 <= stable_share(loss, np.zeros((39, 2)), labels, *opposite()) <= 1 + 2e-3


def test_mirrored_records_reach_the_stability_of_least_squares() -> None:
    reach = 1 / math.sqrt(2 * ALPHA)
    side = 2 * reach / (1 + math.sqrt(1 + 8 * reach * reach))
    rows = np.tile([min(1.0, 0.5 / reach), 0.0], (7999, 1))
    across = math.sqrt(1 - side * side)
    pair = (np.array([side, across]), -1.0), (np.array([side, -across]), -1.0)
    assert 0.9 <= stable_share(Squared(), rows, np.ones(7999), *pair) <= 1 + 2e-3


@pytest.mark.parametrize("loss", [Logistic(), Hinge(), Squared(), Huber(0.4), Absolute()], ids=lambda loss: loss.name)
def test_no_random_replacement_passes_the_stability_of_the_minimiser(loss: Loss) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((int(rng.integers(2, 30)), 3)) * rng.choice([0.0, 0.2, 3.0])
        labels = np.sign(rng.standard_normal(len(rows) + 2))
        ends = rng.standard_normal((2, 3))
        ends[1] = -ends[0] if rng.random() < 0.5 else ends[1]
        pair = (ends[0], float(labels[-1])), (ends[1], float(labels[-2]))
        assert stable_share(loss, rows, labels[:-2], *pair) <= 1 + 2e-3


ONE_PASS = [SmoothedHinge(1.0), Huber(0.1), Huber(1.0)]


@pytest.mark.parametrize("loss", ONE_PASS, ids=repr)
def test_the_first_record_reaches_the_stability_of_one_pass(loss: Loss) -> None:
    """Beside zeros nothing pulls the two runs together again."""
    facts = facts_for(loss, 50, 2, ball=1.0)
    labels = np.ones(49)
    assert 0.99 <= one_pass_share(facts, 0.01, np.zeros((49, 2)), labels, opposite()) <= 1


def test_half_the_stability_as_printed_for_one_pass_is_exceeded() -> None:
    """Theorem 4.12 averages over positions; R·L/√n is half of what the first record can do."""
    n, ball = 400, 1.0
    facts = facts_for(Huber(0.1), n, 2, ball=ball)
    step = ball / (0.1 * math.sqrt(n))
    printed = ball / math.sqrt(n)
    rows, labels = np.zeros((n - 1, 2)), np.ones(n - 1)
    seen = one_pass_share(facts, step, rows, labels, opposite()) * answers.of_one_pass(facts, step).exact
    assert seen > 1.9 * printed


@pytest.mark.parametrize("loss", [Logistic(), SmoothedHinge(0.5), Squared(), Huber(0.3)], ids=lambda loss: loss.name)
def test_no_random_replacement_passes_the_stability_of_one_pass(loss: Loss) -> None:
    """At the longest step too, in any place, with a ball that is often hit."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 25))
        facts = facts_for(loss, n, 3, ball=float(rng.choice([0.2, 1.0, 5.0])))
        step = answers.longest_step(facts) * float(rng.choice([0.01, 0.3, 1.0]))
        rows = rng.standard_normal((n, 3)) * rng.choice([0.2, 3.0])
        labels = np.sign(rng.standard_normal(n))
        other_rows, other_labels = rows.copy(), labels.copy()
        place = int(rng.integers(n))
        other_rows[place], other_labels[place] = -rows[place] * rng.choice([0.0, 1.0]), -labels[place]
        left = _average(Records(design_from(rows, 1.0, 0.0), labels), loss, step, facts.ball)
        right = _average(Records(design_from(other_rows, 1.0, 0.0), other_labels), loss, step, facts.ball)
        assert np.linalg.norm(left - right) <= answers.of_one_pass(facts, step).per_norm * (1 + 1e-12)


def test_steps_beyond_two_over_the_curvature_can_drive_points_apart_and_are_refused() -> None:
    facts = facts_for(Squared(), 30, 1, ball=1.0)
    longest = answers.longest_step(facts)
    assert longest == pytest.approx(1.0)
    with pytest.raises(MechanismRefused, match=r"step_size=1\.1: must be at most"):
        answers.of_one_pass(facts, 1.1)
    rows = np.ones((30, 1))
    start = 1e-3

    def after(w: float) -> float:
        for _ in rows:
            w = w - 1.1 * 2 * w  # the squared loss with label 0
        return w

    assert abs(after(start)) > 10 * start


def test_one_pass_needs_a_ball_and_a_smooth_loss() -> None:
    with pytest.raises(BoundsRequired, match="coef_norm"):
        answers.of_one_pass(facts_for(Logistic(), 10, 2), 0.1)
    with pytest.raises(MechanismRefused, match="hinge"):
        answers.of_one_pass(facts_for(Hinge(), 10, 2, ball=1.0), 0.1)


def test_an_approximate_minimiser_costs_twice_its_radius() -> None:
    facts = facts_for(Logistic(), 100, 3)
    exact, rough = answers.of_minimiser(facts, 0.0), answers.of_minimiser(facts, 0.01)
    assert rough.per_norm == pytest.approx(exact.per_norm + 0.02)
    assert rough.exact == exact.exact
    assert rough.coef_norm > exact.coef_norm


def test_rounding_is_counted_and_small() -> None:
    stability = answers.of_minimiser(facts_for(Logistic(), 10**6, 100), 0.0)
    assert 1 < stability.unit_sensitivity(101) < 1 + 1e-6


def test_the_corollarys_ridge_balances_bias_and_stability() -> None:
    """λR² + (L²/(λn))(1 + 1/ε) with λ = α/2 is least at the formula's α."""
    facts = replace(facts_for(Hinge(), 1000, 5), penalty=L2(1.0))
    epsilon, radius = 0.5, 2.0
    best = answers.alpha_by_corollary(facts, radius, epsilon)

    def bound(alpha: float) -> float:
        return alpha / 2 * radius**2 + (1 + 1 / epsilon) / (alpha / 2 * facts.n)

    assert bound(best) <= min(bound(best * 0.9), bound(best * 1.1))
    assert best == pytest.approx(2 / radius * math.sqrt((1 + epsilon) / (facts.n * epsilon)))
