"""Records that count the more the shorter their rows are: what one of them can do, and that nothing else decides it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import equipoise as eq
from equipoise.errors import MechanismRefused
from equipoise.gate import MECHANISMS, bits_from
from equipoise.gate.models import noisy_gradients
from equipoise.gate.models.choose import choose
from equipoise.inside import Private, Records, enter, evened_gradient, mean_gradient, seen_from
from equipoise.inside.borrowed import enter_borrowed
from equipoise.inside.design import rows_of
from equipoise.inside.parted import enter_streamed
from equipoise.inside.records import nobody
from equipoise.ledger import Ledger
from equipoise.theory import sensitivity
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds, View
from equipoise.theory.evening import LARGEST_WEIGHT, Evening, weights
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import CappedLogistic, ClippedSoftmax, Huber, Logistic, Loss, Softmax
from equipoise.theory.plan import Facts, GradientPlan
from equipoise.theory.regularisers import L2

Array = npt.NDArray[np.float64]
N, WIDTH, HEIGHT = 300, 5, 64
BOUNDS = Bounds(1.0, 0.5, classes=(0, 1))
CAPPED, CLIPPED = CappedLogistic(0.5), ClippedSoftmax(4)
LOSSES: list[Loss] = [CAPPED, CappedLogistic(0.65), Logistic(), Softmax(3), CLIPPED, Huber(0.25, 1.0, 2.0)]


def bounds_of(loss: Loss, intercept: float = 0.5) -> Bounds:
    if loss.traits.labels.name == "NUMBERS":
        return Bounds(1.0, intercept, label_range=(-1.0, 1.0))
    return Bounds(1.0, intercept, classes=tuple(range(max(2, loss.outputs + 1))))


def facts_of(loss: Loss, n: int = N, intercept: float = 0.5, **more: Any) -> Facts:
    width = WIDTH + (1 if intercept else 0)
    return Facts(loss, L2(1e-3), bounds_of(loss, intercept), n, width, evened=True, **more)


def table(seed: int = 0, n: int = N) -> Array:
    """Rows of every length, some beyond their bound."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, WIDTH)) * 10.0 ** rng.uniform(-3, 1, (n, 1))


def labels_for(loss: Loss, n: int = N, seed: int = 1) -> npt.NDArray[Any]:
    rng = np.random.default_rng(seed)
    if loss.traits.labels.name == "NUMBERS":
        return rng.uniform(-1, 1, n)
    return rng.integers(0, max(2, loss.outputs + 1), n)


def moved(facts: Facts, w: Array, left: tuple[Array, Any], right: tuple[Array, Any]) -> float:
    """How far the sum over one record goes when it becomes another."""
    found = []
    for row, label in (left, right):
        one = enter(row[None], np.array([label]), facts.bounds)
        found.append(evened_gradient(one, replace(facts, n=1), w).reveal())
    return float(np.linalg.norm(found[0] - found[1]))


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("intercept", [0.5, 0.0])
def test_no_exchange_of_a_record_moves_the_sum_by_more_than_is_stated(loss: Loss, intercept: float) -> None:
    """At random, along the coefficients and against them, short rows and long ones."""
    facts, rng = facts_of(loss, n=1, intercept=intercept), np.random.default_rng(2)
    labels: list[Any] = list(facts.bounds.classes or (-1.0, 1.0))
    for size in (0.0, 0.3, 1.0, 4.0, 30.0):
        w = rng.standard_normal(facts.dim)
        w *= size / np.linalg.norm(w)
        stated = sensitivity.of_mean_gradient(facts, size).l2
        along = w[:WIDTH] / max(float(np.linalg.norm(w[:WIDTH])), 1e-12)
        for _ in range(60):
            rows = rng.standard_normal((2, WIDTH)) if rng.random() < 0.5 else np.stack([along, -along])
            rows *= 10.0 ** rng.uniform(-2, 2, (2, 1)) * rng.choice([-1, 1], (2, 1))
            first, second = rng.choice(labels, 2)
            assert moved(facts, w, (rows[0], first), (rows[1], second)) <= stated


@pytest.mark.parametrize("loss", [CAPPED, CLIPPED, Huber(0.25, 1.0, 2.0)], ids=repr)
def test_what_is_stated_is_attained_by_short_rows_too(loss: Loss) -> None:
    """A row of half the bound and its opposite, where slopes are as long as they may be."""
    facts, row = facts_of(loss, n=1, intercept=0.0), np.zeros(WIDTH)
    row[1] = 0.5
    labels = facts.bounds.classes or (-1.0, 1.0)
    found = []
    for size in (0.0, 40.0):  # classes are far from even where scores are large
        w = np.zeros(facts.dim)
        w[1::WIDTH] = size * np.linspace(1, -1, loss.outputs) if loss.outputs > 1 else 0.0
        stated = sensitivity.of_mean_gradient(facts, float(np.linalg.norm(w))).l2
        found += [moved(facts, w, (row, a), (-row, b)) / stated for a in labels for b in labels]
    assert 0.99 < max(found) <= 1


