"""Several classes in a metric: what is paid for, that every point is made of releases alone, and that it serves."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.audit.subjects import in_metric
from equipoise.audit.subjects.library import EPSILON
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import metric, noisy_gradients, short_constant, strides
from equipoise.gate.models.choose import choose
from equipoise.inside import Private, Records, enter
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity, triangles
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.aiming import Walker
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import GaussianRelease, leaves
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import ClippedSoftmax, Softmax
from equipoise.theory.metric import Moments, moved
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.schedule import Metric, Schedule

Array = npt.NDArray[np.float64]
N, WIDTH, BUDGET = 60, 4, Budget(2.0, 1e-3)
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1, 2))
MANY, COLUMNS = 40_000, 20


def facts_of(n: int = N, evened: bool = True, classes: int = 3) -> Facts:
    return Facts(ClippedSoftmax(classes), L2(1e-6), BOUNDS, n, WIDTH + 1, evened=evened)


def plan_of(price: int = 1, facts: Facts | None = None) -> GradientPlan:
    """With a metric at this price, whether it pays or not."""
    schedule = Schedule(8, 2.0, 0.0, math.inf, 1.0)
    return noisy_gradients._made(facts or facts_of(), BUDGET, schedule, None, None, Metric(price, 0.01))


def table(seed: int = 0, n: int = N) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, WIDTH)) * 10.0 ** rng.uniform(-2, 1, (n, 1))
    return rows, rng.integers(0, 3, n)


def released(plan: GradientPlan, records: Private[Records], seed: int = 5) -> Any:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(seed))


def taken(epsilon: float = 1.0) -> GradientPlan:
    """What "auto" takes at a size where a walk would be long."""
    plan = eq.LogisticRegression(epsilon, 1e-6, classes=[0, 1, 2, 3]).plan(MANY, COLUMNS)
    assert isinstance(plan, GradientPlan)
    assert plan.metric is not None
    return plan


@pytest.mark.parametrize("price", metric.PRICES)
def test_steps_and_metric_together_spend_exactly_the_budget(price: int) -> None:
    plan = plan_of(price)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + price
    assert 0.99e-3 < delta_gaussian(BUDGET.epsilon, plan.schedule.mu * math.sqrt(plan.event.steps)) <= 1e-3
    assert plan.metric is not None
    noise = metric.noise_of(plan.facts, plan.metric, plan.schedule.mu)
    assert 0.999 * math.sqrt(price) < moved(plan.facts).l2 / noise.scale / plan.schedule.mu <= math.sqrt(price)
    assert noise.dim == triangles.numbers(WIDTH + 1)  # of the rows: how many classes there are is no matter


def test_moments_pass_the_door_once_and_every_point_is_made_of_what_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk is walked again, from what was released alone."""
    plan, heard = plan_of(), []

    def watched(*given: Any) -> Array:
        heard.append(door.add_noise(*given))
        return heard[-1]

    monkeypatch.setattr(metric, "add_noise", watched)
    monkeypatch.setattr(noisy_gradients, "add_noise", watched)
    found = released(plan, enter(*table(), BOUNDS))
    assert len(heard) == 1 + plan.schedule.steps
    assert plan.metric is not None
    noise = metric.noise_of(plan.facts, plan.metric, plan.schedule.mu)
    moments = Moments.of(triangles.matrix(heard[0], WIDTH + 1), noise.rms, plan.metric.floor)
    take = Walker(plan.facts.loss, moments, BOUNDS.norm, BOUNDS.intercept, plan.schedule.step_size)
    here, late = np.zeros(plan.facts.dim), np.zeros(plan.facts.dim)
    for step, gradient in enumerate(heard[1:]):
        size = noisy_gradients._noise_at(plan, here).rms
        here = take.next(here, gradient + plan.facts.penalty.gradient(here), size)
        late += here if step >= plan.schedule.first else 0.0
    assert np.allclose(found.value, late / (plan.schedule.steps - plan.schedule.first), rtol=1e-9)


@pytest.mark.parametrize("evened", [False, True])
def test_a_replay_moves_as_far_as_was_paid_for_and_no_further(evened: bool) -> None:
    plan = plan_of(1, facts_of(evened=evened))
    rows, labels = table(3)
    left, right, other = rows.copy(), rows.copy(), labels.copy()
    left[0], right[0] = [5.0, 0, 0, 0], [0, -5.0, 0, 0]
    labels[0], other[0] = 1, 0

    def fit(given: tuple[Array, Any]) -> Array:
        return np.asarray(released(plan, enter(*given, BOUNDS)).value)

    found = replay(fit, (left, labels), (right, other))
    assert found.holds
    assert 0.5 < found.ratio <= 1


