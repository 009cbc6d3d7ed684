"""Averages: exact laws on all neighbours, draws that follow them, and twins that are caught."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure, MechanismRefused
from equipoise.gate import bits_from
from equipoise.gate.answers import average as module
from equipoise.gate.answers.average import Coin, NoisyMean
from equipoise.gate.noise import Bits
from equipoise.gate.noise.coin import flip
from equipoise.inside import Private
from equipoise.inside.answers.shards import MEAN_BITS
from equipoise.ledger import Ledger
from equipoise.theory.accounting import delta_gaussian
from equipoise.theory.events import Event, PureRelease
from equipoise.theory.prediction.shards import coin_floor, coin_voters, noisy_mean_voters

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

WHOLE = 2**MEAN_BITS


def coin_worst(coin: Coin, epsilon: float) -> float:
    """Largest log-ratio over all tables of voters' probabilities, the corner at the floor among them."""
    corner = math.ceil(coin.floor * coin.voters * WHOLE) % WHOLE
    sums = {sum(said) for said in itertools.product((0, corner, WHOLE), repeat=coin.voters)}
    found = 0.0
    for total, moved in itertools.product(sums, (-WHOLE, WHOLE, corner - WHOLE)):
        if 0 <= total + moved <= coin.voters * WHOLE:
            here, there = coin.chance(total), coin.chance(total + moved)
            found = max(found, *(abs(math.log(p / q)) for p, q in ((here, there), (1 - here, 1 - there))))
    return found / epsilon


@pytest.mark.parametrize(("epsilon", "voters"), [(1.0, 5), (0.5, 7), (3.0, 2)])
def test_coins_of_all_neighbours_come_near_epsilon_and_not_past_it(epsilon: float, voters: int) -> None:
    assert 0.95 <= coin_worst(Coin(epsilon, voters), epsilon) <= 1.0


