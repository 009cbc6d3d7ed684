"""The shorter constant column of several classes: rows have it, noise is made for it, and when it is taken."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.audit.subjects import several_classes
from equipoise.estimators.search import candidates, choice
from equipoise.gate.models import noisy_gradients, short_constant
from equipoise.gate.models.choose import choose
from equipoise.inside import Private, Records, enter, evened_gradient
from equipoise.inside.design import rows_of
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, Huber, Loss, Softmax
from equipoise.theory.plan import Facts, GradientPlan, Plan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
N, WIDTH, BUDGET = 600, 4, Budget(1.0, 1e-3)
CLASSES = (0, 1, 2)
BOUNDS = Bounds(1.0, 0.5, classes=CLASSES)


def planned(bounds: Bounds = BOUNDS, n: int = N, alpha: float | None = None, **more: Any) -> Plan:
    """By "auto"."""
    return choose(Facts(Softmax(3), L2(1.0), bounds, n, WIDTH + 1, **more), BUDGET, "auto", alpha)


def short() -> GradientPlan:
    plan = planned()
    assert isinstance(plan, GradientPlan)
    assert plan.facts.bounds.intercept == short_constant.SHARE
    return plan


def people(seed: int = 0, n: int = N) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, WIDTH)) / 3
    return rows, rng.integers(0, 3, n)


def estimator(**more: Any) -> eq.LogisticRegression:
    return eq.LogisticRegression(BUDGET.epsilon, BUDGET.delta, classes=list(CLASSES), random_state=1, **more)


def test_noise_is_made_for_the_shorter_rows_and_the_budget_is_spent_exactly() -> None:
    plan = short()
    usual = noisy_gradients._made(replace(plan.facts, bounds=BOUNDS), BUDGET, plan.schedule, None)
    ratio = math.hypot(1.0, short_constant.SHARE) / math.hypot(1.0, 0.5)
    assert plan.sensitivity.l2 == pytest.approx(usual.sensitivity.l2 * ratio, rel=1e-9)
    assert plan.schedule.mu == usual.schedule.mu
    assert delta_gaussian(BUDGET.epsilon, math.sqrt(plan.schedule.steps) * plan.schedule.mu) <= BUDGET.delta
    assert short_constant.WORDS in plan.notes


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 2.0, 20.0]))
def test_no_exchange_of_a_record_moves_a_step_by_more_than_is_stated(seed: int, size: float) -> None:
    rng, facts = np.random.default_rng(seed), replace(short().facts, n=1)
    w = rng.standard_normal(facts.dim)
    w *= size / float(np.linalg.norm(w))
    found = []
    for label in rng.choice(3, 2):
        row = rng.standard_normal((1, WIDTH)) * 10.0 ** rng.uniform(-2, 3)
        found.append(evened_gradient(enter(row, np.array([label]), facts.bounds), facts, w).reveal())
    assert np.linalg.norm(found[0] - found[1]) <= sensitivity.of_mean_gradient(facts, size).l2


def test_what_is_stated_is_nearly_attained() -> None:
    """By opposite rows of one class, wrong for both: scores of the constant column alone say so."""
    facts = replace(short().facts, n=1)
    w = np.zeros((2, WIDTH + 1))
    w[:, -1] = 60 * facts.loss.slope(np.zeros((1, 2)), np.array([0.0]))[0]  # against the first class, by far
    row = np.zeros((1, WIDTH))
    row[0, 0] = 5.0
    moved = [
        evened_gradient(enter(sign * row, np.array([0]), facts.bounds), facts, w.ravel()).reveal() for sign in (1, -1)
    ]
    stated = sensitivity.of_mean_gradient(facts, float(np.linalg.norm(w))).l2
    length = 1 / math.hypot(1.0, short_constant.SHARE)  # the constant column does not change sign
    assert np.linalg.norm(moved[0] - moved[1]) == pytest.approx(length * stated, rel=1e-6)


def test_rows_of_a_fit_end_with_the_planned_column(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise for a shorter column beside the longer one would be too little."""
    seen: list[Array] = []

    def watched(records: Private[Records], facts: Facts, w: Array) -> Private[Array]:
        seen.append(records.reveal().design.matvec(np.eye(WIDTH + 1)[-1]))
        return evened_gradient(records, facts, w)

    monkeypatch.setattr(noisy_gradients, "evened_gradient", watched)
    rows, labels = people()
    estimator().fit(rows, labels)
    assert seen
    assert all(np.allclose(each, short_constant.SHARE, rtol=1e-12) for each in seen)


