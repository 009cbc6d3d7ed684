"""The histogram density attacked: replace-one searches, exact laws on neighbours, and twins that are caught."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.tables import density as gate
from equipoise.gate.tables.counts import counts_noise, private_histogram
from equipoise.gate.tables.density import DensityPlan, Split
from equipoise.inside import Private
from equipoise.inside.tables import density as inside
from equipoise.inside.tables.density import HeldOut, Points, grid_counts, held_out_scores
from equipoise.ledger import Ledger
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.sensitivity import of_counts
from equipoise.theory.tables import density as constants
from equipoise.theory.tables.density import Box

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected.  All tests are seeded, so none flickers."""

Array = npt.NDArray[np.float64]
UNIT = Box((0.0,), (1.0,))
MOVED = {Adjacency.REPLACE_ONE: 2, Adjacency.ADD_REMOVE: 1}
"""What one record does to counts in all, said once more and by hand."""


def points(counts: list[int], more: list[int] | None = None) -> Private[Points]:
    """Records in the middles of cells: first these counts, then more of the same grid."""
    cells = np.repeat(np.arange(len(counts)), counts)
    if more is not None:
        cells = np.concatenate([cells, np.repeat(np.arange(len(more)), more)])
    return Private(Points(((cells + 0.5) / len(counts))[:, None]))


def held_out(training: list[int], validation: list[int], noise: Array, floor: float) -> float:
    cut = sum(training)
    split = HeldOut(np.arange(cut), np.arange(cut, cut + sum(validation)), floor, [noise])
    return float(held_out_scores(points(training, validation), [(len(training),)], split).reveal()[0])


def moved(counts: list[int], source: int, target: int) -> list[int]:
    after = list(counts)
    after[source] -= 1
    after[target] += 1
    return after


# --- held-out score -------------------------------------------------------------------------------------------------


def training_changes(floor_share: float) -> list[tuple[float, float]]:
    """(change of the score, β₁/n): the worst corner, then counts, noise and validation at random."""
    rng, found = np.random.default_rng(5), []
    cases: list[tuple[list[int], list[int], Array]] = [([60, 0], [0, 9], np.zeros((1, 2)))]
    for _ in range(400):
        m = int(rng.integers(2, 5))
        training = np.bincount(rng.integers(0, m, int(rng.integers(2, 30))), minlength=m).tolist()
        validation = np.bincount(rng.integers(0, m, 3), minlength=m).tolist()
        cases.append((training, validation, rng.choice([0, 1, 20], m) * rng.normal(size=(int(rng.integers(1, 3)), m))))
    for training, validation, noise in cases:
        n, m = sum(training), len(training)
        source = int(np.argmax(training))
        floor = max(1.0, floor_share * n)
        before = held_out(training, validation, noise, floor)
        for target in set(range(m)) - {source}:
            after = held_out(moved(training, source, target), validation, noise, floor)
            found.append((abs(after - before), constants.training_stability(n, floor, m) / n))
    return found


@pytest.mark.parametrize("floor_share", [1.0, 0.5])
def test_a_training_record_comes_near_its_bound_but_not_past_it_and_half_the_bound_is_caught(
    floor_share: float,
) -> None:
    ratios = [change / bound for change, bound in training_changes(floor_share)]
    if floor_share == 1.0:
        assert max(ratios) >= 0.95, "the search is too weak to catch a defect"
        assert max(ratios) > 0.5, "a twin with β₁ = 2n/(N₀h) would pass unnoticed"
    assert max(ratios) <= 1 + 1e-12


