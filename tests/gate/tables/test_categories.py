"""Thresholds attacked: lone values hardly ever show, counts have their law, neighbours are told apart no better."""

from __future__ import annotations

import math

import numpy as np
import pytest

from equipoise.errors import InvalidInput, LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.door import keep_frequent
from equipoise.gate.tables.categories import CategoriesPlan, release
from equipoise.gate.tables.counts import counts_noise
from equipoise.inside import Private
from equipoise.inside.tables.categories import enter_words, word_counts
from equipoise.ledger import Ledger
from equipoise.theory.events import ApproximateRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.tables.categories import chance_of_each, counts_moved, least_count, reaches

Words = dict[str, list[str | None]]


def law(noise: Noise, count: int, least: float) -> dict[float | None, float]:
    """Of what is released of one value that so many records have, enumerated: None where it is not found."""
    if count == 0:
        return {None: 1.0}
    ratio = math.exp(-noise.step / noise.scale)
    far = round(60 * noise.scale / noise.step)
    found: dict[float | None, float] = {None: 0.0}
    for step in range(-far, far + 1):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(step)
        noisy = count + step * noise.step
        key = noisy if noisy >= least else None
        found[key] = found.get(key, 0.0) + chance
    return found


Outcomes = dict[tuple[object, ...], float]


def hockey_stick(left: Outcomes, right: Outcomes, epsilon: float) -> float:
    """The smallest δ at which left ≤ e^ε·right + δ."""
    return math.fsum(max(0.0, chance - math.exp(epsilon) * right.get(key, 0.0)) for key, chance in left.items())


def product(one: dict[float | None, float], two: dict[float | None, float]) -> Outcomes:
    return {(a, b): p * q for a, p in one.items() for b, q in two.items() if p * q > 1e-14}


COARSE = 2.0
"""A grid of step one is enough here: an enumeration in two dimensions."""


@pytest.mark.parametrize(("counts", "others"), [((1, 0), (0, 1)), ((3, 0), (2, 1)), ((4, 2), (3, 3)), ((1, 5), (0, 6))])
@pytest.mark.parametrize("delta", [0.1, 0.02])
def test_the_enumerated_law_of_two_values_keeps_the_promise_both_ways(
    counts: tuple[int, int], others: tuple[int, int], delta: float
) -> None:
    """Exact: one record changes its value; the whole law of what leaves is (ε, δ)-close at ε = 2/scale."""
    noise = Noise(Law.LAPLACE, COARSE, 1.0, 1)
    least = least_count(noise, chance_of_each(delta, 1))
    epsilon = 2 / COARSE
    left, right = (product(*(law(noise, count, least) for count in both)) for both in (counts, others))
    assert max(hockey_stick(left, right, epsilon), hockey_stick(right, left, epsilon)) <= delta * (1 + 1e-9)
    if counts == (1, 0):  # attained: both values are a lone record's
        lower = least - 1
        here, there = (product(*(law(noise, count, lower) for count in both)) for both in (counts, others))
        assert hockey_stick(here, there, 0.0) > delta / 2


def test_epsilon_is_attained_where_counts_are_large() -> None:
    noise = Noise(Law.LAPLACE, COARSE, 1.0, 1)
    left, right = (product(*(law(noise, count, 3.0) for count in both)) for both in ((20, 20), (19, 21)))
    assert hockey_stick(left, right, 2 / COARSE) < 1e-9
    assert hockey_stick(left, right, 1.9 / COARSE) > 1e-4


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("columns", [1, 4])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.5])
def test_the_threshold_is_the_smallest_that_a_lone_record_hardly_reaches(
    epsilon: float, columns: int, delta: float
) -> None:
    plan = CategoriesPlan(100, columns, Budget(epsilon, delta))
    noise, chance = plan.noise, delta / (2 * columns)
    assert noise.scale >= 2 * columns / epsilon
    ratio = math.exp(-noise.step / noise.scale)
    exact = ratio ** ((plan.least - 1) / noise.step) / (1 + ratio)
    assert exact <= chance
    assert exact <= reaches(noise, plan.least) <= exact * (1 + 1e-9)
    assert plan.least == 1 or reaches(noise, plan.least - 1) > chance * (1 - 1e-9)


