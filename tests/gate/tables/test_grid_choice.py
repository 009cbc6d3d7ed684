"""The choice of a grid attacked: replace-one searches of details and duels, its exact law on neighbours, and twins."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from numpy.polynomial import Polynomial

from equipoise.gate import bits_from
from equipoise.gate.choices.select import grid_for, steps_moved
from equipoise.gate.noise.choice import Coins
from equipoise.gate.tables import density as gate
from equipoise.gate.tables.density import DensityPlan, Split
from equipoise.inside import Private
from equipoise.inside.tables import density as inside
from equipoise.inside.tables.density import Points, grid_duels
from equipoise.theory.guarantees import Budget
from equipoise.theory.tables import grid_choice as choosing
from equipoise.theory.tables.density import Box, Shape, charge
from equipoise.theory.tuning.stability import graded_scores

Array = npt.NDArray[np.float64]
Table = tuple[int, ...]

NESTED: tuple[Shape, ...] = ((1,), (2,), (4,))
CROSSED: tuple[Shape, ...] = ((2,), (3,), (6,))
"""Two and three bins have only the single cell in common."""
PLANES: tuple[Shape, ...] = ((1, 1), (1, 2), (2, 1), (2, 2))


def boxed(shapes: tuple[Shape, ...]) -> Box:
    dimensions = len(shapes[0])
    return Box((0.0,) * dimensions, (1.0,) * dimensions)


def points(counts: Table, shape: Shape) -> Private[Points]:
    """Records in the middles of the finest grid's cells."""
    places = np.stack(np.unravel_index(np.repeat(np.arange(len(counts)), counts), shape), axis=1)
    return Private(Points((places + 0.5) / np.array(shape)))


def tables(records: int, cells: int) -> list[Table]:
    return [each for each in itertools.product(range(records + 1), repeat=cells) if sum(each) == records]


def moved(counts: Table, source: int, target: int) -> Table:
    after = list(counts)
    after[source] -= 1
    after[target] += 1
    return tuple(after)


def neighbours(records: int, cells: int) -> list[tuple[Table, Table]]:
    ways = list(itertools.permutations(range(cells), 2))
    return [(c, moved(c, a, b)) for c in tables(records, cells) for a, b in ways if c[a]]


# --- details --------------------------------------------------------------------------------------------------------


