"""Private selection: its exact law, its privacy on neighbours, and a twin that is caught."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from numpy.polynomial import Polynomial
from scipy import stats

from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.choices.select import exponential, grid_for, permute_and_flip, steps_moved
from equipoise.gate.noise import Bits
from equipoise.gate.noise.choice import Coins, random_order
from equipoise.inside import Private
from equipoise.ledger import Entry, Ledger
from equipoise.theory.events import ApproximateRelease, Event, GaussianRelease, PureRelease

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

Chooser = Callable[[Private[npt.NDArray[np.float64]], float, float, Entry, Bits], int]
MOVED = 1000
"""Sensitivity in steps, for laws worked out on whole numbers."""

SCORES = [[0, 0], [0, 700], [0, 300, 5000], [900, 900, -400, 0], [10, 20, 30, 40], [0, 0, 0, 0]]


def shown(coins: Coins) -> list[float]:
    return [math.exp(-float(exponent)) for exponent in coins.exponents]


def law_by_orders(chance: list[float]) -> list[float]:
    """Permute-and-flip, order by order."""
    law, orders = [0.0] * len(chance), list(itertools.permutations(range(len(chance))))
    for order in orders:
        reached = 1.0 / len(orders)
        for candidate in order:
            law[candidate] += reached * chance[candidate]
            reached *= 1 - chance[candidate]
    return law


def law_by_integral(chance: list[float]) -> list[float]:
    """The same as p_i·∫₀¹ Π(1 − t·p_j) dt over the others: t is the share of candidates that came earlier."""
    law = []
    for candidate, own in enumerate(chance):
        product = Polynomial([1.0])
        for other in chance[:candidate] + chance[candidate + 1 :]:
            product = product * Polynomial([1.0, -other])
        law.append(own * float(product.integ()(1.0)))
    return law


def law_of_weights(chance: list[float]) -> list[float]:
    return [own / sum(chance) for own in chance]


LAWS: list[tuple[Chooser, Callable[[list[float]], list[float]]]] = [
    (permute_and_flip, law_by_orders),
    (exponential, law_of_weights),
]


def draws(choose: Chooser, scores: list[float], epsilon: float, times: int, seed: int = 1) -> npt.NDArray[np.intp]:
    """How often each candidate is chosen, with sensitivity 1."""
    bits, private = bits_from(seed), Private(np.array(scores))
    with Ledger().reserve(PureRelease(epsilon)) as entry:
        chosen = [choose(private, 1.0, epsilon, entry, bits) for _ in range(times)]
    return np.bincount(chosen, minlength=len(scores))


@pytest.mark.parametrize("scores", SCORES, ids=str)
def test_two_ways_to_work_out_the_law_agree(scores: list[int]) -> None:
    chance = shown(Coins(scores, MOVED, 1.7))
    assert law_by_orders(chance) == pytest.approx(law_by_integral(chance), abs=1e-14)
    assert sum(law_by_orders(chance)) == pytest.approx(1.0)


@pytest.mark.parametrize(("choose", "law"), LAWS)
@pytest.mark.parametrize("scores", [[0.0, 0.7], [0.0, 0.3, 2.5, 2.0], [1.0, 1.0, 1.0]], ids=str)
def test_draws_follow_the_exact_law(
    choose: Chooser, law: Callable[[list[float]], list[float]], scores: list[float]
) -> None:
    counts = draws(choose, scores, 1.5, 3000)
    best = max(scores)
    expected = np.array(law([math.exp(-1.5 * (best - score) / 2) for score in scores]))
    assert stats.chisquare(counts, expected * 3000).pvalue > FALSE_ALARM
    if len(set(scores)) > 1:
        wrong = np.array(law([math.exp(-1.5 * (best - score)) for score in scores]))
        assert stats.chisquare(counts, wrong * 3000).pvalue < FALSE_ALARM, "twice the rate would go unnoticed"


def neighbours(size: int, reach: int) -> list[tuple[list[int], list[int]]]:
    """Pairs in which every score moves by the whole sensitivity, up or down."""
    starts = itertools.product((0, 400, reach), repeat=size)
    moves = list(itertools.product((-MOVED, MOVED), repeat=size))
    return [(list(start), [a + b for a, b in zip(start, move, strict=True)]) for start in starts for move in moves]


def worst_ratio(law: Callable[[list[float]], list[float]], size: int, epsilon: float, noise: float = 1.0) -> float:
    """Largest log-ratio over all pairs and outcomes; `noise` below 1 is a twin that flips too sharp coins."""
    worst = 0.0
    for left, right in neighbours(size, 12 * MOVED):
        pair = (law(shown(Coins(scores, MOVED, epsilon / noise))) for scores in (left, right))
        worst = max(worst, *(abs(math.log(p / q)) for p, q in zip(*pair, strict=True)))
    return worst


@pytest.mark.parametrize(("choose", "law"), LAWS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_neighbours_come_near_epsilon_but_not_past_it_and_catch_a_twin(
    choose: Chooser, law: Callable[[list[float]], list[float]], size: int
) -> None:
    epsilon = 1.0
    assert 0.95 * epsilon <= worst_ratio(law, size, epsilon) <= epsilon * (1 + 1e-9)
    assert worst_ratio(law, size, epsilon, noise=0.5) > 1.5 * epsilon


def test_permute_and_flip_never_chooses_worse_than_the_exponential_mechanism() -> None:
    for scores in SCORES:
        chance = shown(Coins(scores, MOVED, 2.0))
        flipped, weighted = (np.dot(law(chance), scores) for law in (law_by_orders, law_of_weights))
        assert flipped >= weighted - 1e-9


def test_a_scores_grid_covers_rounding_and_costs_next_to_nothing() -> None:
    """One record moves the rounded scores by no more steps than the coins allow for."""
    rng = np.random.default_rng(0)
    for sensitivity in (1e-9, 0.3, 7.0):
        grid = grid_for(sensitivity)
        allowed = steps_moved(sensitivity, grid)
        start = rng.normal(size=1000) * sensitivity * 50
        moved = start + sensitivity * (1 + 1e-13)
        assert np.max(np.abs(grid.quantise(moved) - grid.quantise(start))) <= allowed
        assert allowed * grid.step < sensitivity * (1 + 4e-6)


@pytest.mark.parametrize("choose", [permute_and_flip, exponential])
def test_no_choice_without_an_open_entry_that_pays_for_it(choose: Chooser) -> None:
    scores = Private(np.array([0.0, 1.0]))
    with Ledger().reserve(PureRelease(1.0)) as closed:
        pass
    foreign: list[Event] = [PureRelease(0.5), GaussianRelease(1.0), ApproximateRelease(0.5, 1e-6)]
    with pytest.raises(LedgerFailure):
        choose(scores, 1.0, 1.0, closed, bits_from(0))
    for event in foreign:
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            choose(scores, 1.0, 1.0, entry, bits_from(0))
    with Ledger().reserve(ApproximateRelease(1.0, 1e-6)) as entry:
        assert choose(scores, 1.0, 1.0, entry, bits_from(0)) in (0, 1)


@pytest.mark.parametrize(
    "scores", [np.empty(0), np.zeros((2, 2)), np.array([0.0, math.nan])], ids=["none", "2d", "nan"]
)
def test_scores_that_cannot_be_compared_are_refused(scores: npt.NDArray[np.float64]) -> None:
    with Ledger().reserve(PureRelease(1.0)) as entry, pytest.raises(InvalidInput):
        permute_and_flip(Private(scores), 1.0, 1.0, entry, bits_from(0))


def test_a_lone_candidate_and_a_clear_winner_are_always_chosen() -> None:
    assert draws(permute_and_flip, [3.0], 1.0, 20).tolist() == [20]
    assert draws(permute_and_flip, [0.0, 1e6, 5.0], 1.0, 200).tolist() == [0, 200, 0]


def test_orders_are_uniform() -> None:
    bits = bits_from(4)
    places = [tuple(random_order(3, bits).tolist()) for _ in range(6000)]
    counts = [places.count(order) for order in itertools.permutations(range(3))]
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_equal_keys_are_drawn_again() -> None:
    class Scripted:
        """Two equal keys first."""

        seeded = True
        rounds = iter([[5, 5, 1], [9, 2, 4]])

        def words(self, count: int) -> npt.NDArray[np.uint64]:
            return np.array(next(self.rounds), dtype=np.uint64)

        def spawn(self) -> Bits:
            return self

    assert random_order(3, Scripted()).tolist() == [1, 2, 0]


@pytest.mark.parametrize("choose", [permute_and_flip, exponential])
@pytest.mark.parametrize("epsilon", [1e30, 1e308])
def test_an_epsilon_beyond_all_measure_is_drawn_for_every_score_alike(choose: Chooser, epsilon: float) -> None:
    """An exponent may be larger than doubles: an error after the debit would tell which scores lie far apart."""
    for scores in ([0.0, 0.0], [0.0, 1e9], [1e9, 0.0, -1e9]):
        with Ledger().reserve(PureRelease(epsilon)) as entry:
            best = choose(Private(np.array(scores)), 1e-3, epsilon, entry, bits_from(0))
        assert scores[best] == max(scores)