def test_mirrored_rows_say_nothing_where_records_are_evened() -> None:
    """The pair of the proof that goes beyond the diameter of rows as they are: why twice the slope is taken."""
    facts = facts_of(Logistic(), n=1, intercept=0.0)
    w, long, short = np.zeros(WIDTH), np.zeros(WIDTH), np.zeros(WIDTH)
    w[0], long[0], short[0] = -1.0, 1.0, -4 / 9
    found = moved(facts, w, (long, 1), (short, 1))
    assert found > sensitivity.of_mean_gradient(replace(facts, evened=False), 1.0).l2 * 1.01
    assert found <= sensitivity.of_mean_gradient(facts, 1.0).l2


@given(st.lists(st.floats(0, 1.2, allow_subnormal=True), min_size=1, max_size=30), st.floats(0.1, 3))
def test_no_record_pulls_harder_than_the_longest_row(lengths: list[float], norm: float) -> None:
    found = weights(np.array(lengths) * norm, Evening(norm), WIDTH)
    assert np.all(found * np.array(lengths) * norm <= norm)
    assert np.all((found > 0) & (found <= LARGEST_WEIGHT))


def test_a_sum_over_evened_records_is_the_one_made_record_by_record() -> None:
    for loss in LOSSES:
        facts, X, y = facts_of(loss), table(), labels_for(loss)
        w = np.random.default_rng(3).standard_normal(facts.dim)
        records = enter(X, y, facts.bounds)
        total = np.zeros(facts.dim)
        inner = records.reveal()
        for row, label in zip(rows_of(inner.design), y, strict=True):
            alone = mean_gradient(enter(row[None, :WIDTH], np.array([label]), facts.bounds), loss, 1, w).reveal()
            length = math.hypot(float(np.linalg.norm(row[:WIDTH])), 0.5)
            total += alone * min(LARGEST_WEIGHT, facts.bounds.norm / length)
        assert np.allclose(evened_gradient(records, facts, w).reveal(), total / N, rtol=1e-9, atol=1e-13)


def in_blocks(X: Array, y: Any, bounds: Bounds) -> Private[Records]:
    def blocks(order: Sequence[int] | None = None) -> Iterator[tuple[Array, npt.NDArray[Any]]]:
        for start in range(0, len(X), HEIGHT):
            yield X[start : start + HEIGHT].copy(), y[start : start + HEIGHT]

    return enter_streamed(blocks, len(X), WIDTH, WIDTH + 1, HEIGHT, bounds)


