"""The law of private answers, computed exactly on neighbours and compared with what is drawn; twins must be caught."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure
from equipoise.gate.answers import linear_answers as gate_answers
from equipoise.gate.answers.linear_answers import (
    AnswerPlan,
    LinearAnswers,
    learn_one_pass,
    learn_stable,
    plan_one_pass,
    plan_stable,
)
from equipoise.gate.door import add_noise
from equipoise.gate.noise import Grid, SecureBits, SeededBits
from equipoise.inside import Private, enter
from equipoise.inside.answers.linear_answers import unit_answers
from equipoise.ledger import Ledger
from equipoise.rows import compiled
from equipoise.rows.compiled.steps import measured
from equipoise.theory.accounting.compose import total_spent
from equipoise.theory.bounds import Bounds
from equipoise.theory.guarantees import Budget, Gaussian
from equipoise.theory.losses import Hinge, Huber, Logistic, Loss
from equipoise.theory.plan import Facts
from equipoise.theory.prediction import linear_answers as answers
from equipoise.theory.prediction.linear_answers import Stability
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
PURE, MIXED = Budget(0.8), Budget(0.8, 1e-6)


def facts_for(loss: Loss, n: int, bounds: Bounds) -> Facts:
    return Facts(loss, L2(0.1), bounds, n, 2 + (bounds.intercept > 0))


def neighbours(budget: Budget, *, one_pass: bool) -> tuple[LinearAnswers, LinearAnswers]:
    """A record beside zeros and its opposite: the pair that moves the coefficients as far as the theorem allows."""
    rows, labels = np.zeros((50, 2)), np.ones(50)
    rows[0, 0] = 1.0
    other = labels.copy()
    other[0] = -1.0
    if one_pass:
        bounds = Bounds(1.0, label_range=(-1.0, 1.0), coef_norm=1.0)
        plan = plan_one_pass(facts_for(Huber(0.1), 50, bounds), budget, 0.05)
        learn = learn_one_pass
    else:
        bounds = Bounds(1.0, classes=(-1, 1))
        plan, learn = plan_stable(facts_for(Hinge(), 50, bounds), budget, 0.1), learn_stable
    return learn(enter(rows, labels, bounds), plan, True), learn(enter(rows, other, bounds), plan, True)


def exact_units(learnt: LinearAnswers, queries: Array) -> Array:
    """Answers in units of their stability, without noise."""
    bounds, per_norm = learnt.plan.facts.bounds, learnt.plan.stability.per_norm
    return unit_answers(learnt.coefficients, queries, bounds, per_norm)[0].reveal()


def shift_in_steps(left: LinearAnswers, right: LinearAnswers, query: Array) -> int:
    """How many grid steps lie between the two values that the noise is added to."""
    plan = left.plan
    grid = Grid(plan.noise.step)
    ends = [exact_units(one, query) for one in (left, right)]
    return int(abs(grid.quantise(ends[0]) - grid.quantise(ends[1]))[0])


def exact_epsilon(left: LinearAnswers, right: LinearAnswers, query: Array) -> float:
    """Largest log-ratio of the two output laws: a shifted discrete Laplace law has shift over scale."""
    noise = left.plan.noise
    return shift_in_steps(left, right, query) / math.ceil(noise.scale / noise.step)


@pytest.mark.parametrize("one_pass", [False, True], ids=["stable", "one pass"])
@pytest.mark.parametrize("length", [1.0, 0.01, 40.0])
def test_the_exact_law_of_one_answer_uses_its_epsilon_and_no_more(one_pass: bool, length: float) -> None:
    left, right = neighbours(PURE, one_pass=one_pass)
    found = exact_epsilon(left, right, np.array([[length, 0.0]]))
    assert 0.98 * PURE.epsilon <= found <= PURE.epsilon


@pytest.mark.parametrize("one_pass", [False, True], ids=["stable", "one pass"])
def test_the_exact_shift_of_a_gaussian_answer_is_what_its_event_says(one_pass: bool) -> None:
    left, right = neighbours(MIXED, one_pass=one_pass)
    noise = left.plan.noise
    mu = shift_in_steps(left, right, np.array([[1.0, 0.0]])) / (noise.scale / noise.step)
    assert left.plan.mu is not None
    assert 0.98 * left.plan.mu <= mu <= left.plan.mu
    assert total_spent([left.event(1)], 1e-6).epsilon <= 0.8 * (1 + 1e-9)


def test_stability_as_printed_for_one_pass_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotaged twin: half the constant, as in Theorem 4.12."""
    honest = answers.of_one_pass

    def halved(facts: Facts, step_size: float) -> Stability:
        found = honest(facts, step_size)
        return replace(found, per_norm=found.per_norm / 2)

    monkeypatch.setattr(answers, "of_one_pass", halved)
    left, right = neighbours(PURE, one_pass=True)
    assert exact_epsilon(left, right, np.array([[1.0, 0.0]])) > 1.9 * PURE.epsilon


