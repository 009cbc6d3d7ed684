"""The middle of noisy gradients: what it moves, what it costs, when it is taken, and that nothing else leaves."""

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
from equipoise.audit.subjects import seen_rows
from equipoise.audit.subjects.library import EPSILON
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS, bits_from, door
from equipoise.gate.models import middle, noisy_gradients
from equipoise.gate.models.choose import choose
from equipoise.inside import Private, Records, enter, mean_gradient, mean_row, seen_from
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.events import GaussianRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, Huber, Logistic, Loss
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2
from equipoise.theory.schedule import Anchor, Middle

Array = npt.NDArray[np.float64]
N, COLUMNS, BUDGET = 400, 16, Budget(4.0, 1e-3)
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))


def facts_of(loss: Loss | None = None, n: int = N, **more: Any) -> Facts:
    return Facts(loss or CappedLogistic(0.5), L2(1e-3), BOUNDS, n, COLUMNS + 1, **more)


def plan_of(price: int = 4) -> GradientPlan:
    """With a middle at this price, whether it pays or not."""
    plain = noisy_gradients.plan(middle.seen(facts_of()), BUDGET)
    return noisy_gradients._made(plain.facts, BUDGET, plain.schedule, None, Middle(price))


def table(seed: int = 0, n: int = N) -> tuple[Array, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    rows = 0.6 / math.sqrt(COLUMNS) + rng.standard_normal((n, COLUMNS)) / 6
    return rows, (rows[:, 0] > rows[:, 1]).astype(int)


def records_of(seed: int = 0) -> Private[Records]:
    return enter(*table(seed), BOUNDS)


def released(plan: GradientPlan, records: Private[Records]) -> Any:
    with Ledger().reserve(plan.event) as entry:
        return MECHANISMS[plan.mechanism].release(records, plan, entry, bits_from(5))


def mean_of(rows: Array) -> Array:
    return mean_row(enter(rows, np.zeros(len(rows), dtype=int), BOUNDS), len(rows)).reveal()


def test_replacing_a_row_moves_the_mean_row_by_the_stated_sensitivity_and_never_more() -> None:
    """Attained by opposite rows, however long before they are clipped."""
    stated = sensitivity.of_mean_row(facts_of()).l2
    rows = table()[0]
    left, right = rows.copy(), rows.copy()
    left[0], right[0] = 0.0, 0.0
    left[0, 3], right[0, 3] = 1e9, -1e9
    assert 0.999999 * stated < np.linalg.norm(mean_of(left) - mean_of(right)) <= stated
    rng = np.random.default_rng(1)
    for _ in range(200):
        left[0], right[0] = (rng.standard_normal(COLUMNS) * 10.0 ** rng.uniform(-3, 12) for _ in range(2))
        assert np.linalg.norm(mean_of(left) - mean_of(right)) <= stated


@pytest.mark.parametrize("price", middle.PRICES)
def test_steps_and_middle_together_spend_exactly_the_budget(price: int) -> None:
    """The middle's noise is √price finer than a step's, in units of what it hides."""
    plan = plan_of(price)
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + price
    total = plan.schedule.mu * math.sqrt(plan.schedule.steps + price)
    assert 0.99e-3 < delta_gaussian(BUDGET.epsilon, total) <= 1e-3
    noise = middle.noise_of(plan.facts, Middle(price), plan.schedule.mu)
    spent = sensitivity.of_mean_row(plan.facts).l2 / noise.scale
    assert 0.999 * math.sqrt(price) < spent / plan.schedule.mu <= math.sqrt(price)
    assert noise.dim == COLUMNS


def test_with_an_anchor_as_well_all_three_share_the_budget() -> None:
    plain = noisy_gradients.plan(middle.seen(facts_of(Huber(0.25, 1.0, 2.0))), BUDGET)
    plan = noisy_gradients._made(plain.facts, BUDGET, plain.schedule, Anchor(Huber(1.5, 1.0), 9), Middle(4))
    assert isinstance(plan.event, GaussianRelease)
    assert plan.event.steps == plan.schedule.steps + 13
    assert delta_gaussian(BUDGET.epsilon, plan.schedule.mu * math.sqrt(plan.event.steps)) <= 1e-3


def test_the_middle_is_what_passed_the_door_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, records, heard = plan_of(), records_of(), []

    def watched(*given: Any) -> Array:
        heard.append((given[1], door.add_noise(*given)))
        return heard[-1][1]

    monkeypatch.setattr(middle, "add_noise", watched)
    view = released(plan, records).view
    ((noise, found),) = heard
    stated = middle.noise_of(plan.facts, Middle(4), plan.schedule.mu)
    assert noise == stated
    assert view.reach == plan.facts.bounds.reach == middle.REACH
    assert np.array_equal(view.middle, middle.shrunk(found, stated.rms, 1.0))


def test_the_walk_has_no_other_rows_than_those_seen_from_what_was_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its gradients are those of rows that were seen before they entered."""
    plan, records, asked = plan_of(), records_of(), []

    def watched(value: Private[Array], *given: Any) -> Array:
        asked.append(value.reveal())
        return door.add_noise(value, *given)

    monkeypatch.setattr(noisy_gradients, "add_noise", watched)
    view = released(plan, records).view
    own, _ = table()
    offsets = own / np.maximum(1.0, np.linalg.norm(own, axis=1))[:, None] - np.array(view.middle)
    bounds = Bounds(view.reach, plan.facts.bounds.intercept, classes=(0, 1))
    beforehand = enter(offsets, table()[1], bounds)
    start = mean_gradient(beforehand, plan.facts.loss, N, np.zeros(COLUMNS + 1)).reveal()
    assert len(asked) == plan.schedule.steps
    assert np.allclose(asked[0], start, rtol=1e-9, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.floats(-6, 300), st.floats(-8, 0))
def test_no_row_is_longer_than_the_reach_when_it_is_seen(seed: int, size: float, reach: float) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((5, COLUMNS)) * 10.0**size
    rows[0, 0], rows[1, 1] = np.nan, np.inf
    centre = rng.standard_normal(COLUMNS)
    view = View(10.0**reach, tuple((centre / np.linalg.norm(centre) * rng.uniform(0, 1)).tolist()))
    found = seen_from(enter(rows, np.zeros(5, dtype=int), BOUNDS), view, 0.25).reveal()
    norms = found.design.row_norms()
    assert np.isfinite(norms).all()
    assert (norms <= math.hypot(view.reach, 0.25)).all()
    assert found.design.longest_row <= math.hypot(view.reach, 0.25)


def test_a_row_is_seen_the_same_whatever_the_others_are() -> None:
    rng = np.random.default_rng(3)
    rows, view = rng.standard_normal((70, COLUMNS)) * 3, View(0.4, tuple(rng.uniform(-0.2, 0.2, COLUMNS).tolist()))
    labels = np.zeros(70, dtype=int)
    others = rows.copy()
    others[1:] *= 1e200
    for height in (1, 2, 33, 70):
        few = seen_from(enter(rows[:height], labels[:height], BOUNDS), view, 0.2).reveal().design
        odd = seen_from(enter(others[:height], labels[:height], BOUNDS), view, 0.2).reveal().design
        basis = np.eye(COLUMNS + 1)
        assert np.array_equal(few.matvec(basis)[0], odd.matvec(basis)[0])


def test_two_records_in_view_move_a_gradient_by_no_more_than_the_reach_allows() -> None:
    """Replace-one search where the slope is steepest, attained by opposite rows beyond the reach."""
    facts, view = middle.seen(facts_of(CappedLogistic(0.5), n=20)), View(0.4, (0.1,) * COLUMNS)
    stated = sensitivity.of_mean_gradient(facts, 0.0).l2
    rng, worst = np.random.default_rng(5), 0.0
    rows, labels = table(n=20)
    for _ in range(300):
        ends = [rng.standard_normal(COLUMNS) * 10.0 ** rng.uniform(-1, 6)]
        ends.append(2 * 0.1 - ends[0] if rng.random() < 0.5 else rng.standard_normal(COLUMNS))
        found = []
        for end, label in zip(ends, rng.integers(0, 2, 2), strict=True):
            rows[0], labels[0] = end, label
            near = seen_from(enter(rows, labels, BOUNDS), view, facts.bounds.intercept)
            found.append(mean_gradient(near, facts.loss, 20, np.zeros(COLUMNS + 1)).reveal())
        worst = max(worst, float(np.linalg.norm(found[0] - found[1])))
    assert 0.9 * stated < worst <= stated


@pytest.mark.parametrize(
    "facts",
    [
        replace(facts_of(), features=COLUMNS),
        replace(facts_of(), bounds=replace(BOUNDS, intercept=0.0)),
        replace(facts_of(), bounds=replace(BOUNDS, coef_norm=3.0)),
        replace(facts_of(), penalty=L2(1e-3, (0.0,) * (COLUMNS + 1))),
        facts_of(partners=2),
        facts_of(adjacency=Adjacency.ADD_REMOVE),
        facts_of(person_rows=2),
        facts_of(n=10**6),
    ],
    ids=["few columns", "no intercept", "a ball", "a start", "pairs", "add-remove", "persons", "very many numbers"],
)
def test_it_is_offered_only_where_its_proof_and_its_figures_hold(facts: Facts) -> None:
    assert not middle.serves(facts, BUDGET)
    assert middle.serves(facts_of(), BUDGET)
    assert not middle.serves(facts_of(), replace(BUDGET, delta=0.0))


def test_rows_are_seen_from_a_middle_only_where_noise_decides() -> None:
    """Of numbers up to 515 rows here, of classes up to ten times as many."""
    few, many = (Facts(Huber(0.25, 1.0, 2.0), L2(1e-3), BOUNDS, n, COLUMNS + 1) for n in (500, 600))
    assert middle.serves(few, BUDGET)
    assert not middle.serves(many, BUDGET)
    assert middle.serves(replace(many, loss=Logistic()), BUDGET)
    assert not middle.serves(replace(many, loss=Logistic(), n=6000), BUDGET)


def test_a_middle_that_costs_too_much_is_not_offered() -> None:
    facts, little = middle.seen(facts_of()), Budget(0.01, 1e-6)
    assert all(middle.offer(facts, little, steps) is None for steps in noisy_gradients.STEPS)
    with pytest.raises(MechanismRefused, match="costs too much"):
        noisy_gradients.plan(facts, little)
    many = middle.seen(facts_of(n=20_000))
    prices = [middle.offer(many, Budget(epsilon, 1e-6), 64) for epsilon in (0.1, 0.3, 1.0, 3.0)]
    assert [each.steps for each in prices if each] == sorted((each.steps for each in prices if each), reverse=True)


def test_auto_takes_it_where_it_is_asked_to_and_records_pay_for_it() -> None:
    few, many = (eq.LogisticRegression(0.3, 1e-6, middle="auto").plan(n, 22) for n in (200, 16_000))
    assert "steps' worth of the middle" not in few.constants()
    assert isinstance(many, GradientPlan)
    assert many.middle is not None
    assert middle.words(many.facts, many.middle) in many.notes
    assert many.constants()["steps' worth of the middle"] == many.middle.steps
    assert many.constants()["reach around the middle"] == middle.REACH
    assert many.constants()["middle's sensitivity"] == pytest.approx(2 / 16_000, rel=1e-6)
    noise = middle.noise_of(many.facts, many.middle, many.schedule.mu)
    assert many.constants()["middle's noise scale"] == noise.scale
    without = eq.LogisticRegression(0.3, 1e-6).plan(16_000, 22)
    by_name = eq.LogisticRegression(0.3, 1e-6, mechanism="noisy-gradient", middle="auto").plan(16_000, 22)
    assert without.facts.bounds.view is None is by_name.facts.bounds.view
    assert eq.LogisticRegression(1.0, 0.0, middle="auto").plan(16_000, 22).facts.bounds.view is None


def test_what_is_audited_has_a_middle() -> None:
    plan = eq.LogisticRegression(EPSILON, seen_rows.DELTA, middle="auto").plan(seen_rows.ROWS, seen_rows.COLUMNS)
    assert isinstance(plan, GradientPlan)
    assert plan.middle is not None


def test_a_replay_moves_as_far_as_was_paid_for_and_no_further() -> None:
    (target,) = seen_rows.seen_rows(EPSILON)
    found = [replay(target.release, pair.left, pair.right) for pair in target.pairs[:4]]
    assert all(each.holds for each in found)
    assert 0.5 < max(each.ratio for each in found) <= 1


BOTH: dict[str, Any] = {"label_bounds": (-1.0, 1.0), "middle": "auto", "random_state": 1}
"""A middle at one price and an anchor at another: 600 rows of sixteen columns at ε = 3."""


def pair_of_both() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(0.1, 0.1, (600, COLUMNS)), rng.uniform(-1, 1, 600)
    left, right = rows.copy(), rows.copy()
    left[0], right[0] = 1.0, -1.0
    plan = eq.LinearRegression(3.0, 1e-2, label_bounds=(-1.0, 1.0), middle="auto").plan(600, COLUMNS)
    assert isinstance(plan, GradientPlan)
    assert plan.middle is not None
    assert plan.anchor is not None
    assert plan.anchor.steps != plan.middle.steps

    def fit(given: tuple[Array, Array]) -> Array:
        return np.asarray(eq.LinearRegression(3.0, 1e-2, **BOTH).fit(*given).coef_)

    other = labels.copy()
    labels[0], other[0] = 1.0, -1.0
    return fit, (left, labels), (right, other)


def test_a_replay_of_a_middle_and_an_anchor_is_judged_by_what_both_cost() -> None:
    found = replay(*pair_of_both())
    assert found.holds
    assert 0.5 < found.ratio <= 1


def test_a_replay_notices_a_middle_with_too_little_noise_beside_an_anchor(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = middle.noise_of

    def short(facts: Facts, first: Middle, mu: float) -> Any:
        noise = honest(facts, first, mu)
        return replace(noise, scale=noise.scale / 8)

    fit, left, right = pair_of_both()
    monkeypatch.setattr(middle, "noise_of", short)
    choose.cache_clear()
    try:
        assert not replay(fit, left, right).holds
    finally:
        choose.cache_clear()


def test_a_middle_is_no_further_from_zero_than_a_row_and_shorter_than_its_noise_is_nothing() -> None:
    assert np.array_equal(middle.shrunk(np.full(4, 0.1), 0.1, 1.0), np.zeros(4))
    assert np.linalg.norm(middle.shrunk(np.full(4, 1e300), 1e-3, 2.0)) <= 2.0
    assert np.array_equal(middle.shrunk(np.full(4, np.inf), 1.0, 1.0), np.zeros(4))
    assert np.array_equal(middle.shrunk(np.zeros(4), 1.0, 1.0), np.zeros(4))
    kept = middle.shrunk(np.array([0.6, 0.0]), 0.1, 1.0)
    assert kept[0] == pytest.approx(0.6 * (1 - 2 * 0.01 / 0.36))


def test_rows_off_centre_are_told_apart_better_from_their_middle() -> None:
    """Seeded: no false alarm by chance."""
    rng = np.random.default_rng(8)
    apart = rng.integers(0, 2, 6000)
    rows = 0.18 + 0.06 * rng.standard_normal((6000, 20)) + 0.015 * np.outer(2 * apart - 1, np.sign(np.arange(20) - 9.5))
    scores = [
        eq.LogisticRegression(0.1, 1e-6, middle=each, random_state=3)
        .fit(rows[:5000], apart[:5000])
        .score(rows[5000:], apart[5000:])
        for each in (None, "auto")
    ]
    assert scores[1] > scores[0] + 0.02


def test_the_plain_logistic_loss_may_be_seen_from_a_middle_too() -> None:
    assert middle.serves(facts_of(Logistic()), BUDGET)