def test_what_is_audited_has_a_metric() -> None:
    estimator = eq.LogisticRegression(EPSILON, in_metric.OF_SEVERAL, classes=list(in_metric.CLASSES))
    plan = estimator.plan(in_metric.ROWS, in_metric.COLUMNS)
    assert isinstance(plan, GradientPlan)
    assert plan.metric is not None
    target = in_metric.in_metric(EPSILON)[2]
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs]
    assert all(each.holds for each in found)
    assert 0.9 < max(each.ratio for each in found) <= 1


def test_a_shorter_constant_column_keeps_the_metric_and_its_price() -> None:
    """Noise of steps and moments is made for the shorter rows, and steps are as long in their units."""
    plan = taken()
    assert plan.facts.bounds.intercept == short_constant.SHARE
    assert short_constant.WORDS in plan.notes
    assert plan.metric is not None
    assert metric.words(plan.metric) in plan.notes
    assert plan.sensitivity.l2 == sensitivity.of_mean_gradient(plan.facts, 0.0).l2
    walk = list(leaves(plan.event))[-1]
    assert isinstance(walk, GaussianRelease)
    assert walk.steps == plan.schedule.steps + plan.metric.steps
    assert delta_gaussian(1.0, plan.schedule.mu * math.sqrt(walk.steps)) <= 1e-6
    assert plan.metric.scale == metric.noise_of(plan.facts, plan.metric, plan.schedule.mu).scale
    longest = replace(plan.facts, bounds=replace(plan.facts.bounds, intercept=0.5))
    paces = [strides.longest_step(each) * each.bounds.norm**2 for each in (plan.facts, longest)]
    assert paces[0] == pytest.approx(paces[1], rel=1e-3)
    assert plan.schedule.step_size * plan.facts.bounds.norm**2 == pytest.approx(
        metric.OF_SEVERAL.paces[0] * paces[0], rel=1e-3
    )


def test_it_is_offered_up_to_so_many_classes_and_of_no_table_that_is_encoded() -> None:
    def serves(classes: int, n: int) -> bool:
        return metric.serves(Facts(Softmax(classes), L2(1e-6), BOUNDS, n, WIDTH + 1))

    assert serves(3, 400_000)
    assert serves(metric.MOST_CLASSES, 50_000)
    assert not serves(metric.MOST_CLASSES + 1, 50_000)
    assert not serves(3, 20_000)
    assert metric.OF_SEVERAL.floors[0] > metric.OF_TWO_CLASSES.floors[0]


def drawn(size: float, off: float, classes: int = 4) -> tuple[Array, npt.NDArray[np.int64], Array]:
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((MANY, COLUMNS)) * np.arange(1, COLUMNS + 1) ** -0.7
    rows /= np.quantile(np.linalg.norm(rows, axis=1), 0.95)
    scores = rows @ rng.standard_normal((COLUMNS, classes))
    scores = scores * size / scores.std()
    scores[:, 0] += off
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    labels = (chances.cumsum(axis=1) > rng.random((MANY, 1))).argmax(axis=1)
    return rows, labels, chances


@pytest.mark.parametrize("size", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("off", [0.0, -3.0])
def test_a_few_steps_end_where_hundreds_would(size: float, off: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Excess log-loss, weak signals and strong, even classes and rare ones.  Seeded: no false alarm by chance."""
    rows, labels, chances = drawn(size, off)

    def excess() -> float:
        choose.cache_clear()
        model = eq.LogisticRegression(1.0, 1e-6, classes=[0, 1, 2, 3], random_state=2).fit(rows, labels)
        told = np.clip(model.predict_proba(rows), 1e-9, 1.0)
        assert ("metric's floor" in model.guarantee_.constants) == (metric.WAITED_FOR < 10**9)
        return float(np.mean(np.sum(chances * np.log(np.maximum(chances, 1e-300) / told), axis=1)))

    short = excess()
    monkeypatch.setattr(metric, "WAITED_FOR", 10**9)
    assert short <= 1.25 * excess() + 4e-3
    choose.cache_clear()


def test_more_epsilon_does_not_hurt() -> None:
    """Seeded: no false alarm by chance."""
    rows, labels, chances = drawn(3.0, 0.0)
    found = []
    for epsilon in (0.1, 0.3, 1.0, 3.0, 10.0):
        model = eq.LogisticRegression(epsilon, 1e-6, classes=[0, 1, 2, 3], random_state=4).fit(rows, labels)
        told = np.clip(model.predict_proba(rows), 1e-9, 1.0)
        found.append(float(np.mean(np.sum(chances * np.log(np.maximum(chances, 1e-300) / told), axis=1))))
    assert all(after <= before + 1e-3 for before, after in pairwise(found))


def test_intervals_are_stated_for_every_class() -> None:
    rows, labels, _ = drawn(2.0, 0.0)
    model = eq.LogisticRegression(1.0, 1e-6, classes=[0, 1, 2, 3], random_state=1).fit(rows, labels)
    found = model.confidence_intervals(0.95)
    assert found.coef_low.shape == model.coef_.shape
    assert np.all(found.coef_low < model.coef_)
    assert np.all(model.coef_ < found.coef_high)
