"""Numbers in a metric: what is paid for, that every point is made of releases alone, and that a few steps serve."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import anchor, metric, noisy_gradients
from equipoise.gate.models.choose import choose
from equipoise.inside import Private, Records, enter
from equipoise.inside.design import may_be_rooted
from equipoise.inside.tables.moments import row_moments
from equipoise.ledger import Ledger
from equipoise.theory import triangles
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.bounds import Bounds
from equipoise.theory.evening import Evening
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, Huber
from equipoise.theory.metric import Moments, Straight, moved
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.schedule import Anchor, Metric, Schedule

Array = npt.NDArray[np.float64]
N, WIDTH, BUDGET = 60, 4, Budget(2.0, 1e-3)
BOUNDS = Bounds(1.0, 0.5, label_range=(-1.0, 1.0))
STAND_IN = Huber(0.25, 1.0, 2.0)
LAST = Anchor(Huber(1.5, 1.0), 4)
KNOTS, MANY_KNOTS = 5, 16


def encoded_bounds(columns: int = 2, n: int = N, knots: int = KNOTS) -> Bounds:
    """Of an additive model whose bends open."""
    plan = additive(n=n, columns=columns, knots=knots)
    assert plan.facts.bounds.encoding is not None
    return plan.facts.bounds


def additive(n: int = N, columns: int = 2, epsilon: float = 1000.0, knots: int = KNOTS) -> GradientPlan:
    made = eq.AdditiveRegressor(epsilon, 1e-3, column_bounds=(-1, 1), knots=knots, label_bounds=(-1, 1))
    plan = made.plan(n, columns)
    assert isinstance(plan, GradientPlan)
    return plan


def facts_of(bounds: Bounds = BOUNDS, n: int = N, **more: Any) -> Facts:
    width = WIDTH if bounds.encoding is None else bounds.encoding.width
    return Facts(STAND_IN, L2(1e-6), bounds, n, width + 1, **more)


def plan_of(facts: Facts | None = None, last: Anchor | None = None, price: int = 1) -> GradientPlan:
    """With a metric, whether it pays or not."""
    facts = facts_of(evened=True) if facts is None else facts
    schedule = Schedule(8, 0.4 / facts.bounds.norm**2, 0.0, math.inf, 1.0, 0.75)
    return noisy_gradients._made(facts, BUDGET, schedule, last, None, Metric(price, 0.01))


def table(seed: int = 0, width: int = WIDTH) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((N, width)) * 10.0 ** rng.uniform(-2, 1, (N, 1)), rng.uniform(-1, 1, N)


def released(plan: GradientPlan, records: Private[Records], seed: int = 5) -> Any:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(seed))


@pytest.mark.parametrize("last", [None, LAST])
def test_steps_metric_and_anchor_together_spend_exactly_the_budget(last: Anchor | None) -> None:
    plan = plan_of(last=last, price=4)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + 4 + (4 if last else 0)
    assert 0.99e-3 < delta_gaussian(BUDGET.epsilon, plan.schedule.mu * math.sqrt(plan.event.steps)) <= 1e-3


def test_an_anchor_comes_beside_the_metric_and_not_in_its_place() -> None:
    plan = noisy_gradients.with_anchor(plan_of(), math.inf)
    assert plan.anchor is not None
    assert plan.metric is not None
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + plan.anchor.steps + plan.metric.steps
    assert anchor.words(plan.anchor) in plan.notes


def moments_of(rows: Array, bounds: Bounds, evened: bool) -> Array:
    width = rows.shape[1] if bounds.encoding is None else bounds.encoding.width
    by = triangles.stretch(width + 1) / len(rows) / bounds.norm**2
    return row_moments(enter(rows, np.zeros(len(rows)), bounds), by, Evening(bounds.norm) if evened else None).reveal()


@pytest.mark.parametrize("knots", [KNOTS, MANY_KNOTS])
@pytest.mark.parametrize("evened", [False, True])
def test_a_replaced_row_of_an_additive_model_moves_the_moments_by_no_more_than_is_stated(
    evened: bool, knots: int
) -> None:
    """Cells on knots and between them, beyond their bounds and missing."""
    bounds = encoded_bounds(knots=knots)
    stated, rng = moved(facts_of(bounds)).l2, np.random.default_rng(1)
    rows, largest = rng.uniform(-1, 1, (N, 2)), 0.0
    cells = [-1.0, -0.5, 0.0, 0.3, 1.0, 7.0, math.nan]
    for _ in range(150):
        left, right = rows.copy(), rows.copy()
        left[3], right[3] = rng.choice(cells, 2), rng.choice(cells, 2)
        found = [moments_of(rows, bounds, evened) for rows in (left, right)]
        apart = np.linalg.norm(found[0] - found[1])
        largest = max(largest, float(apart))
    assert 0.5 * stated < largest <= stated


@pytest.mark.parametrize("knots", [KNOTS, MANY_KNOTS])
def test_moments_of_an_additive_model_are_those_of_its_rows_written_out(knots: int) -> None:
    """As a fit holds them: written out, or with more knots by their weights."""
    bounds = encoded_bounds(knots=knots)
    assert bounds.encoding is not None
    assert may_be_rooted(bounds.encoding) == (knots == MANY_KNOTS)
    rows = np.random.default_rng(2).uniform(-1.2, 1.2, (N, 2))
    whole = np.column_stack([bounds.encoding.rows(rows), np.full(N, bounds.intercept)])
    weights = np.minimum(2.25, bounds.norm / np.linalg.norm(whole, axis=1))
    for evened, count in ((False, np.ones(N)), (True, weights)):
        square = (whole * count[:, None]).T @ whole / N / bounds.norm**2
        found = triangles.matrix(moments_of(rows, bounds, evened), whole.shape[1])
        assert np.allclose(found, square, rtol=1e-9, atol=1e-12)


def watched_release(plan: GradientPlan, records: Private[Records], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A release, and what passed the door on the way: moments, then gradients with their noise."""
    seen: list[tuple[Array, Any]] = []

    def watched(value: Private[Array], noise: Any, *given: Any) -> Array:
        seen.append((door.add_noise(value, noise, *given), noise))
        return seen[-1][0]

    for file in (metric, noisy_gradients, anchor):
        monkeypatch.setattr(file, "add_noise", watched)
    return released(plan, records), seen