def joint_mu(left: LinearAnswers, right: LinearAnswers, queries: Array) -> float:
    """Answers with independent Gaussian noise: squares of their shifts add up."""
    noise = left.plan.noise
    shifts = [shift_in_steps(left, right, query[None]) / (noise.scale / noise.step) for query in queries]
    return math.hypot(*shifts)


def claimed_mu(plan: AnswerPlan, count: int) -> float:
    return math.hypot(
        *(math.sqrt(times) * cost.mu for cost, times in plan.event(count).costs if isinstance(cost, Gaussian))
    )


def test_many_gaussian_answers_compose_as_claimed() -> None:
    left, right = neighbours(MIXED, one_pass=False)
    queries = np.linspace(0.1, 1.0, 30)[:, None] * np.array([[1.0, 0.0]])
    found = joint_mu(left, right, queries)
    assert 0.98 * claimed_mu(left.plan, 30) <= found <= claimed_mu(left.plan, 30)


def test_the_deviation_of_one_answer_used_for_many_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = neighbours(MIXED, one_pass=False)
    queries = np.linspace(0.1, 1.0, 30)[:, None] * np.array([[1.0, 0.0]])
    honest = AnswerPlan.event
    monkeypatch.setattr(AnswerPlan, "event", lambda self, count: honest(self, 1))
    assert joint_mu(left, right, queries) > 5 * claimed_mu(left.plan, 30)


def noise_of(learnt: LinearAnswers, count: int, bits: Any) -> Array:
    """What was added to `count` distinct queries, in units of the noise scale."""
    queries = np.column_stack([np.linspace(0.1, 0.9, count), np.linspace(-0.5, 0.5, count)])
    with Ledger().reserve(learnt.event(count)) as entry:
        told = learnt.answer(queries, entry, bits)
    per_norm = learnt.plan.stability.per_norm
    units: Array = told / (np.linalg.norm(queries, axis=1) * per_norm)
    return (units - exact_units(learnt, queries)) / learnt.plan.noise.scale