def test_a_score_without_its_floor_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise leaves two counts, so that one record moves half of a density that is not held down by the floor."""
    training, noise, bound = [100, 0], np.array([[-98.0, 0.0]]), constants.training_stability(100, 100.0, 2) / 100

    def change() -> float:
        pair = [held_out(each, [0, 5], noise, 100.0) for each in (training, moved(training, 0, 1))]
        return abs(pair[0] - pair[1])

    assert change() <= bound
    monkeypatch.setattr(inside, "sub_density", lambda noisy, floor: np.maximum(noisy, 0) / np.maximum(noisy, 0).sum())
    assert change() > 5 * bound


def test_the_training_bound_is_reached_with_a_low_floor_too() -> None:
    """Few noisy counts are left, so that the floor and not the number of records divides."""
    training, noise = [100, 0], np.array([[-50.0, 0.0]])
    change = held_out(moved(training, 0, 1), [0, 5], noise, 50.0) - held_out(training, [0, 5], noise, 50.0)
    assert 0.9 <= change / (constants.training_stability(100, 50.0, 2) / 100) <= 1


def test_a_validation_record_reaches_its_bound_and_never_passes_it() -> None:
    rng, worst = np.random.default_rng(6), 0.0
    for training in ([40, 0, 0], [10, 20, 10], [0, 0, 40]):
        for noise in (30 * rng.normal(size=(2, 3)), np.zeros((1, 3))):
            for source, target in itertools.permutations(range(3), 2):
                seen = moved([3, 3, 3], target, source)
                pair = [held_out(training, each, noise, 40.0) for each in (seen, moved(seen, source, target))]
                worst = max(worst, abs(pair[0] - pair[1]) / (constants.validation_stability(3) / 9))
    assert 0.99 <= worst <= 1 + 1e-12


def falls_back(noisy: Array, floor: float) -> Array:
    """The sabotaged twin: an empty histogram becomes the uniform one inside the score."""
    kept = np.maximum(noisy, 0.0)
    return kept / max(float(kept.sum()), floor) if kept.any() else np.full(kept.size, 1 / kept.size)


def test_a_uniform_fall_back_inside_the_score_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    training, noise = [100, 0], np.array([[-100.0, 0.0]])
    bound = constants.training_stability(100, 100.0, 2) / 100

    def change() -> float:
        pair = [held_out(each, [3, 3], noise, 100.0) for each in (training, moved(training, 0, 1))]
        return abs(pair[0] - pair[1])

    assert change() <= bound
    monkeypatch.setattr(inside, "sub_density", falls_back)
    assert change() > 5 * bound


# --- noise ----------------------------------------------------------------------------------------------------------


def plan_for(records: int, sizes: tuple[int, int] | None = None, epsilon: float = 8.0) -> DensityPlan:
    return gate.plan(UNIT, ((1,), (2,), (4,)), records, Budget(epsilon), share=0.5, sizes=sizes)


def test_the_release_uses_noise_that_the_scores_never_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, split = plan_for(30, (20, 10)), Split(np.arange(20), np.arange(20, 30))
    practised: list[float] = []
    released: list[float] = []
    practise, honest = gate._practice_noise, private_histogram

    def watched_practice(*given: Any) -> Array:
        found = practise(*given)
        practised.extend(found.ravel().tolist())
        return found

    def watched_release(counts: Private[Array], *rest: Any) -> Array:
        found = honest(counts, *rest)
        released.extend((found - counts.reveal()).tolist())
        return found

    monkeypatch.setattr(gate, "_practice_noise", watched_practice)
    monkeypatch.setattr(gate, "private_histogram", watched_release)
    with Ledger().reserve(plan.event) as entry:
        gate.release(points([5, 5, 5, 5], [4, 3, 2, 1]), plan, split, entry, bits_from(3))
    assert len(practised) == gate.DRAWS * (1 + 2 + 4)
    assert len(set(practised)) > 0.9 * len(practised), "every draw is a fresh one"
    scaled = {round(draw * 30 / 20, 9) for draw in practised} | set(practised)
    assert released
    assert not {round(draw, 9) for draw in released} & scaled


# --- counts ---------------------------------------------------------------------------------------------------------


def all_counts(records: int, cells: int) -> list[list[int]]:
    return [list(each) for each in itertools.product(range(records + 1), repeat=cells) if sum(each) == records]


def worst_counts(scale: float, adjacency: Adjacency) -> float:
    """Over all small tables, their neighbours, and every output near: the log-ratio of the exact law."""
    outputs = [np.array(each) for each in itertools.product(range(-2, 6), repeat=3)]
    worst = 0.0
    tables = all_counts(3, 3)
    after = all_counts(4, 3) if adjacency is Adjacency.ADD_REMOVE else tables
    for left, right in itertools.product(tables, after):
        gap = np.abs(np.array(left) - right).sum()
        if 0 < gap <= MOVED[adjacency]:
            pair = [np.array(side) for side in (left, right)]
            ratio = [np.abs(out - pair[0]).sum() - np.abs(out - pair[1]).sum() for out in outputs]
            worst = max(worst, float(np.max(np.abs(ratio))) / scale)
    return worst


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("epsilon", [0.01, 0.7, 5.0])
def test_the_law_of_counts_reaches_epsilon_on_neighbours_and_never_passes_it(
    adjacency: Adjacency, epsilon: float
) -> None:
    noise = counts_noise(3, of_counts(adjacency), epsilon)
    assert 0.998 * epsilon <= worst_counts(noise.scale, adjacency) <= epsilon
    assert Fraction(MOVED[adjacency]) / Fraction(noise.scale) <= Fraction(epsilon)
    if adjacency is Adjacency.REPLACE_ONE:
        assert worst_counts(1 / epsilon, adjacency) > 1.9 * epsilon, "noise of scale 1/ε must be caught"


def test_counts_leave_with_noise_of_the_planned_law() -> None:
    noise = counts_noise(20_000, 2, 1.0)
    with Ledger().reserve(PureRelease(1.0)) as entry:
        drawn = private_histogram(Private(np.full(20_000, 7.0)), noise, PureRelease(1.0), entry, bits_from(11)) - 7.0
    edges = np.linspace(-10, 10, 41)
    seen = np.histogram(np.clip(drawn, -9.99, 9.99), edges)[0]

    def fits(scale: float) -> float:
        below = stats.laplace.cdf(edges, scale=scale)
        below[[0, -1]] = 0.0, 1.0
        return float(stats.chisquare(seen, np.diff(below) * drawn.size).pvalue)

    assert fits(noise.scale) > FALSE_ALARM
    assert fits(noise.scale / 2) < FALSE_ALARM


@pytest.mark.parametrize("rows", [(0.0, 0.25, 0.5, 0.75, 1.0), (-9.0, 0.3, 0.3, 9.0, 0.99)])
def test_cells_are_half_open_but_the_last_and_values_outside_go_to_the_edge(rows: tuple[float, ...]) -> None:
    inner = inside.enter_points(np.array(rows)[:, None], UNIT)
    expected = [1, 1, 1, 2] if rows[0] == 0.0 else [1, 2, 0, 2]
    assert grid_counts(inner, (4,)).reveal().tolist() == expected


def test_grids_of_three_dimensions_count_every_record_once() -> None:
    box = Box((0.0, -1.0, 5.0), (1.0, 1.0, 9.0))
    rows = np.random.default_rng(1).normal(size=(200, 3)) * 5
    counts = grid_counts(inside.enter_points(rows, box), (2, 3, 4)).reveal().reshape(2, 3, 4)
    assert counts.sum() == 200
    assert counts[0].sum() == np.sum(rows[:, 0] < 0.5)


# --- plan and door --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1 / 3, 7.7])
@pytest.mark.parametrize("largest", [1, 3, 7])
def test_the_parts_never_add_up_to_more_than_epsilon(epsilon: float, largest: int) -> None:
    for share in (0.1, 0.3, 1 / 7):
        plan = gate.plan(UNIT, ((1,), (2,)), 50, Budget(epsilon), share=share, largest=largest)
        spent = (Fraction(plan.choice) + 2 / Fraction(plan.noise((2,)).scale)) * largest
        assert Fraction(0.99) * Fraction(epsilon) <= spent <= Fraction(epsilon)


def test_one_grid_is_not_charged_for_a_choice() -> None:
    plan = gate.plan(UNIT, ((4,),), 50, Budget(1.0), share=0.5)
    assert plan.choice == 0.0
    assert plan.noise((4,)).scale == pytest.approx(2.0, rel=1e-3)
    assert any("nothing charged" in note for note in plan.guarantee((4,), False).notes)


def test_nothing_leaves_without_an_open_entry_that_paid_for_this_plan() -> None:
    plan = gate.plan(UNIT, ((2,),), 4, Budget(1.0), share=0.5)
    with Ledger().reserve(PureRelease(0.5)) as wrong, pytest.raises(LedgerFailure):
        gate.release(points([2, 2]), plan, None, wrong, bits_from(0))
    with Ledger().reserve(plan.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        gate.release(points([2, 2]), plan, None, closed, bits_from(0))


def test_a_split_that_the_plan_does_not_know_is_refused() -> None:
    plan, split = plan_for(8, (5, 3)), Split(np.arange(2), np.arange(2, 8))
    with Ledger().reserve(plan.event) as entry, pytest.raises(MechanismRefused, match="split"):
        gate.release(points([8, 0, 0, 0]), plan, split, entry, bits_from(0))


def test_an_epsilon_too_small_for_counts_is_refused_before_anything_is_spent() -> None:
    with pytest.raises(MechanismRefused, match="epsilon"):
        gate.plan(UNIT, ((2,),), 50, Budget(1e-13), share=0.5)


def test_the_better_grid_is_chosen_when_the_answer_is_clear() -> None:
    counts = [0] * 64
    counts[10], counts[11] = 5000, 5000
    plan = gate.plan(UNIT, ((1,), (64,)), 10_000, Budget(4.0), share=0.5)
    with Ledger().reserve(plan.event) as entry:
        chosen = [gate.choose(points(counts), plan, None, entry, bits_from(seed)) for seed in range(20)]
    assert chosen == [1] * 20
