"""The metric of noisy gradients: what one row can do to it, what it costs, when it is taken, and that it serves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import equipoise as eq
from equipoise.audit.frozen.replay import replay
from equipoise.audit.subjects import in_metric
from equipoise.audit.subjects.library import EPSILON
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import metric, noisy_gradients
from equipoise.gate.models.choose import SOLVER_PASSES, choose, passes, work
from equipoise.inside import Private, Records, enter
from equipoise.inside.borrowed import enter_borrowed
from equipoise.inside.parted import enter_streamed
from equipoise.inside.records import nobody
from equipoise.inside.tables.moments import row_moments
from equipoise.ledger import Ledger
from equipoise.outside.card_words import MEANINGS
from equipoise.theory import triangles
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.evening import Evening
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, Logistic, Loss, Softmax
from equipoise.theory.metric import moved
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.schedule import Metric, Schedule

Array = npt.NDArray[np.float64]
N, WIDTH, BUDGET = 60, 4, Budget(2.0, 1e-3)
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))
MANY = 10**6


def facts_of(n: int = N, loss: Loss | None = None, **more: Any) -> Facts:
    return Facts(loss or Logistic(), L2(1e-6), BOUNDS, n, WIDTH + 1, **more)


def plan_of(price: int = 4, facts: Facts | None = None) -> GradientPlan:
    """With a metric at this price, whether it pays or not."""
    schedule = Schedule(8, 2.0, 0.0, math.inf, 1.0)
    return noisy_gradients._made(facts or facts_of(), BUDGET, schedule, None, None, Metric(price, 0.01))


def table(seed: int = 0, n: int = N) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, WIDTH)) * 10.0 ** rng.uniform(-2, 1, (n, 1))
    return rows, rng.integers(0, 2, n)


def moments_of(rows: Any, evened: bool = False, records: Private[Records] | None = None) -> Array:
    """As they are before noise is added, over the number of rows."""
    n = rows.shape[0]
    by = triangles.stretch(WIDTH + 1) / n / BOUNDS.norm**2
    given = enter(rows, np.zeros(n, dtype=int), BOUNDS) if records is None else records
    return row_moments(given, by, Evening(BOUNDS.norm) if evened else None).reveal()


def parts_of(rows: Array, height: int) -> Private[Records]:
    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[Any, Array]]:
        for start in range(0, len(rows), height):
            yield rows[start : start + height].copy(), np.zeros(len(rows[start : start + height]))

    return enter_streamed(blocks, len(rows), WIDTH, WIDTH + 1, height, BOUNDS)


def released(plan: GradientPlan, records: Private[Records], seed: int = 5) -> Any:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(seed))


@pytest.mark.parametrize("evened", [False, True])
def test_a_replaced_row_moves_the_moments_by_what_is_stated_and_never_more(evened: bool) -> None:
    """Rows of every length and direction, in any place."""
    stated, rng = moved(facts_of()).l2, np.random.default_rng(1)
    rows = table()[0]
    for _ in range(300):
        place = int(rng.integers(0, N))
        left, right = rows.copy(), rows.copy()
        left[place], right[place] = (rng.standard_normal(WIDTH) * 10.0 ** rng.uniform(-3, 12) for _ in range(2))
        assert np.linalg.norm(moments_of(left, evened) - moments_of(right, evened)) <= stated


def test_what_is_stated_is_attained_at_right_angles() -> None:
    """Without a constant column, which no row can turn away from."""
    bounds = replace(BOUNDS, intercept=0.0)
    facts = Facts(Logistic(), L2(1e-6), bounds, N, WIDTH)
    found = []
    for axis in (0, 1):
        rows = table()[0]
        rows[0] = 1e9 * np.eye(WIDTH)[axis]
        by = triangles.stretch(WIDTH) / N
        found.append(row_moments(enter(rows, np.zeros(N, dtype=int), bounds), by, None).reveal())
    assert 0.999999 * moved(facts).l2 < np.linalg.norm(found[0] - found[1]) <= moved(facts).l2


@given(st.integers(0, 2**32 - 1), st.floats(-3, 12), st.booleans())
def test_no_record_counts_for_more_than_the_longest_row(seed: int, size: float, evened: bool) -> None:
    row = np.random.default_rng(seed).standard_normal((1, WIDTH)) * 10.0**size
    assert np.linalg.norm(moments_of(row, evened)) <= 1


@pytest.mark.parametrize("evened", [False, True])
def test_wherever_records_lie_moments_are_the_same(evened: bool) -> None:
    rows = table()[0]
    expected = moments_of(rows, evened)
    borrowed = enter_borrowed(rows, np.zeros(N, dtype=int), BOUNDS, nobody)
    few = sparse.csr_array(rows)
    for records in (parts_of(rows, 16), parts_of(rows, 4), parts_of(rows, 64), borrowed):
        assert np.allclose(moments_of(rows, evened, records), expected, rtol=1e-12, atol=1e-15)
    assert np.allclose(moments_of(few, evened), expected, rtol=1e-12, atol=1e-15)


def test_moments_are_those_made_row_by_row() -> None:
    rows = table()[0]
    clipped = rows / np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, None]
    whole = np.column_stack([clipped, np.full(N, 0.5)])
    square = whole.T @ whole / N / BOUNDS.norm**2
    assert np.allclose(triangles.matrix(moments_of(rows), WIDTH + 1), square, rtol=1e-9)
    weights = np.minimum(2.25, BOUNDS.norm / np.linalg.norm(whole, axis=1))
    square = (whole * weights[:, None]).T @ whole / N / BOUNDS.norm**2
    assert np.allclose(triangles.matrix(moments_of(rows, True), WIDTH + 1), square, rtol=1e-9)


@pytest.mark.parametrize("price", metric.PRICES)
def test_steps_and_metric_together_spend_exactly_the_budget(price: int) -> None:
    """The metric's noise is √price finer than a step's, in units of what it hides."""
    plan = plan_of(price)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + price
    assert 0.99e-3 < delta_gaussian(BUDGET.epsilon, plan.schedule.mu * math.sqrt(plan.event.steps)) <= 1e-3
    assert plan.metric is not None
    noise = metric.noise_of(plan.facts, plan.metric, plan.schedule.mu)
    spent = moved(plan.facts).l2 / noise.scale
    assert 0.999 * math.sqrt(price) < spent / plan.schedule.mu <= math.sqrt(price)
    assert noise.dim == triangles.numbers(WIDTH + 1)
    told = plan.constants()
    assert told["metric's noise scale"] == noise.scale
    assert told["metric's sensitivity"] == moved(plan.facts).l2
    assert told["steps' worth of the metric"] == price


def test_the_slack_of_draws_is_that_of_as_many_numbers_as_moments_have() -> None:
    wide = replace(facts_of(), features=300)
    plain = noisy_gradients._made(wide, BUDGET, Schedule(12, 2.0, 0.0, math.inf, 1.0), None)
    assert plan_of(4, facts=wide).event.delta_numeric > plain.event.delta_numeric


def test_moments_pass_the_door_once_and_every_gradient_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, heard = plan_of(), []
    rows, labels = table()

    def watched(value: Private[Array], noise: Any, *given: Any) -> Array:
        heard.append((noise, value.reveal()))
        return door.add_noise(value, noise, *given)

    monkeypatch.setattr(metric, "add_noise", watched)
    monkeypatch.setattr(noisy_gradients, "add_noise", watched)
    released(plan, enter(rows, labels, BOUNDS))
    assert len(heard) == 1 + plan.schedule.steps
    assert plan.metric is not None
    assert heard[0][0] == metric.noise_of(plan.facts, plan.metric, plan.schedule.mu)
    assert np.allclose(heard[0][1], moments_of(rows), rtol=1e-12)
    assert all(noise.dim == WIDTH + 1 for noise, _ in heard[1:])


def pair(loss: Loss, evened: bool) -> Any:
    """Opposite corners of a small table, fitted by a plan that no table of its size would get."""
    plan = plan_of(1, facts_of(loss=loss, evened=evened))
    rows, labels = table(3)
    left, right = rows.copy(), rows.copy()
    left[0], right[0] = [5.0, 0, 0, 0], [0, -5.0, 0, 0]
    other = labels.copy()
    labels[0], other[0] = 1, 0

    def fit(given: tuple[Array, Any]) -> Array:
        return np.asarray(released(plan, enter(*given, BOUNDS)).value)

    return fit, (left, labels), (right, other)


@pytest.mark.parametrize("loss", [Logistic(), CappedLogistic()], ids=repr)
def test_a_replay_moves_as_far_as_was_paid_for_and_no_further(loss: Loss) -> None:
    found = replay(*pair(loss, isinstance(loss, CappedLogistic)))
    assert found.holds
    assert 0.5 < found.ratio <= 1


def test_a_replay_notices_a_metric_with_too_little_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = metric.noise_of

    def short(facts: Facts, first: Metric, mu: float) -> Any:
        noise = honest(facts, first, mu)
        return replace(noise, scale=noise.scale / 8)

    given = pair(Logistic(), False)
    monkeypatch.setattr(metric, "noise_of", short)
    assert not replay(*given).holds


def test_what_is_audited_has_a_metric() -> None:
    classes = eq.LogisticRegression(EPSILON, in_metric.OF_CLASSES)
    numbers = eq.LinearRegression(EPSILON, in_metric.OF_NUMBERS, label_bounds=in_metric.LABELS)
    targets = in_metric.in_metric(EPSILON)[:2]
    # An anchor of numbers shares what is paid beside steps, and no one exchange moves both as far as it may.
    for estimator, target, least in zip((classes, numbers), targets, (0.9, 0.7), strict=True):
        plan = estimator.plan(in_metric.ROWS, in_metric.COLUMNS)
        assert isinstance(plan, GradientPlan)
        assert plan.metric is not None
        found = [replay(target.release, pair.left, pair.right) for pair in target.pairs]
        assert all(each.holds for each in found)
        assert least < max(each.ratio for each in found) <= 1


@pytest.mark.parametrize(
    "facts",
    [
        facts_of(MANY, adjacency=Adjacency.ADD_REMOVE),
        facts_of(MANY, person_rows=2),
        facts_of(MANY, partners=2),
        facts_of(MANY // 8, Softmax(metric.MOST_CLASSES + 1)),
        facts_of(1000),
        facts_of(3 * MANY),
        replace(facts_of(MANY), bounds=replace(BOUNDS, coef_norm=3.0)),
        replace(facts_of(MANY), bounds=replace(BOUNDS, view=View(0.4))),
        replace(facts_of(MANY), penalty=L2(1e-3, (0.0,) * (WIDTH + 1))),
        replace(facts_of(MANY), features=metric.MOST_COLUMNS + 1),
    ],
    ids=["add-remove", "persons", "pairs", "classes", "few", "very many", "ball", "view", "start", "wide"],
)
def test_it_is_offered_only_where_its_proof_and_its_figures_hold(facts: Facts) -> None:
    assert not metric.serves(facts)
    assert metric.serves(facts_of(MANY))


def test_auto_takes_it_where_a_walk_would_be_long_and_says_so() -> None:
    plan = eq.LogisticRegression(1.0, 1e-6).plan(100_000, 20)
    assert isinstance(plan, GradientPlan)
    assert plan.metric is not None
    assert metric.words(plan.metric) in plan.notes
    assert plan.passes <= 20
    assert all(MEANINGS.get(name) for name in plan.constants())
    small = eq.LogisticRegression(1.0, 1e-6).plan(4_000, 20)
    assert "steps' worth of the metric" not in small.constants()


def test_a_solver_that_is_as_good_comes_first() -> None:
    """Steps in a metric count as more passes than it takes, which are more than a solver's."""
    plan = plan_of()
    assert passes(plan) == plan.passes == 8 + 1
    assert work(plan) > SOLVER_PASSES
    assert eq.LogisticRegression(1.0, 1e-6).plan(1_000_000, 100).mechanism == "objective"


