"""Votes: exact laws on all neighbours, draws that follow them, and twins that are caught."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from, door
from equipoise.gate.answers.vote import NoisyMaximum, SoftVote
from equipoise.gate.noise.choice import uniform_below, weighted_choice
from equipoise.inside import Private
from equipoise.ledger import Ledger
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.events import BoundedRangeRelease, Event, PureRelease

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

Array = npt.NDArray[np.float64]
COUNTS = [[3, 5], [4, 2, 2], [0, 0, 7, 1]]


def soft_law(counts: tuple[int, ...], epsilon: float) -> Array:
    weights = np.exp(epsilon * (np.array(counts) - max(counts)) / 2)
    return np.asarray(weights / weights.sum())


def elections(voters: int, classes: int) -> list[tuple[int, ...]]:
    """Every outcome of a vote."""
    return [c for c in itertools.product(range(voters + 1), repeat=classes) if sum(c) == voters]


def neighbours(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every outcome after one voter has changed its mind."""
    moved = []
    for left, right in itertools.permutations(range(len(counts)), 2):
        if counts[left] > 0:
            step = list(counts)
            step[left] -= 1
            step[right] += 1
            moved.append(tuple(step))
    return moved


def worst(voters: int, classes: int, epsilon: float, claimed: float) -> tuple[float, float]:
    """Largest log-ratio and largest span of log-ratios over all neighbours, as shares of the claim."""
    ratios = [
        np.log(soft_law(counts, epsilon) / soft_law(other, epsilon))
        for counts in elections(voters, classes)
        for other in neighbours(counts)
    ]
    return max(np.abs(r).max() for r in ratios) / claimed, max(r.max() - r.min() for r in ratios) / claimed


def draw(counts: list[int], epsilon: float, times: int) -> npt.NDArray[np.intp]:
    mechanism = SoftVote(epsilon)
    with Ledger().reserve(mechanism.event(times)) as entry:
        labels = mechanism.release(Private(np.tile(counts, (times, 1))), entry, bits_from(3))
    return np.bincount(labels, minlength=len(counts))


@pytest.mark.parametrize(("voters", "classes"), [(12, 2), (12, 3), (7, 4)])
def test_soft_votes_of_all_neighbours_come_near_epsilon_and_not_past_it(voters: int, classes: int) -> None:
    ratio, span = worst(voters, classes, 1.5, 1.5)
    assert 0.95 <= ratio <= 1 + 1e-12
    assert 1 - 1e-9 <= span <= 1 + 1e-9, "bounded range is attained exactly"


def test_a_vote_with_doubled_weight_is_not_private() -> None:
    ratio, span = worst(12, 3, 3.0, 1.5)
    assert ratio > 1.8
    assert span > 1.8


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_draws_follow_the_soft_law(counts: list[int]) -> None:
    seen = draw(counts, 1.0, 20_000)
    assert stats.chisquare(seen, soft_law(tuple(counts), 1.0) * 20_000).pvalue > FALSE_ALARM


def test_doubled_weight_in_the_running_code_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "weighted_choice", lambda scores, rate, bits: weighted_choice(scores, 2 * rate, bits))
    seen = draw([3, 5], 1.0, 20_000)
    assert stats.chisquare(seen, soft_law((3, 5), 1.0) * 20_000).pvalue < FALSE_ALARM


def test_every_query_of_a_batch_has_its_own_draw() -> None:
    labels = weighted_choice(np.zeros((200, 2), dtype=np.int64), Fraction(1), bits_from(0))
    assert 60 < labels.sum() < 140
    again = weighted_choice(np.zeros((200, 2), dtype=np.int64), Fraction(1), bits_from(1))
    assert np.any(labels != again)


@pytest.mark.parametrize("epsilon", [1e300, 1e-300])
def test_extreme_rates_neither_warn_nor_hang(epsilon: float) -> None:
    chosen = draw([0, 9], epsilon, 500)
    assert chosen[1] == 500 if epsilon > 1 else 150 < chosen[1] < 350


