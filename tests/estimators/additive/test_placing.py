"""Knots placed by private counts: what the counts can move, what all of it costs, and that any counts give knots."""

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
from equipoise.gate import noise_source
from equipoise.gate.tables.placing import plan as planned
from equipoise.gate.tables.placing import release
from equipoise.inside.tables.placing import cell_counts
from equipoise.ledger import Ledger
from equipoise.theory.accounting import total_spent
from equipoise.theory.additive import Numbers
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import Composed
from equipoise.theory.guarantees import Budget
from equipoise.theory.losses import Logistic
from equipoise.theory.plan import Facts
from equipoise.theory.regularisers import L2
from equipoise.theory.tables.placing import CELLS, EVEN, counts_moved, placed

Array = npt.NDArray[np.float64]
RANGES = ((0, 0.0, 1.0), (1, -5.0, 5.0), (2, 0.0, 100.0))


def counts_of(table: Array) -> Array:
    found = cell_counts(table, RANGES, CELLS)
    return np.asarray(found._Private__value)  # type: ignore[attr-defined]


def test_the_counts_reach_their_bound_and_never_pass_it() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 3)) * [1, 5, 60]
    best = {Adjacency.REPLACE_ONE: 0.0, Adjacency.ADD_REMOVE: 0.0}
    for _ in range(300):
        other = table.copy()
        other[0] = rng.choice([-math.inf, math.inf, math.nan, 0.0, 1.0, 4.9], size=3)
        moved = float(np.linalg.norm(counts_of(table) - counts_of(other)))
        best[Adjacency.REPLACE_ONE] = max(best[Adjacency.REPLACE_ONE], moved)
        gone = float(np.linalg.norm(counts_of(other) - counts_of(other[1:])))
        best[Adjacency.ADD_REMOVE] = max(best[Adjacency.ADD_REMOVE], gone)
    for adjacency, reached in best.items():
        bound = counts_moved(len(RANGES), adjacency)
        assert 0.999 * bound <= reached <= bound


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0, 40.0])
@pytest.mark.parametrize("columns", [1, 20])
def test_counts_and_gradients_together_stay_within_the_budget(adjacency: str, epsilon: float, columns: int) -> None:
    model = eq.AdditiveRegressor(
        epsilon, 1e-6, label_bounds=(0, 1), column_bounds=(0, 1), adjacency=adjacency, mechanism="noisy-gradient"
    )
    plan = model.plan(500_000, columns)
    assert isinstance(plan.event, Composed)
    assert len(plan.event.parts) == 2
    assert (plan.budget.epsilon, plan.guarantee(False).epsilon) == (epsilon, epsilon)
    spent = total_spent([plan.event], 1e-6).epsilon
    assert spent <= epsilon
    assert spent >= 0.999 * min(epsilon, 23.0)


def test_the_counts_have_the_noise_that_their_price_buys() -> None:
    """Of 2,000 numbers: a ratio outside 10 per cent has a chance below 1e-9."""
    facts = Facts(Logistic(), L2(1.0), Bounds(1.0), 100_000, 100)
    first = planned(20, facts, Budget(1.0, 1e-6))
    assert first is not None
    wanted = math.sqrt(2 * 20) / first.event.mu
    of_three = planned(20, replace(facts, person_rows=3), Budget(1.0, 1e-6))
    assert of_three is not None
    assert of_three.noise.scale == pytest.approx(3 * first.noise.scale, rel=1e-4)
    account, bits, drawn = Ledger(), noise_source("equipoise", 0), []
    ranges = tuple((place, 0.0, 1.0) for place in range(20))
    empty = np.full((3, 20), np.nan)
    for _ in range(4):
        with account.reserve(first.event, label="test") as entry:
            drawn.append(release(cell_counts(empty, ranges, CELLS), first, entry, bits))
            entry.commit()
    assert np.std(drawn) == pytest.approx(wanted, rel=0.1)


@given(st.lists(st.floats(-1e9, 1e9), min_size=CELLS, max_size=CELLS), st.floats(1e-3, 1e6), st.integers(2, 40))
def test_any_counts_give_rising_knots_between_the_bounds(counts: list[float], noise: float, knots: int) -> None:
    found = placed(np.array(counts), noise, -3.0, 1e6, knots)
    assert (found[0], found[-1], len(found)) == (-3.0, 1e6, knots)
    Numbers(found)