def drawn(n: int, columns: int, size: float, off: float = 0.0) -> tuple[Array, npt.NDArray[np.int64], Array]:
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((n, columns)) * np.arange(1, columns + 1) ** -0.7
    rows /= np.quantile(np.linalg.norm(rows, axis=1), 0.95)
    scores = rows @ rng.standard_normal(columns)
    chances = 1 / (1 + np.exp(-(scores * size / scores.std() + off)))
    return rows, (rng.random(n) < chances).astype(int), chances


@pytest.mark.parametrize("size", [0.5, 2.0, 7.0])
@pytest.mark.parametrize("off", [0.0, -3.0])
def test_a_few_steps_end_where_hundreds_would(size: float, off: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Excess log-loss, weak signals and strong, even classes and rare ones.  Seeded: no false alarm by chance."""
    rows, labels, chances = drawn(60_000, 20, size, off)

    def excess() -> float:
        choose.cache_clear()
        model = eq.LogisticRegression(1.0, 1e-6, mechanism="noisy-gradient", random_state=2).fit(rows, labels)
        told = np.clip(model.predict_proba(rows)[:, 1], 1e-9, 1 - 1e-9)
        parts = chances * np.log(chances / told) + (1 - chances) * np.log((1 - chances) / (1 - told))
        assert ("metric's floor" in model.guarantee_.constants) == (metric.WAITED_FOR < 10**9)
        return float(np.mean(parts))

    short = excess()
    monkeypatch.setattr(metric, "WAITED_FOR", 10**9)
    assert short <= 1.1 * excess() + 1e-3
    choose.cache_clear()


def test_more_rows_and_more_epsilon_do_not_hurt() -> None:
    """Seeded: no false alarm by chance."""
    rows, labels, chances = drawn(160_000, 12, 3.0)
    found = {}
    for n in (10_000, 40_000, 160_000):
        for epsilon in (0.3, 3.0):
            model = eq.LogisticRegression(epsilon, 1e-6, random_state=4).fit(rows[:n], labels[:n])
            told = np.clip(model.predict_proba(rows)[:, 1], 1e-9, 1 - 1e-9)
            parts = chances * np.log(chances / told) + (1 - chances) * np.log((1 - chances) / (1 - told))
            found[n, epsilon] = float(np.mean(parts))
    for n in (10_000, 40_000, 160_000):
        assert found[n, 3.0] <= found[n, 0.3] + 1e-3
    for epsilon in (0.3, 3.0):
        assert found[160_000, epsilon] <= found[40_000, epsilon] + 1e-3 <= found[10_000, epsilon] + 2e-3


@pytest.mark.parametrize("other", [{"adjacency": Adjacency.ADD_REMOVE}, {"person_rows": 3}], ids=str)
def test_moments_of_records_that_are_not_counted_one_by_one_are_never_released(other: dict[str, Any]) -> None:
    """No plan asks for them; whoever makes one by hand gets no moments without the records' weights."""
    plan = plan_of()
    assert plan.metric is not None
    unserved = replace(plan, facts=replace(plan.facts, **other))
    assert not metric.serves(unserved.facts)
    rows, labels = table()
    records = enter(rows, labels, plan.facts.bounds)
    with Ledger().reserve(plan.event) as entry, pytest.raises(eq.MechanismRefused, match="metric"):
        metric.release(records, unserved, plan.metric, entry, bits_from(0))