def test_coins_with_a_wrong_floor_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that divides the range by the voters twice, and one that does not divide at all."""
    honest = coin_floor
    monkeypatch.setattr(module, "coin_floor", lambda epsilon, voters: honest(epsilon, voters) / voters)
    assert coin_worst(Coin(1.0, 5), 1.0) > 1.5
    assert not coin_fits(5, 2, honest(1.0, 5))
    monkeypatch.setattr(module, "coin_floor", lambda epsilon, voters: min(Fraction(1, 2), honest(epsilon, 2) * 2))
    assert not coin_fits(5, 2, honest(1.0, 5))


def coin_fits(voters: int, sure: int, floor: Fraction, times: int = 20_000) -> bool:
    """Whether coins at means 0 and sure/voters show as often as a coin with this floor."""
    coin = Coin(1.0, voters)
    pvalues = []
    for total in (0, sure):
        with Ledger().reserve(coin.event(times)) as entry:
            shown = int(coin.release(Private(np.full(times, total * WHOLE)), entry, bits_from(4)).sum())
        chance = min(max(Fraction(total, voters), floor), 1 - floor)
        pvalues.append(stats.binomtest(shown, times, float(chance)).pvalue)
    return bool(min(pvalues) > FALSE_ALARM / 2)


def test_coins_follow_the_law() -> None:
    assert coin_fits(5, 2, coin_floor(1.0, 5))


def test_coins_are_not_of_bounded_range() -> None:
    """Why they are charged as pure: from the floor upwards the two log-ratios span more than ε."""
    coin = Coin(1.0, 9)
    corner = math.ceil(coin.floor * coin.voters * WHOLE)
    here, there = coin.chance(corner), coin.chance(corner + WHOLE)
    assert math.log(there / here) - math.log((1 - there) / (1 - here)) > 1.05
    assert isinstance(coin.event(3), PureRelease)


def test_a_flip_goes_on_where_its_first_bits_agree() -> None:
    class Scripted:
        seeded = True

        def __init__(self, *words: int) -> None:
            self.queue = list(words)

        def words(self, count: int) -> npt.NDArray[np.uint64]:
            return np.array([self.queue.pop(0) for _ in range(count)], dtype=np.uint64)

        def spawn(self) -> Bits:
            return self

    def shown(chance: Fraction, *words: int) -> bool:
        limits = np.array([int(chance * 2**64)], dtype=np.uint64)
        return bool(flip(limits, lambda _: chance, Scripted(*words))[0])

    third = 2**64 // 3
    assert shown(Fraction(1, 3), third - 1)
    assert not shown(Fraction(1, 3), third + 1)
    assert shown(Fraction(1, 3), third, third, third - 1)
    assert not shown(Fraction(1, 3), third, third + 1)
    assert not shown(Fraction(1, 2), 2**63), "exactly one half is not below one half"


def test_the_first_bits_of_every_chance_are_its_own() -> None:
    coin = Coin(0.7, 6)
    totals = np.array([0, 1, WHOLE, 2 * WHOLE + 12345, 3 * WHOLE, 5 * WHOLE, 6 * WHOLE])
    assert coin.limits(totals).tolist() == [int(coin.chance(int(total)) * 2**64) for total in totals]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_too_few_voters_for_a_coin_are_refused_and_the_message_says_how_many(epsilon: float) -> None:
    enough = math.ceil(2 / math.expm1(epsilon) * (1 + 1e-8))
    assert coin_floor(epsilon, enough) <= Fraction(1, 2)
    if enough > 1:
        with pytest.raises(MechanismRefused, match=f"at least {enough}"):
            Coin(epsilon, enough - 1)


@pytest.mark.parametrize("accuracy", [0.01, 0.3])
def test_default_numbers_of_voters_reach_the_accuracy(accuracy: float) -> None:
    voters = coin_voters(0.7, accuracy)
    assert coin_floor(0.7, voters) <= accuracy * (1 + 1e-8)
    mean = NoisyMean(0.7, 0.0, 1)
    assert mean.noise.rms / noisy_mean_voters(mean.noise.rms, accuracy) <= accuracy


def laplace_worst(mean: NoisyMean) -> float:
    """Largest log-ratio over all tables of three voters: whole steps moved, over the scale in whole steps."""
    steps = math.ceil(mean.noise.scale / mean.noise.step)
    said = (0, 1, WHOLE // 3, WHOLE - 1, WHOLE)
    moved = 0
    for left, right, rest in itertools.product(said, said, (0, WHOLE // 3, 2 * WHOLE)):
        here, there = (float(Fraction(rest + one, WHOLE)) / mean.noise.step for one in (left, right))
        moved = max(moved, abs(round(here) - round(there)))
    return moved / steps


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_laplace_means_of_all_neighbours_come_near_epsilon_and_not_past_it(epsilon: float) -> None:
    assert 0.95 * epsilon <= laplace_worst(NoisyMean(epsilon, 0.0, 3)) <= epsilon


def test_gaussian_means_keep_epsilon_and_delta() -> None:
    mean = NoisyMean(1.0, 1e-6, 3)
    assert 0.99e-6 <= delta_gaussian(1.0, 1 / mean.noise.scale) <= 1e-6


@pytest.mark.parametrize(("delta", "law"), [(0.0, stats.laplace), (1e-6, stats.norm)], ids=["laplace", "gaussian"])
def test_noisy_means_follow_their_law_and_a_wrong_range_is_noticed(delta: float, law: stats.rv_continuous) -> None:
    mean, times = NoisyMean(1.0, delta, 4), 20_000
    with Ledger().reserve(mean.event(times)) as entry:
        shares = mean.release(Private(np.full(times, 3 * WHOLE)), entry, bits_from(8))
    error = (shares - 0.75) * 4 / mean.noise.scale
    assert stats.kstest(error, law.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(error * 4, law.cdf).pvalue < FALSE_ALARM, "divided by the voters once too often"
    assert stats.kstest(error / 4, law.cdf).pvalue < FALSE_ALARM, "not divided by the voters"
    assert len(np.unique(shares)) > 0.99 * times, "noise is not shared between answers"


@pytest.mark.parametrize("mechanism", [NoisyMean(1.0, 0.0, 3), NoisyMean(1.0, 1e-6, 3), Coin(1.0, 3)])
def test_no_answer_without_an_open_entry_for_just_so_many(mechanism: NoisyMean | Coin) -> None:
    sums = Private(np.array([WHOLE, 2 * WHOLE]))
    with Ledger().reserve(mechanism.event(2)) as closed:
        pass
    with pytest.raises(LedgerFailure):
        mechanism.release(sums, closed, bits_from(0))
    foreign: list[Event] = [mechanism.event(1), mechanism.event(3), PureRelease(0.5, steps=2)]
    for event in foreign:
        with Ledger().reserve(event) as entry, pytest.raises(LedgerFailure):
            mechanism.release(sums, entry, bits_from(0))