def test_knots_gather_where_records_are_and_some_stay_everywhere() -> None:
    counts = np.zeros(CELLS)
    counts[0] = 10_000
    found = np.array(placed(counts, 1.0, 0.0, 1.0, 16))
    assert np.sum(found <= 1 / CELLS) >= 12
    assert np.diff(found).max() < 1 / (EVEN * 12)
    blurred = placed(counts, 1e5, 0.0, 1.0, 16)
    assert np.allclose(blurred, np.linspace(0, 1, 16))


@pytest.fixture(scope="module")
def crowded() -> tuple[Array, Any]:
    """Nearly all of it happens in a twentieth of the range."""
    rng = np.random.default_rng(0)
    x = rng.exponential(0.02, size=(6000, 1))
    return x, (np.sin(x[:, 0] * 120) > 0).astype(int)


def test_placed_knots_see_what_even_ones_miss(crowded: tuple[Array, Any]) -> None:
    given: dict[str, Any] = {"column_bounds": (0, 1), "mechanism": "noisy-gradient"}
    free, even = (
        eq.AdditiveClassifier(10.0, 1e-5, **given, knots=knots, random_state=0) for knots in (None, 16)
    )
    scores = [model.fit(*crowded).score(*crowded) for model in (free, even)]
    assert scores[0] > scores[1] + 0.1
    assert free.shapes_[0].grid != even.shapes_[0].grid
    assert free.shapes_[0].grid[0][0] == 0.0
    assert free.shapes_[0].grid[0][-1] == 1.0


def test_one_debit_pays_for_counts_and_fit(crowded: tuple[Array, Any]) -> None:
    ledger = Ledger()
    model = eq.AdditiveClassifier(1.0, 1e-5, column_bounds=(0, 1), ledger=ledger).fit(*crowded)
    assert [entry.event for entry in ledger.entries()] == [model.plan(6000, 1).event]
    assert "knots were placed" in " ".join(model.guarantee_.notes)
    assert model.guarantee_.epsilon == 1.0


@pytest.mark.parametrize(
    "given",
    [{"knots": 8}, {"knots": {0: [0, 0.1, 1]}}, {"delta": 0.0}, {"mechanism": "output"}, {"categories": {0: [1]}}],
)
def test_nothing_is_counted_where_knots_are_given_or_the_noise_is_of_another_kind(given: dict[str, Any]) -> None:
    stated: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "column_bounds": (0, 1)} | given
    assert not isinstance(eq.AdditiveClassifier(**stated).plan(6000, 1).event, Composed)


def test_few_records_are_not_counted() -> None:
    model = eq.AdditiveClassifier(0.1, 1e-6, column_bounds=(0, 1), mechanism="noisy-gradient")
    assert not isinstance(model.plan(200, 10).event, Composed)
    assert isinstance(model.plan(200_000, 10).event, Composed)


def test_pairs_follow_the_placed_knots(crowded: tuple[Array, Any]) -> None:
    X = np.hstack([crowded[0], np.linspace(0, 1, 6000)[:, None]])
    model = eq.AdditiveClassifier(3.0, 1e-5, column_bounds=(0, 1), pairs=[(0, 1)], random_state=0).fit(X, crowded[1])
    first, _, pair = model.shapes_
    assert set(pair.grid[0]) <= set(first.grid[0])
    assert len(pair.grid[0]) == 6


def test_a_person_with_several_rows_moves_counts_and_gradients_so_many_times() -> None:
    one, three = (
        eq.AdditiveRegressor(
            1.0, 1e-6, label_bounds=(0, 1), column_bounds=(0, 1), mechanism="noisy-gradient", rows_per_person=cap
        ).plan(500_000, 2)
        for cap in (None, 3)
    )
    assert isinstance(three.event, Composed)
    assert counts_moved(2, Adjacency.REPLACE_ONE, 3) == pytest.approx(3 * counts_moved(2, Adjacency.REPLACE_ONE))
    assert three.sensitivity.l2 == pytest.approx(3 * one.sensitivity.l2, rel=1e-6)
    X = np.random.default_rng(0).uniform(size=(6000, 1))
    model = eq.AdditiveRegressor(1.0, 1e-6, label_bounds=(0, 1), column_bounds=(0, 1), rows_per_person=2)
    fitted = model.fit(X, X[:, 0], groups=np.arange(6000) // 3)
    assert fitted.guarantee_.constants["records"] == 4000
    assert "person" in fitted.guarantee_.unit