def test_a_replay_moves_no_further_than_was_paid_for() -> None:
    rows, labels = people()
    left, right, other = rows.copy(), rows.copy(), labels.copy()
    left[0], right[0] = 9.0, -9.0
    other[0] = (labels[0] + 1) % 3

    def fit(given: tuple[Array, Any]) -> Array:
        return np.asarray(estimator().fit(*given).coef_)

    found = [replay(fit, (left, labels), (right, each)) for each in (labels, other)]
    assert all(each.holds for each in found)
    assert 0.5 < max(each.ratio for each in found) <= 1


@pytest.mark.parametrize(
    ("bounds", "more"),
    [
        (replace(BOUNDS, coef_norm=3.0), {}),
        (replace(BOUNDS, view=View(0.4)), {}),
        (BOUNDS, {"alpha": 1e-2}),
    ],
    ids=["a ball", "a view", "a ridge"],
)
def test_what_a_caller_said_in_units_of_the_usual_column_keeps_it(bounds: Bounds, more: dict[str, Any]) -> None:
    facts = Facts(Softmax(3), L2(more.get("alpha", 1e-9)), bounds, N, WIDTH + 1)
    plan = noisy_gradients._made(facts, BUDGET, short().schedule, None)
    assert noisy_gradients.with_short_constant(plan) is plan


def test_a_centre_keeps_the_usual_column() -> None:
    centre = [[0.1] * (WIDTH + 1)] * 3
    assert estimator(centre=centre).plan(N, WIDTH).facts.bounds.intercept == 0.5
    assert estimator(fit_intercept=False).plan(N, WIDTH).facts.bounds.intercept == 0.0


@pytest.mark.parametrize("loss", [CappedLogistic(0.5), Huber(0.25, 1.0, 2.0)], ids=repr)
def test_two_classes_and_numbers_keep_the_usual_column(loss: Loss) -> None:
    plan = noisy_gradients._made(Facts(loss, L2(1e-9), BOUNDS, N, WIDTH + 1), BUDGET, short().schedule, None)
    assert noisy_gradients.with_short_constant(plan) is plan


def test_a_mechanism_by_name_and_pure_noise_keep_the_usual_column() -> None:
    assert estimator(mechanism="noisy-gradient").plan(N, WIDTH).facts.bounds.intercept == 0.5
    assert eq.LogisticRegression(1.0, 0.0, classes=list(CLASSES)).plan(N, WIDTH).facts.bounds.intercept == 0.5


def test_units_of_rows_and_neighbours_make_no_difference() -> None:
    for norm in (1e-3, 1.0, 50.0):
        bounds = Bounds(norm, 0.5 * norm, classes=CLASSES)
        assert planned(bounds).facts.bounds.intercept == pytest.approx(short_constant.SHARE * norm)
    for more in ({"adjacency": Adjacency.ADD_REMOVE}, {"person_rows": 2}):
        plan = planned(n=20 * N, **more)
        assert isinstance(plan, GradientPlan)
        assert plan.facts.bounds.intercept == short_constant.SHARE
        assert plan.sensitivity == sensitivity.of_mean_gradient(plan.facts, 0.0)


def test_candidates_with_other_columns_are_compared_by_what_they_predict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search scores models on rows with one column; intercepts learnt beside another are brought to it."""
    scores: list[Array] = []
    fitted: list[Any] = []
    flat, losses = candidates.flat_model, vars(choice)["mean_losses"]

    def flattened(model: Any, bounds: Bounds, classes: int) -> Array:
        fitted.append(model)
        return flat(model, bounds, classes)

    def watched(records: Private[Records], loss: Any, models: Any, cap: float) -> Any:
        design = records.reveal().design
        scores.extend(Softmax(3).logits(design.matvec(model.reshape(2, -1).T)) for model in models)
        heard.append(rows_of(design))
        return losses(records, loss, models, cap)

    heard: list[Any] = []
    monkeypatch.setattr(candidates, "flat_model", flattened)
    monkeypatch.setattr(choice, "mean_losses", watched)
    rows, labels = people()
    labels[rows[:, 0] > -0.2] = 2  # an intercept that matters
    search = eq.tuning.DataSplitSearch(estimator(), {"mechanism": ["auto", "noisy-gradient"]}, random_state=3)
    search.fit(rows, labels)
    assert len(scores) == 2
    for model, found in zip(fitted, scores, strict=True):
        told = model.decision_function(heard[0])
        assert np.allclose(found, told - told.mean(axis=1, keepdims=True), atol=1e-9)


def test_what_is_audited_has_the_shorter_column() -> None:
    estimator = eq.LogisticRegression(1.0, several_classes.DELTA, classes=list(several_classes.THREE))
    assert short_constant.WORDS in estimator.plan(several_classes.ROWS, several_classes.COLUMNS).notes
    (target,) = several_classes.several_classes(1.0)
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs]
    assert all(each.holds for each in found)
    assert 0.9 < max(each.ratio for each in found) <= 1
