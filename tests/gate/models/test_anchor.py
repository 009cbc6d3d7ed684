"""The anchor of noisy gradients: what it moves, what it costs, when it is taken, and that nothing else leaves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.audit.subjects import anchored
from equipoise.audit.subjects.library import EPSILON
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import anchor, noisy_gradients
from equipoise.inside import Private, Records, enter, mean_residual, weighed
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Huber, Logistic, Loss
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.schedule import Anchor

Array = npt.NDArray[np.float64]
N, COLUMNS, BUDGET = 40, 2, Budget(2.0, 1e-6)
STAND_IN = Huber(0.25, 1.0, 2.0)
CLIPPED = Huber(1.5, 1.0)
BOUNDS = Bounds(1.0, 0.5, label_range=(-1.0, 1.0))


def facts_of(loss: Loss = STAND_IN, n: int = N, **more: Any) -> Facts:
    return Facts(loss, L2(1e-3), BOUNDS, n, COLUMNS + 1, **more)


def plan_of(price: int = 4, **more: Any) -> GradientPlan:
    """With an anchor at this price, whether it pays or not."""
    plain = noisy_gradients.plan(facts_of(**more), BUDGET)
    return noisy_gradients._made(plain.facts, BUDGET, plain.schedule, Anchor(CLIPPED, price))


def records_of(seed: int = 0, n: int = N) -> Private[Records]:
    rng = np.random.default_rng(seed)
    return enter(rng.standard_normal((n, COLUMNS)), rng.uniform(-1, 1, n), BOUNDS)


def released(plan: GradientPlan, records: Private[Records]) -> Any:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(5))


def value_at(rows: Array, labels: Array, point: Array, n: int = N) -> float:
    return float(mean_residual(enter(rows, labels, BOUNDS), CLIPPED, n, point).reveal()[0])


def test_replacing_a_record_moves_the_mean_residual_by_the_stated_sensitivity_and_never_more() -> None:
    """Attained by two labels at the ends of their range, where slopes are zero."""
    stated = sensitivity.of_mean_residual(facts_of(CLIPPED), 0.0).l2
    rows, labels = np.zeros((N, COLUMNS)), np.full(N, 1.0)
    other = labels.copy()
    other[0] = -1.0
    moved = abs(value_at(rows, labels, np.zeros(3)) - value_at(rows, other, np.zeros(3)))
    assert 0.999999 * stated < moved <= stated
    rng = np.random.default_rng(3)
    for _ in range(300):
        point = rng.standard_normal(3) * 10.0 ** rng.uniform(-2, 2)
        rows, labels = rng.standard_normal((N, COLUMNS)) * 5, rng.uniform(-1, 1, N)
        moved_rows, moved_labels = rows.copy(), labels.copy()
        moved_rows[0], moved_labels[0] = rng.standard_normal(COLUMNS) * 5, rng.choice([-1.0, 1.0])
        apart = abs(value_at(rows, labels, point) - value_at(moved_rows, moved_labels, point))
        assert apart <= sensitivity.of_mean_residual(facts_of(CLIPPED), float(np.linalg.norm(point))).l2


def test_one_record_more_moves_it_by_half_of_that_and_a_person_by_as_many_rows() -> None:
    exchanged = sensitivity.of_mean_residual(facts_of(CLIPPED), 0.0).l2
    added = sensitivity.of_mean_residual(facts_of(CLIPPED, adjacency=Adjacency.ADD_REMOVE), 0.0).l2
    person = sensitivity.of_mean_residual(facts_of(CLIPPED, person_rows=3), 0.0).l2
    assert added == pytest.approx(exchanged / 2, rel=1e-6)
    assert person == pytest.approx(3 * exchanged, rel=1e-6)
    facts = facts_of(CLIPPED, adjacency=Adjacency.ADD_REMOVE)
    rows, labels = np.zeros((N + 1, COLUMNS)), np.full(N + 1, 1.0)
    more, fewer = (
        float(mean_residual(weighed(enter(rows[:n], labels[:n], BOUNDS), facts), CLIPPED, N, np.zeros(3)).reveal()[0])
        for n in (N, N - 1)
    )
    assert 0.95 * added < abs(more - fewer) <= added  # each counts a little less, the more there are


@pytest.mark.parametrize("price", anchor.PRICES)
def test_steps_and_anchor_together_spend_exactly_the_budget(price: int) -> None:
    """The anchor's noise is √price finer than a step's, in units of what it hides."""
    plan = plan_of(price)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + price
    total = plan.schedule.mu * math.sqrt(plan.schedule.steps + price)
    assert 0.99e-6 < delta_gaussian(BUDGET.epsilon, total) <= 1e-6
    for norm in (0.0, 3.0):
        moved = sensitivity.of_mean_residual(facts_of(CLIPPED), norm).l2
        spent = moved / anchor.noise_at(plan, Anchor(CLIPPED, price), norm).scale
        assert 0.999 * math.sqrt(price) < spent / plan.schedule.mu <= math.sqrt(price)


def test_the_intercept_is_moved_by_what_passed_the_door_and_by_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, records, seen = plan_of(), records_of(), []

    def watched(*given: Any) -> Array:
        seen.append((given[1], door.add_noise(*given)))
        return seen[-1][1]

    monkeypatch.setattr(anchor, "add_noise", watched)
    value = released(plan, records).value
    without = released(replace(plan, anchor=None), records).value
    ((noise, found),) = seen
    assert found.shape == (1,)
    assert np.allclose(value[:-1], without[:-1], rtol=1e-12)
    assert value[-1] == pytest.approx(-found[0] / BOUNDS.intercept**2, rel=1e-12)
    stated = anchor.noise_at(plan, Anchor(CLIPPED, 4), float(np.linalg.norm(without[:-1])))
    assert (noise.law, noise.dim) == (stated.law, 1)
    assert noise.scale == pytest.approx(stated.scale, rel=1e-9)


def test_without_noise_the_residuals_have_mean_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Least squares' intercept for the slopes that were found, as long as no residual is clipped."""
    plan, records = plan_of(), records_of()
    for file in (noisy_gradients, anchor):
        monkeypatch.setattr(file, "add_noise", lambda value, *_: value.reveal())
    point = released(plan, records).value
    assert abs(mean_residual(records, Huber(9.0, 1.0), N, point).reveal()[0]) < 1e-9