def test_a_record_moves_two_counts_in_every_column() -> None:
    left: Words = {"a": ["x", "y", None], "b": ["u", "u", "u"]}
    right: Words = {"a": ["z", "y", None], "b": ["v", "u", "u"]}
    one, other = (word_counts(enter_words(each)).reveal() for each in (left, right))
    moved = sum(abs(one.get(key, 0) - other.get(key, 0)) for key in {*one, *other})
    assert moved == counts_moved(2) == 4
    assert one == {("a", "x"): 1, ("a", "y"): 1, ("b", "u"): 3}


def test_lone_values_show_as_often_as_stated_and_frequent_ones_do() -> None:
    """800 seeded draws at δ = .2: at most δ/2 = .1 of them show a lone value (bound 5 deviations wide, below 1e-6
    for a right law), and some do; a threshold one lower is caught."""
    plan, seen, lower = CategoriesPlan(30, 1, Budget(1.0, 0.2)), 0, 0
    words = enter_words({"town": ["rare", *["often"] * 29]})
    for seed in range(800):
        with Ledger(9.0, 0.9).reserve(plan.event) as entry:
            found = release(words, plan, entry, bits_from(seed))
        assert ("town", "often") in found
        seen += ("town", "rare") in found
        with Ledger(9.0, 0.9).reserve(plan.event) as entry:
            twin = keep_frequent(word_counts(words), plan.noise, plan.least - 1.0, plan.event, entry, bits_from(seed))
        lower += ("town", "rare") in twin
    wide = 5 * math.sqrt(0.1 * 0.9 / 800)
    assert 0.02 < seen / 800 <= 0.1 + wide
    assert lower / 800 > 0.1


def test_noise_is_drawn_for_each_value_by_itself_and_in_the_order_of_names() -> None:
    event, noise = ApproximateRelease(1.0, 1e-3), counts_noise(1, 2, 1.0)
    made = []
    for order in ([("a", "x"), ("a", "y")], [("a", "y"), ("a", "x")]):
        with Ledger(9.0, 0.9).reserve(event) as entry:
            counts = Private(dict.fromkeys(order, 50))
            made.append(keep_frequent(counts, noise, 2.0, event, entry, bits_from(1)))
    assert made[0] == made[1]
    assert len(set(made[0].values())) == 2


def test_nothing_counted_nothing_found() -> None:
    plan = CategoriesPlan(3, 1, Budget(1.0, 1e-3))
    with Ledger(9.0, 0.9).reserve(plan.event) as entry:
        assert release(enter_words({"town": [None, None, None]}), plan, entry, bits_from(0)) == {}


def test_no_release_without_an_open_entry_that_paid_for_it() -> None:
    plan, words = CategoriesPlan(2, 1, Budget(1.0, 1e-3)), enter_words({"town": ["a", "a"]})
    with Ledger(9.0, 0.9).reserve(ApproximateRelease(1.0, 1e-4)) as wrong, pytest.raises(LedgerFailure):
        release(words, plan, wrong, bits_from(0))
    with Ledger(9.0, 0.9).reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        release(words, plan, closed, bits_from(0))


def test_what_cannot_be_is_refused_by_public_facts() -> None:
    with pytest.raises(MechanismRefused, match="delta > 0 only"):
        CategoriesPlan(10, 1, Budget(1.0))
    with pytest.raises(InvalidInput, match="records"):
        CategoriesPlan(0, 1, Budget(1.0, 1e-3))
    assert np.isfinite(CategoriesPlan(10, 1, Budget(1e-6, 1e-12)).least)