WAYS: dict[str, Callable[[Array, Any, Bounds], Private[Records]]] = {
    "sparse": lambda X, y, bounds: enter(sparse.csr_array(X), y, bounds),
    "singles": lambda X, y, bounds: enter(X.astype(np.float32).astype(np.float64), y, bounds),
    "streamed": in_blocks,
    "borrowed": lambda X, y, bounds: enter_borrowed(X, y, bounds, nobody),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loss", [CAPPED, CLIPPED], ids=repr)
def test_however_records_lie_they_count_the_same(way: str, loss: Loss) -> None:
    facts, X, y = facts_of(loss), table(), labels_for(loss)
    if way == "singles":
        X = X.astype(np.float32).astype(np.float64)
    w = np.random.default_rng(4).standard_normal(facts.dim)
    here = evened_gradient(enter(X, y, facts.bounds), facts, w).reveal()
    there = evened_gradient(WAYS[way](X.copy(), y, facts.bounds), facts, w).reveal()
    assert np.allclose(here, there, rtol=0, atol=1e-14)
    plain = mean_gradient(enter(X, y, facts.bounds), loss, N, w).reveal()
    assert not np.allclose(here, plain, atol=1e-3)


@pytest.mark.parametrize("way", ["sparse", "streamed", "borrowed"])
def test_what_a_record_counts_does_not_depend_on_the_others(way: str) -> None:
    """One record becomes huge, or full of gaps: the sum over the others is what it was."""
    facts, X, y = facts_of(CAPPED), table(5), labels_for(CAPPED)
    w = np.random.default_rng(6).standard_normal(facts.dim)

    def others(row: Array) -> Array:
        changed = X.copy()
        changed[7] = row
        whole = evened_gradient(WAYS[way](changed, y, facts.bounds), facts, w).reveal() * N
        alone = evened_gradient(enter(row[None], y[7:8], facts.bounds), replace(facts, n=1), w).reveal()
        return np.asarray(whole - alone)

    usual = others(X[7])
    for row in (np.full(WIDTH, 1e300), np.full(WIDTH, np.nan), np.zeros(WIDTH), np.full(WIDTH, 1e-200)):
        assert np.allclose(others(row), usual, rtol=0, atol=1e-12)


def test_rows_seen_from_a_middle_are_evened_as_they_are_seen() -> None:
    facts = replace(facts_of(CAPPED), bounds=replace(BOUNDS, intercept=0.2, view=View(0.4)))
    view = View(0.4, (0.1, -0.2, 0.0, 0.05, 0.1))
    X, y = table(8), labels_for(CAPPED)
    w = np.linspace(-1, 1, WIDTH + 1)
    seen = [seen_from(made(X, y, BOUNDS), view, 0.2) for made in (enter, in_blocks)]
    here, there = (evened_gradient(each, facts, w).reveal() for each in seen)
    assert np.allclose(here, there, rtol=0, atol=1e-14)
    rows = rows_of(seen[0].reveal().design)
    pulls = weights(np.linalg.norm(rows, axis=1), Evening(facts.bounds.norm), WIDTH + 1) * np.linalg.norm(rows, axis=1)
    assert pulls.max() <= facts.bounds.norm


@pytest.mark.parametrize("more", [{}, {"adjacency": Adjacency.ADD_REMOVE}, {"person_rows": 3}], ids=str)
def test_a_plan_by_name_evens_where_that_is_free_and_says_so(more: dict[str, Any]) -> None:
    plain = Facts(CAPPED, L2(1e-3), BOUNDS, N, WIDTH + 1, **more)
    plan = choose(plain, Budget(1.0, 1e-6), "noisy-gradient", None, loss_is_given=True)
    assert isinstance(plan, GradientPlan)
    assert plan.facts.evened
    assert plan.constants()["largest weight of a record"] == LARGEST_WEIGHT
    twice = 1 if "adjacency" in more else 2
    together = more.get("person_rows", 1)
    assert plan.sensitivity.l2 == pytest.approx(together * twice * 0.5 * BOUNDS.norm / N, rel=1e-6)
    assert not choose(plain, Budget(1.0, 1e-6), "output", None, loss_is_given=True).facts.evened


def test_short_rows_are_learnt_from_as_long_ones_are() -> None:
    """Rows of a fifth of their bound: at the same noise, what is learnt is nearer to what there is to learn.

    The mean accuracy of twelve fits; a standard error is about .01, the difference about .1."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(3000, 8))
    X *= 0.2 / np.linalg.norm(X, axis=1, keepdims=True)
    y = (X[:, 0] > 0).astype(int)

    def scored(evened: bool, seed: int) -> float:
        facts = Facts(CAPPED, L2(1e-6), BOUNDS, 3000, 9, evened=evened)
        plan = noisy_gradients.plan(facts, Budget(0.2, 1e-6))
        with Ledger().reserve(plan.event) as entry:
            found = MECHANISMS[plan.mechanism].release(enter(X, y, BOUNDS), plan, entry, bits_from(seed)).value
        return float(np.mean((X @ found[:-1] + 0.5 * found[-1] > 0) == (y == 1)))

    gain = [scored(True, seed) - scored(False, seed) for seed in range(12)]
    assert np.mean(gain) > 0.02


def test_a_default_fit_of_several_classes_walks_on_shortened_slopes() -> None:
    plan = eq.LogisticRegression(1.0, 1e-6, classes=[0, 1, 2]).plan(n=3000, d=6)
    assert isinstance(plan.facts.loss, ClippedSoftmax)
    assert plan.mechanism == "noisy-gradient"
    pure = eq.LogisticRegression(1.0, classes=[0, 1, 2]).plan(n=3000, d=6)
    assert pure.facts.loss.traits.potential


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "noisy-gradient"])
def test_a_mechanism_that_needs_a_minimum_refuses_slopes_of_nothing(name: str) -> None:
    facts = Facts(CLIPPED, L2(1e-3), bounds_of(CLIPPED), N, WIDTH + 1)
    assert not MECHANISMS[name].needs.met_by_facts(facts, Budget(1.0, 1e-6))
    with pytest.raises(MechanismRefused, match="has none"):
        choose(facts, Budget(1.0, 1e-6), name, None)
    taken = choose(facts, Budget(1.0, 1e-6), "auto", None, loss_is_given=True)
    assert taken.mechanism == "noisy-gradient"