def test_the_intercepts_error_is_the_anchors_and_that_of_the_slopes() -> None:
    plan, records = plan_of(), records_of()
    plain, found = released(replace(plan, anchor=None), records), released(plan, records)
    assert np.array_equal(found.covariance[:-1], plain.covariance[:-1])
    noise = anchor.noise_at(plan, Anchor(CLIPPED, 4), float(np.linalg.norm(plain.value[:-1]))).rms
    assert found.covariance[-1] == pytest.approx((noise / 0.25) ** 2 + 4 * plain.covariance[0])


@pytest.mark.parametrize(
    "facts",
    [
        facts_of(Logistic()),
        facts_of(Huber(0.25)),
        replace(facts_of(), bounds=replace(BOUNDS, intercept=0.0)),
        facts_of(partners=2),
        facts_of(adjacency=Adjacency.ADD_REMOVE),
        facts_of(person_rows=2),
    ],
    ids=["classes", "a threshold that the caller chose", "no intercept", "pairs", "add-remove", "persons"],
)
def test_it_is_offered_only_where_the_mean_is_sought_and_one_number_holds_it(facts: Facts) -> None:
    assert anchor.offers(facts) == []
    assert len(anchor.offers(facts_of())) == len(anchor.PRICES)


def test_auto_takes_it_where_records_pay_for_it_and_says_so() -> None:
    few, many = (eq.LinearRegression(0.3, 1e-6, label_bounds=(0, 1)).plan(n, 22) for n in (1_000, 16_000))
    assert isinstance(few, GradientPlan)
    assert isinstance(many, GradientPlan)
    assert few.anchor is None
    assert many.anchor is not None
    assert anchor.words(many.anchor) in many.notes
    assert many.constants()["steps' worth of the anchor"] == many.anchor.steps
    assert "steps' worth of the anchor" not in few.constants()


def test_what_is_audited_has_an_anchor() -> None:
    model = eq.LinearRegression(EPSILON, anchored.DELTA, label_bounds=anchored.NUMBERS)
    plan = model.plan(anchored.ROWS, anchored.COLUMNS)
    assert isinstance(plan, GradientPlan)
    assert plan.anchor is not None


def test_a_replay_moves_as_far_as_was_paid_for_and_no_further() -> None:
    """On the worst of a few pairs; a step stands for one of the steps paid, the anchor for its price."""
    (target,) = anchored.anchored(EPSILON)
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs[:4]]
    assert all(each.holds for each in found)
    assert 0.5 < max(each.ratio for each in found) <= 1


def test_the_mean_of_labels_that_pile_up_is_learnt() -> None:
    """Seven labels of ten are zero.  Seeded: no false alarm by chance."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, (20_000, 22)) / 5
    y = np.where(rng.random(20_000) < 0.7, 0.0, np.minimum(10.0, rng.exponential(3.0, 20_000)))
    model = eq.LinearRegression(0.3, 1e-6, label_bounds=(0, 10), random_state=1).fit(X, y)
    assert "steps' worth of the anchor" in model.guarantee_.constants
    assert abs(np.mean(model.predict(X)) - y.mean()) < 0.1


def test_records_in_parts_have_the_same_anchor() -> None:
    """All that is asked of the records is a sum."""
    assert MECHANISMS["noisy-gradient"].by_sums
    rng = np.random.default_rng(4)
    rows, labels, point = rng.standard_normal((N, COLUMNS)), rng.uniform(-1, 1, N), np.array([0.3, -0.2, 0.0])
    whole = value_at(rows, labels, point)
    halves = [value_at(rows[part], labels[part], point) for part in (slice(0, 10), slice(10, N))]
    assert whole == pytest.approx(sum(halves), rel=1e-12)