@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_whole_numbers_below_a_limit_are_uniform(limit: int) -> None:
    seen = np.bincount(uniform_below(limit, 7000, bits_from(5)), minlength=limit)
    assert len(seen) == limit
    assert stats.chisquare(seen).pvalue > FALSE_ALARM or limit == 1


def test_words_beyond_the_last_multiple_are_drawn_again() -> None:
    class Scripted:
        seeded = True
        rounds = iter([[2**64 - 1, 4], [5]])

        def words(self, count: int) -> npt.NDArray[np.uint64]:
            return np.array(next(self.rounds), dtype=np.uint64)

        def spawn(self) -> Scripted:
            return self

    assert uniform_below(3, 2, Scripted()).tolist() == [2, 1]


def test_the_noisy_maximum_of_two_follows_the_normal_law_and_a_halved_noise_is_noticed() -> None:
    mechanism, times = NoisyMaximum(1.0, 1e-3, 2), 20_000
    with Ledger().reserve(mechanism.event(times)) as entry:
        labels = mechanism.release(Private(np.tile([10, 13], (times, 1))), entry, bits_from(1))
    for shrink, honest in ((1.0, True), (0.5, False)):
        chance = stats.norm.cdf(3 / (math.sqrt(2) * mechanism.noise.scale * shrink))
        told = stats.binomtest(int(labels.sum()), times, float(chance)).pvalue > FALSE_ALARM
        assert bool(told) is honest


@pytest.mark.parametrize("classes", [2, 3])
def test_the_noisy_maximum_of_neighbours_stays_within_epsilon_and_delta(classes: int) -> None:
    """The lead of two classes has variance 2σ²; a moved vote shifts it by 2: exactly μ when two classes compete."""
    epsilon, delta = 1.0, 1e-4
    mechanism = NoisyMaximum(epsilon, delta, classes)
    shift = 2 / (math.sqrt(2) * mechanism.noise.scale)
    assert 0.999 * mechanism.mu <= shift <= mechanism.mu
    assert 0.9 * delta <= delta_gaussian(epsilon, shift) <= delta
    leads = np.linspace(-60, 60, 4001) / (math.sqrt(2) * mechanism.noise.scale)
    gap = stats.norm.cdf(leads) - math.exp(epsilon) * stats.norm.cdf(leads - shift)
    assert 0.9 * delta <= gap.max() <= delta
    twin = stats.norm.cdf(leads) - math.exp(epsilon) * stats.norm.cdf(leads - shift * math.sqrt(2))
    assert twin.max() > 2 * delta, "noise for counts that move by 1 instead of √2"


def test_many_gaussian_answers_compose_by_the_square_root() -> None:
    mechanism = NoisyMaximum(1.0, 1e-6, 3)
    one, many = mechanism.event(1), mechanism.event(100)
    assert many.mu == one.mu
    assert many.steps == 100
    assert one.delta_numeric <= many.delta_numeric < 2.0**-40


@pytest.mark.parametrize("mechanism", [SoftVote(1.0), NoisyMaximum(1.0, 1e-6, 2)], ids=["soft", "gaussian"])
def test_no_answer_without_an_open_entry_for_just_so_many(mechanism: SoftVote | NoisyMaximum) -> None:
    counts = Private(np.array([[1, 2], [3, 0]]))
    with Ledger().reserve(mechanism.event(2)) as closed:
        pass
    with pytest.raises(LedgerFailure):
        mechanism.release(counts, closed, bits_from(0))
    foreign: list[Event] = [mechanism.event(1), PureRelease(9.0), BoundedRangeRelease(0.5, 2)]
    for event in foreign:
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            mechanism.release(counts, entry, bits_from(0))
    with Ledger().reserve(mechanism.event(2)) as entry:
        assert len(mechanism.release(counts, entry, bits_from(0))) == 2