@pytest.mark.parametrize("budget", [PURE, MIXED], ids=["laplace", "gaussian"])
def test_drawn_noise_follows_the_planned_law(budget: Budget) -> None:
    found = noise_of(neighbours(budget, one_pass=False)[0], 20_000, SecureBits())
    law = stats.laplace if budget is PURE else stats.norm
    assert stats.kstest(found, law.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(found / 1.3, law.cdf).pvalue < FALSE_ALARM


def fresh_for_every_query(learnt: LinearAnswers) -> bool:
    found = noise_of(learnt, 2000, SeededBits(5))
    shared = abs(float(np.corrcoef(found[:-1], found[1:])[0, 1]))
    return len(np.unique(found.round(6))) > 1900 and shared < 0.2


def test_noise_reused_across_queries_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = neighbours(PURE, one_pass=False)[0]
    assert fresh_for_every_query(learnt)

    def lazy(value: Any, noise: Any, *rest: Any) -> Array:
        one = add_noise(value.map(lambda inner: inner[:1]), replace(noise, dim=1), *rest)
        start = float(value.reveal()[0])
        return np.asarray(value.reveal() + (one[0] - start))

    monkeypatch.setattr(gate_answers, "add_noise", lazy)
    assert not fresh_for_every_query(learnt)


def test_an_entry_for_another_price_buys_nothing() -> None:
    learnt = neighbours(PURE, one_pass=False)[0]
    queries = np.array([[0.1, 0.2], [0.3, 0.4]])
    with Ledger().reserve(learnt.event(1)) as entry, pytest.raises(LedgerFailure, match="made for something else"):
        learnt.answer(queries, entry, SeededBits(0))
    with Ledger().reserve(learnt.event(2)) as paid:
        learnt.answer(queries, paid, SeededBits(0))
        paid.commit()
        with pytest.raises(LedgerFailure):
            learnt.answer(queries, paid, SeededBits(0))


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("row_norm", [1e-30, 2.0, 1e30])
@pytest.mark.parametrize("size", [1e-250, 1e-200, 1e-3, 1.0, 7.0, 1e160, 1e308])
def test_directions_have_length_one_whatever_the_size_of_a_query(
    intercept: float, row_norm: float, size: float
) -> None:
    """The answer of coefficients along an axis is the direction's part along that axis."""
    bounds = Bounds(row_norm, intercept * row_norm)
    queries = np.array([[0.6, -0.8], [1.0, 1.0], [0.0, -1.0]]) * size
    columns = 2 + (intercept > 0)
    parts, towards = [], None
    for axis in np.eye(columns):
        units, towards = unit_answers(Private(axis), queries, bounds, 1.0)
        parts.append(units.reveal())
    assert towards is not None
    assert np.allclose(np.linalg.norm(parts, axis=0), 1.0, rtol=1e-12)
    assert np.allclose(parts[0] * np.array([0.8, 1, 1]), -parts[1] * np.array([0.6, -1, 0]), rtol=1e-6)
    with np.errstate(over="ignore"):
        lengths = np.minimum(size * np.array([1.0, math.sqrt(2), 1.0]), row_norm)
    assert np.allclose(towards.norms / row_norm, np.hypot(lengths / row_norm, intercept), rtol=1e-6, atol=0)


def test_a_zero_query_without_intercept_is_answered_zero() -> None:
    units, towards = unit_answers(Private(np.ones(3)), np.zeros((2, 3)), Bounds(1.0), 0.1)
    assert np.array_equal(units.reveal(), np.zeros(2))
    assert np.array_equal(towards.norms, np.zeros(2))


def test_long_and_short_queries_may_share_a_batch() -> None:
    queries = np.array([[1e300, 0.0], [0.3, 0.4], [0.0, 0.0], [1e-300, 1e-300]])
    together, _ = unit_answers(Private(np.array([1.0, 2.0, 3.0])), queries, Bounds(1.0, 0.5), 0.1)
    for place, query in enumerate(queries):
        alone, _ = unit_answers(Private(np.array([1.0, 2.0, 3.0])), query[None], Bounds(1.0, 0.5), 0.1)
        assert together.reveal()[place] == pytest.approx(alone.reveal()[0])


def test_the_largest_answers_pass_the_grid_unclamped() -> None:
    """So many records that the stability is tiny beside the coefficients."""
    bounds = Bounds(1.0, classes=(-1, 1))
    plan = plan_stable(facts_for(Logistic(), 10**12, bounds), Budget(20.0), 1e-6)
    assert plan.stability.reach / plan.noise.step < 2**52
    assert plan.noise.scale >= plan.stability.unit_sensitivity(2) / 20


def test_auto_is_a_function_of_public_facts_and_stays_within_the_longest_step() -> None:
    facts = facts_for(Logistic(), 5000, Bounds(1.0, 0.5, classes=(0, 1), coef_norm=5.0))
    assert plan_stable(facts, PURE, None) == plan_stable(facts, PURE, None)
    step = plan_one_pass(facts, PURE, None).step_size
    assert step is not None
    assert 0 < step <= answers.longest_step(facts)


@pytest.mark.parametrize("columns", [3, 40])
def test_a_row_edited_meanwhile_is_measured_and_multiplied_as_one(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries are the caller's memory.  Whoever lengthens a row after it was measured must not lengthen its product:
    the noise is for a direction of length one."""
    queries = np.random.default_rng(0).normal(size=(50, columns))
    before, w = queries.copy(), np.linspace(-1, 1, columns)
    multiply = np.matmul

    def edited(*given: Any, **more: Any) -> Any:
        queries[:] = 1e6
        return multiply(*given, **more)

    monkeypatch.setattr(compiled, "CELLS", None)
    monkeypatch.setattr(np, "matmul", edited)
    units, towards = unit_answers(Private(w), queries, Bounds(1.0), 1.0)
    monkeypatch.undo()
    assert np.all(queries == 1e6)
    told = units.reveal()
    assert np.abs(told).max() <= np.linalg.norm(w) * (1 + 1e-9)
    np.testing.assert_allclose(told, before @ w / np.linalg.norm(before, axis=1))
    np.testing.assert_allclose(towards.norms, np.minimum(np.linalg.norm(before, axis=1), 1.0))


@pytest.mark.skipif(compiled.CELLS is None, reason="nothing is compiled here")
@pytest.mark.parametrize("columns", [3, 9])
def test_compiled_steps_measure_the_row_that_they_multiply(columns: int) -> None:
    """Somebody makes rows long and short all the while.  By Cauchy and Schwarz no product is larger than its row's
    length times that of w, if both are of one reading, whatever is met."""
    rows, w = 20_000, np.ones(columns)
    X, over = np.ones((rows, columns)), threading.Event()

    def lengthen() -> None:
        while not over.is_set():
            X[:] = 1e3
            X[:] = 1e-3

    somebody = threading.Thread(target=lengthen)
    somebody.start()
    try:
        for _ in range(400):
            products, squares = np.empty(rows), np.empty(rows)
            assert measured(X, w, products, squares)
            assert np.all(products <= np.sqrt(columns * squares) * (1 + 1e-9))
    finally:
        over.set()
        somebody.join()


@pytest.mark.parametrize("columns", [1, 3, 4, 5, 8, 31, 200])
def test_compiled_products_and_squares_are_those_of_the_rows(columns: int) -> None:
    X = np.random.default_rng(columns).normal(size=(60, columns + 2))[3:, 1:-1]
    w, products, squares = np.linspace(-1, 1, columns), np.empty(57), np.empty(57)
    if not measured(X, w, products, squares):
        pytest.skip("nothing is compiled here")
    np.testing.assert_allclose(products, X @ w, atol=1e-13)
    np.testing.assert_allclose(squares, (X * X).sum(axis=1), rtol=1e-13)
    assert not measured(X, w[:-1], products, squares)
    assert not measured(X.astype(np.float32), w, products, squares)
    with pytest.raises(TypeError):
        measured(X, w, products[:-1], squares)


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize(("odd", "counts"), [(np.nan, 0.0), (np.inf, 1.7976931348623157e308)])
def test_cells_without_a_number_are_settled_and_other_rows_left_alone(
    odd: float, counts: float, intercept: float
) -> None:
    """As in the fit.  Nobody looked at the caller's memory before."""
    plain = np.random.default_rng(0).normal(size=(9, 3))
    bounds, w = Bounds(1.0, intercept), np.array([0.3, -0.8, 0.5, 0.7])[: 3 + (intercept > 0)]
    untouched, _ = unit_answers(Private(w), plain, bounds, 1.0)
    plain[2, 1], plain[4] = counts, counts
    asked = plain.copy()
    asked[2, 1], asked[4] = odd, odd
    expected, _ = unit_answers(Private(w), plain, bounds, 1.0)
    told, towards = unit_answers(Private(w), asked, bounds, 1.0)
    np.testing.assert_allclose(told.reveal(), expected.reveal(), rtol=1e-12)
    assert np.all(np.isfinite(towards.norms))
    others = [0, 1, 3, 5, 6, 7, 8]
    assert np.array_equal(told.reveal()[others], untouched.reveal()[others])