def seen_beyond(counts: Table, coarse: int) -> float:
    """By hand: the distance in L2 between the histogram density and that of a coarser grid."""
    n, m = sum(counts), len(counts)
    fine = np.array(counts) * m / n
    rough = np.repeat(fine.reshape(coarse, -1).mean(axis=1), m // coarse)
    return math.sqrt((n + 1) / (n - 1) * float(np.mean((fine - rough) ** 2)))


@pytest.mark.parametrize(("records", "cells", "coarse"), [(2, 4, 2), (6, 4, 1), (6, 4, 2), (4, 6, 3), (4, 6, 2)])
def test_on_every_small_table_a_record_moves_a_detail_within_its_bound(records: int, cells: int, coarse: int) -> None:
    found: dict[Table, float] = {}
    for counts in tables(records, cells):
        energy = inside._energy(np.array(counts, dtype=np.float64), (cells,), (coarse,))
        found[counts] = choosing.detail(energy, records)
        assert found[counts] == pytest.approx(seen_beyond(counts, coarse), abs=1e-12)
    bound = choosing.of_detail(records, cells)
    assert max(abs(found[one] - found[other]) for one, other in neighbours(records, cells)) <= bound


@pytest.mark.parametrize(("counts", "coarse"), [((10, 5, 0, 0), 2), ((9, 1, 5, 5), 1), ((60, 1) + (0,) * 14, 8)])
def test_a_record_that_changes_over_within_a_coarse_cell_reaches_the_bound_of_a_detail(
    counts: Table, coarse: int
) -> None:
    change = seen_beyond(moved(counts, 1, 0), coarse) - seen_beyond(counts, coarse)
    assert 0.999 <= change / choosing.of_detail(sum(counts), len(counts)) <= 1


def test_cells_whose_edges_doubles_cannot_hold_are_summed_and_not_counted_again() -> None:
    """Counted again, records on an edge of thirty cells would leave their cell of ten: less than no detail."""
    edges = Points((np.arange(31) / 30)[:, None])
    fine = inside._counts(edges.unit, (30,))
    for coarse in (1, 2, 3, 5, 6, 10, 15, 30):
        assert inside._energy(fine, (30,), (coarse,)) >= 0
    assert inside._energy(fine, (30,), (30,)) == 0


# --- duels ----------------------------------------------------------------------------------------------------------


def charges_of(shapes: tuple[Shape, ...], records: int, scale: float) -> list[float]:
    return [charge(records, math.prod(shape), scale) for shape in shapes]


def test_a_duel_is_won_by_the_grid_with_the_better_cross_validation() -> None:
    """Against the textbook form, worked out one record at a time; the grids are not nested."""
    rng = np.random.default_rng(0)
    shapes: tuple[Shape, ...] = ((1,), (3,), (7,), (12,), (20,))
    agreed = set()
    for n, scale in itertools.product((60, 300), (0.0, 5.0)):
        unit, charges = rng.beta(2, 5, size=(n, 1)), charges_of(shapes, n, scale)
        textbook = []
        for (bins,), dear in zip(shapes, charges, strict=True):
            places = np.minimum((unit[:, 0] * bins).astype(int), bins - 1)
            counts = np.bincount(places, minlength=bins)
            left_out = [bins * (counts[place] - 1) / (n - 1) for place in places]
            noise = dear - 2 * bins / (n - 1)
            textbook.append(2 * float(np.mean(left_out)) - bins * float(np.sum((counts / n) ** 2)) - noise)
        duels = grid_duels(Private(Points(unit)), shapes, charges).reveal()
        assert np.array_equal(duels, -duels.T)
        for i, j in itertools.combinations(range(len(shapes)), 2):
            assert np.sign(duels[i, j]) == np.sign(textbook[i] - textbook[j])
            agreed.add(bool(duels[i, j] > 0))
        assert np.argmax(duels.min(axis=1)) == np.argmax(textbook)
    assert agreed == {True, False}, "finer grids must win now and then"


def worst_duels(shapes: tuple[Shape, ...], records: int, scale: float) -> Array:
    """How far one record moves each duel, over all neighbours."""
    finest = max(shapes, key=math.prod)
    charges = charges_of(shapes, records, scale)
    found = {
        counts: grid_duels(points(counts, finest), shapes, charges).reveal()
        for counts in tables(records, math.prod(finest))
    }
    pairs = neighbours(records, math.prod(finest))
    return np.asarray(np.max([np.abs(found[one] - found[other]) for one, other in pairs], axis=0))


@pytest.mark.parametrize("scale", [0.0, 0.5, 40.0])
@pytest.mark.parametrize(("shapes", "records"), [(NESTED, 6), (CROSSED, 4), (PLANES, 6)], ids=str)
def test_one_record_moves_every_duel_by_at_most_one(shapes: tuple[Shape, ...], records: int, scale: float) -> None:
    assert worst_duels(shapes, records, scale).max() <= choosing.lead_moved(records, np.zeros(1))


@pytest.mark.parametrize("shapes", [NESTED, CROSSED[1:], PLANES[:2]], ids=str)
def test_duels_of_a_grid_with_its_coarser_grids_come_near_one(shapes: tuple[Shape, ...]) -> None:
    worst = worst_duels(shapes, 7, 0.5)
    assert worst[0, 1:].min() >= 0.9, "the search is too weak to catch a defect"


def test_the_coarser_grid_s_bound_in_a_duel_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sabotaged twin: a pair on the scale of the grid that moves less."""
    monkeypatch.setattr(inside, "of_detail", lambda records, cells: choosing.of_detail(records, cells // 2))
    assert worst_duels(NESTED, 6, 0.5).max() > 1.3


@pytest.mark.parametrize("records", [50, 10**5, 2**26])
def test_arithmetic_errs_by_less_than_a_lead_allows_for(records: int) -> None:
    """Against roots of sixty digits; charges and bounds are public, so their doubles are what they are."""
    rng, shapes = np.random.default_rng(3), ((4,), (6,), (256,), (4096,))
    weights = [rng.dirichlet(np.full(bins, 0.3)) for (bins,) in shapes]
    counts = [rng.multinomial(records, each).astype(np.float64) for each in weights]
    charges = charges_of(shapes, records, 7.0)
    duels = inside._duels(counts, shapes, charges)
    allowed = choosing.lead_moved(records, np.zeros(1)) - 1
    with mpmath.workdps(60):
        inflated = mpmath.mpf(records + 1) / (records - 1) / records**2
        for i, j in itertools.combinations(range(len(shapes)), 2):
            coarse, roots = choosing.common_grid(shapes[i], shapes[j]), []
            for k in (i, j):
                energy = inside._energy(counts[k], shapes[k], coarse)
                roots.append(mpmath.sqrt(inflated * energy + (max(charges[i], charges[j]) - charges[k])))
            reach = sum(choosing.of_detail(records, *shapes[k]) for k in (i, j) if shapes[k] != coarse)
            assert 2 * abs((roots[0] - roots[1]) / reach - duels[i, j]) <= allowed


# --- the choice, exactly --------------------------------------------------------------------------------------------


def law_of(scores: Array, sensitivity: float, epsilon: float) -> list[float]:
    """Permute-and-flip as docs/proofs/selection.md works it out."""
    grid = grid_for(sensitivity)
    coins = Coins([int(s) for s in grid.quantise(scores)], steps_moved(sensitivity, grid), epsilon)
    chance = [math.exp(-float(exponent)) for exponent in coins.exponents]
    law = []
    for place, own in enumerate(chance):
        product = Polynomial([1.0])
        for other in chance[:place] + chance[place + 1 :]:
            product = product * Polynomial([1.0, -other])
        law.append(own * float(product.integ()(1.0)))
    return law


def plan_for(shapes: tuple[Shape, ...], records: int, sizes: tuple[int, int] | None = None) -> DensityPlan:
    return gate.plan(boxed(shapes), shapes, records, Budget(8.0), share=0.5, sizes=sizes)


def worst_choice(
    plan: DensityPlan, pairs: list[tuple[Table, Table]], score: Callable[[Table], Array], weaker: float
) -> float:
    """The largest log-ratio of the choice's exact law; `weaker` above 1 divides the sensitivity."""
    seen = {table for pair in pairs for table in pair}
    laws = {each: np.log(law_of(score(each), plan.score_sensitivity / weaker, plan.choice)) for each in seen}
    return float(np.max([np.abs(laws[left] - laws[right]) for left, right in pairs]))


@pytest.mark.parametrize("trust", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(("shapes", "records"), [(NESTED, 5), (CROSSED, 4), (PLANES, 5)], ids=str)
def test_the_leave_one_out_choice_keeps_its_epsilon_on_all_small_neighbours_and_catches_a_twin(
    shapes: tuple[Shape, ...], records: int, trust: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "TRUST", trust)
    plan, finest = plan_for(shapes, records), max(shapes, key=math.prod)

    def score(counts: Table) -> Array:
        return gate.grid_scores(points(counts, finest), plan, None, bits_from(0)).reveal()

    pairs = neighbours(records, math.prod(finest))
    assert 0.45 * plan.choice < worst_choice(plan, pairs, score, 1.0) <= plan.choice
    assert worst_choice(plan, pairs, score, 2.5) > plan.choice


@pytest.mark.parametrize("seed", [1, 2])
def test_the_held_out_choice_keeps_its_epsilon_for_fixed_noise_and_catches_a_twin(seed: int) -> None:
    """Given the noise, which does not depend on the data; the average over it then does too."""
    plan, split = plan_for(NESTED, 8, (5, 3)), Split(np.arange(5), np.arange(5, 8))

    def both(training: Table, validation: Table) -> Array:
        rows = [points(each, (4,)).reveal().unit for each in (training, validation)]
        return gate.grid_scores(Private(Points(np.concatenate(rows))), plan, split, bits_from(seed)).reveal()

    def trained(counts: Table) -> Array:
        return both(counts, (0, 0, 0, 3))

    def validated(counts: Table) -> Array:
        return both((5, 0, 0, 0), counts)

    found = [
        max(
            worst_choice(plan, neighbours(5, 4), trained, weaker),
            worst_choice(plan, neighbours(3, 4), validated, weaker),
        )
        for weaker in (1.0, 6.0)
    ]
    assert 0.1 * plan.choice < found[0] <= plan.choice < found[1]


def test_each_held_out_score_is_compared_by_its_own_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bound for each grid, the finer the larger; with the smallest for all a duel could move by more than one."""
    plan, split, used = plan_for(NESTED, 8, (5, 3)), Split(np.arange(5), np.arange(5, 8)), []

    def watched(scores: Array, betas: Array, weights: Array, epsilon: float) -> Array:
        used.append((betas.tolist(), weights.tolist(), epsilon))
        return graded_scores(scores, betas, weights, epsilon)

    monkeypatch.setattr(inside, "graded_scores", watched)
    gate.grid_scores(points((8, 0, 0, 0), (4,)), plan, split, bits_from(0))
    ((betas, weights, epsilon),) = used
    assert betas == pytest.approx([max(4 / 5, 2 / 3) * cells for cells in (1, 2, 4)])
    assert weights == list(plan.weights)
    assert epsilon == plan.choice


# --- head starts ----------------------------------------------------------------------------------------------------


def test_where_data_say_nothing_the_choice_follows_the_head_start() -> None:
    """With next to no epsilon every duel is worth nothing beside its coin, and the weights are all that is left."""
    shapes: tuple[Shape, ...] = ((1,), (16,), (4096,))
    plan = gate.plan(boxed(shapes), shapes, 1000, Budget(1e-4), share=0.5)
    weights = (0.0, -1.0, -2.0)
    duels = grid_duels(points((1000, 0), (2,)), shapes, charges_of(shapes, 1000, 1.0)).reveal()
    leads = choosing.least_lead(duels, choosing.head_starts(weights, plan.choice))
    law = law_of(leads, 1.0, plan.choice)
    alone = law_of(choosing.least_lead(np.zeros((3, 3)), choosing.head_starts(weights, plan.choice)), 1.0, plan.choice)
    assert law == pytest.approx(alone, abs=0.03)
    assert law[0] > 1.5 * law[1] > 2 * law[2]


def test_head_starts_are_known_before_a_row_is_seen() -> None:
    plan = plan_for(NESTED, 500)
    assert plan.weights == choosing.beforehand(500, NESTED, plan.noise((4,)).scale)
    assert max(plan.weights) == 0.0