@pytest.mark.parametrize("opens", [False, True])
def test_every_point_is_made_of_releases_and_public_numbers_alone(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Walked again by hand: steps in the metric, bends as far open as they stand out of noise measured in it."""
    bounds = encoded_bounds() if opens else BOUNDS
    plan = plan_of(facts_of(bounds, evened=True), LAST)
    rows, labels = table(width=2 if opens else WIDTH)
    found, seen = watched_release(plan, enter(rows, labels, bounds), monkeypatch)
    assert len(seen) == 1 + plan.schedule.steps + 1
    assert plan.metric is not None
    first, noise = seen[0]
    inverse = Moments.of(triangles.matrix(first, plan.facts.features), noise.rms, plan.metric.floor).inverse
    shut = bounds.encoding.shut if bounds.encoding is not None else ()
    walk = point = np.zeros(plan.facts.dim)
    points, squares = [], 0.0
    for gradient, noise in seen[1:-1]:
        walk = walk - plan.schedule.step_size * (inverse @ (gradient + 1e-6 * point))
        squares += (plan.schedule.step_size * noise.rms) ** 2
        point = walk.copy()
        for group in shut:
            spread = (inverse @ inverse)[group, group]
            length = math.sqrt(walk[group] @ np.linalg.solve(spread, walk[group]))
            point[group] *= max(0.0, 1 - math.sqrt((group.stop - group.start) * squares) / length)
        points.append(point)
    assert np.allclose(found.value[:-1], np.mean(points[2:], axis=0)[:-1], rtol=1e-7, atol=1e-10)
    assert found.value[-1] == pytest.approx(-seen[-1][0][0] / bounds.intercept**2)
    assert found.covariance.shape == (plan.facts.dim, plan.facts.dim)
    assert (found.covariance[-1, :-1] == 0).all()
    assert np.linalg.eigvalsh(found.covariance).min() > 0


def pair(plan: GradientPlan, width: int) -> Any:
    """Opposite corners of a small table, fitted by a plan that no table of its size would get."""
    bounds = plan.facts.bounds
    rows, labels = table(3, width)
    left, right, other = rows.copy(), rows.copy(), labels.copy()
    left[0], right[0] = np.eye(width)[0], -np.eye(width)[1]
    labels[0], other[0] = 1.0, -1.0

    def fit(given: tuple[Array, Any]) -> Array:
        return np.asarray(released(plan, enter(*given, bounds)).value)

    return fit, (left, labels), (right, other)


@pytest.mark.parametrize("last", [None, LAST])
@pytest.mark.parametrize("opens", [False, True])
def test_a_replay_moves_no_further_than_was_paid_for(opens: bool, last: Anchor | None) -> None:
    bounds = encoded_bounds() if opens else BOUNDS
    found = replay(*pair(plan_of(facts_of(bounds, evened=True), last), 2 if opens else WIDTH))
    assert found.holds
    assert 0.2 < found.ratio <= 1


@pytest.mark.parametrize("opens", [False, True])
def test_a_replay_notices_a_metric_with_too_little_noise(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = metric.noise_of

    def short(facts: Facts, first: Metric, mu: float) -> Any:
        noise = honest(facts, first, mu)
        return replace(noise, scale=noise.scale / 16)

    bounds = encoded_bounds() if opens else BOUNDS
    given = pair(plan_of(facts_of(bounds, evened=True)), 2 if opens else WIDTH)
    monkeypatch.setattr(metric, "noise_of", short)
    assert not replay(*given).holds


def test_no_gradient_makes_a_step_fail() -> None:
    steps = Straight(Moments.of(np.eye(3), 1e-3, 1e-3), 1.0)
    for size in (1e308, math.inf, math.nan):
        assert np.isfinite(steps.next(np.ones(3), np.full(3, size), 1.0)).all()


MANY = 10**6


@pytest.mark.parametrize(
    ("facts", "offered"),
    [
        (facts_of(n=MANY), True),
        (facts_of(encoded_bounds(n=MANY), n=MANY), True),
        (facts_of(encoded_bounds(), n=MANY // 4), False),
        (replace(facts_of(encoded_bounds(n=MANY), n=MANY), loss=CappedLogistic()), False),
        (replace(facts_of(n=MANY), bounds=replace(BOUNDS, coef_norm=3.0)), False),
        (replace(facts_of(n=MANY), features=metric.MOST_COLUMNS + 1), False),
    ],
    ids=["numbers", "additive", "few cells", "additive classes", "ball", "wide"],
)
def test_it_is_offered_where_its_proof_and_its_figures_hold(facts: Facts, offered: bool) -> None:
    assert metric.serves(facts) is offered


def drawn(n: int, columns: int, signal: float) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((n, columns)) * np.arange(1, columns + 1) ** -0.7
    rows /= np.quantile(np.linalg.norm(rows, axis=1), 0.95)
    scores = rows @ rng.standard_normal(columns)
    scores *= math.sqrt(signal) / scores.std()
    return rows, np.clip(scores + math.sqrt(1 - signal) * rng.standard_normal(n), -4, 4), scores


@pytest.mark.parametrize("signal", [0.1, 0.5, 0.95])
def test_a_few_steps_end_where_hundreds_would(signal: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mean squared error beside the best scores, weak signals and strong.  Seeded: no false alarm by chance."""
    rows, labels, best = drawn(50_000, 24, signal)

    def excess() -> float:
        choose.cache_clear()
        model = eq.HuberRegressor(0.5, 1e-6, mechanism="noisy-gradient", label_bounds=(-4, 4), random_state=2)
        model.fit(rows, labels)
        assert ("metric's floor" in model.guarantee_.constants) == (metric.WAITED_FOR < 10**9)
        return float(np.mean((model.predict(rows) - best) ** 2))

    short = excess()
    monkeypatch.setattr(metric, "WAITED_FOR", 10**9)
    assert short <= 1.1 * excess() + 2e-3
    choose.cache_clear()


def test_more_rows_and_more_epsilon_do_not_hurt() -> None:
    """Seeded: no false alarm by chance."""
    rows, labels, best = drawn(120_000, 40, 0.5)
    found = {}
    for n in (20_000, 60_000, 120_000):
        for epsilon in (0.3, 3.0):
            model = eq.LinearRegression(epsilon, 1e-6, label_bounds=(-4, 4), random_state=4).fit(rows[:n], labels[:n])
            found[n, epsilon] = float(np.mean((model.predict(rows) - best) ** 2))
    for n in (20_000, 60_000, 120_000):
        assert found[n, 3.0] <= found[n, 0.3] + 1e-3
    for epsilon in (0.3, 3.0):
        assert found[120_000, epsilon] <= found[60_000, epsilon] + 2e-3 <= found[20_000, epsilon] + 4e-3
