"""The measured comparison: expected losses on neighbours, against drawn answers, and the two figures that leave."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.answers import measure
from equipoise.gate.answers.average import Coin, NoisyMean
from equipoise.gate.answers.measure import MeasurePlan
from equipoise.gate.answers.vote import NoisyMaximum, SoftVote
from equipoise.gate.answers.walk import WalkCoin
from equipoise.inside import Private, enter
from equipoise.inside.answers import expected
from equipoise.inside.answers.shards import MEAN_BITS, Says, Voter, Voters, sums, tallies
from equipoise.ledger import Ledger
from equipoise.theory.bounds import Bounds
from equipoise.theory.events import Event, PureRelease
from equipoise.theory.guarantees import Budget
from equipoise.theory.noise import Law, Noise
from equipoise.theory.prediction.advice import ROUNDING, of_mean_expected_loss, total_variation

Array = npt.NDArray[np.float64]

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

VOTERS = 41
ONE = 2**MEAN_BITS


def soft(epsilon: float, moved: int) -> Array:
    """Wrong chances of every election of two classes, after `moved` voters have changed their minds."""
    ones = np.clip(np.arange(VOTERS + 1) + moved, 0, VOTERS)
    counts = np.column_stack([VOTERS - ones, ones])
    return expected.by_weights(Private(counts), epsilon / 2, np.zeros(len(ones))).reveal()


def three(epsilon: float, moved: int) -> Array:
    """The same with a third class that has a fixed number of votes."""
    ones = np.clip(np.arange(VOTERS + 1) + moved, 0, VOTERS)
    counts = np.column_stack([VOTERS - ones, ones, np.full(VOTERS + 1, 3)])
    return expected.by_weights(Private(counts), epsilon / 2, np.zeros(len(ones))).reveal()


def walk(epsilon: float, moved: int) -> Array:
    stands = np.arange(-30, 31) + 2 * moved
    return expected.by_walk(Private(stands), epsilon / 2, np.ones(61)).reveal()


def lead(epsilon: float, moved: int) -> Array:
    ones = np.clip(np.arange(VOTERS + 1) + moved, 0, VOTERS)
    counts, law = np.column_stack([VOTERS - ones, ones]), NoisyMaximum(epsilon, 1e-5, 2)
    return expected.by_lead(Private(counts), law.noise.scale, np.zeros(len(ones))).reveal()


def coin(epsilon: float, moved: int) -> Array:
    law = Coin(epsilon, 2)  # so few that the bound of pure privacy is what counts
    totals = np.clip(np.linspace(0, 2, 41) + moved, 0, 2) * ONE
    return expected.by_coin(Private(totals.astype(np.int64)), 2, float(law.floor), np.zeros(41)).reveal()


def mean_of(delta: float) -> Callable[[float, int], Array]:
    """Squared errors at a label on the edge, noise wider than the range: the loss is nearly the side of the answer."""

    def losses(epsilon: float, moved: int) -> Array:
        law = NoisyMean(epsilon, delta, 2)
        totals = np.clip(np.linspace(0, 2, 81) + moved, 0, 2) * ONE
        return expected.by_mean(Private(totals.astype(np.int64)), 2, law.noise, np.zeros(81)).reveal()

    return losses


def score(law: Law) -> Callable[[float, int], Array]:
    """The side of a linear score, which moves by one unit of its stability."""

    def losses(epsilon: float, moved: int) -> Array:
        rows = np.array([[0.6, 0.0], [0.6, 0.8], [0.01, 0.0]])
        bounds = Bounds(1.0, 0.0, None, (0, 1))
        held = enter(rows, np.array([0, 0, 1]), bounds)
        noise = Noise(law, 1 / epsilon, 2.0**-20, 1)
        scores = [np.array([0.1 * (place + moved), 0.0]) for place in np.linspace(-3, 3, 25)]
        return np.concatenate([expected.by_score(held, Private(w), 0.1, noise, bounds).reveal() for w in scores])

    return losses


CASES: dict[str, tuple[Callable[[float, int], Array], Event, float, float]] = {
    "soft vote": (soft, SoftVote(0.8).event(1), 0.8, 0.99),
    "soft vote of three": (three, SoftVote(0.8).event(1), 0.8, 0.9),
    "walk": (walk, WalkCoin(0.8).event(1), 0.8, 0.99),
    "noisy maximum": (lead, NoisyMaximum(0.8, 1e-5, 2).event(1), 0.8, 0.99),
    "coin": (coin, PureRelease(2 * math.atanh(0.5)), 2 * math.atanh(0.5), 0.99),
    "side, Laplace": (score(Law.LAPLACE), PureRelease(0.1), 0.1, 0.97),
    "mean, Laplace": (mean_of(0.0), NoisyMean(0.05, 0.0, 2).event(1), 0.05, 0.9),
    "mean, Gaussian": (mean_of(1e-5), NoisyMean(0.2, 1e-5, 2).event(1), 0.2, 0.9),
}


@pytest.mark.parametrize("name", CASES)
def test_losses_of_neighbours_come_near_the_variation_of_an_answer_and_never_pass_it(name: str) -> None:
    losses, event, epsilon, share = CASES[name]
    here, there, bound = losses(epsilon, 0), losses(epsilon, 1), total_variation(event)
    assert np.all((here >= -ROUNDING) & (here <= 1 + ROUNDING))
    moved = float(np.abs(here - there).max())
    assert share * bound <= moved <= bound + 2 * ROUNDING


def drawn_wrong(mechanism: Any, counts: Any, code: int, times: int = 20_000) -> int:
    with Ledger().reserve(mechanism.event(times)) as entry:
        labels = mechanism.release(Private(np.repeat(np.array([counts]), times, axis=0)), entry, bits_from(3))
    return int(np.sum(labels != code))


def test_chances_are_those_of_the_answers_that_are_drawn() -> None:
    codes = np.array([1.0])
    votes, stand, total = np.array([[5, 3]]), np.array([3]), np.array([int(1.3 * ONE)])
    soft_vote, loudest, step, flip = SoftVote(0.7), NoisyMaximum(1.0, 1e-3, 2), WalkCoin(0.7), Coin(1.0, 4)
    told = {
        drawn_wrong(soft_vote, votes[0], 1): expected.by_weights(Private(votes), 0.35, codes),
        drawn_wrong(loudest, votes[0], 1): expected.by_lead(Private(votes), loudest.noise.scale, codes),
        drawn_wrong(step, stand[0], 1): expected.by_walk(Private(stand), 0.35, codes),
        drawn_wrong(flip, total[0], 1): expected.by_coin(Private(total), 4, float(flip.floor), codes),
    }
    for wrong, chance in told.items():
        assert stats.binomtest(wrong, 20_000, float(chance.reveal()[0])).pvalue > FALSE_ALARM


@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_squared_errors_are_those_of_the_means_that_are_drawn(delta: float) -> None:
    law, times, target = NoisyMean(2.0, delta, 3), 40_000, 0.2
    total = int(1.7 * ONE)
    with Ledger().reserve(law.event(times)) as entry:
        shares = law.release(Private(np.full(times, total)), entry, bits_from(5))
    errors = (np.clip(shares, 0, 1) - target) ** 2
    told = expected.by_mean(Private(np.array([total])), 3, law.noise, np.array([target])).reveal()[0]
    tolerance = stats.norm.isf(FALSE_ALARM / 2) * errors.std() / math.sqrt(times) + 2 / expected.LEVELS**2
    assert abs(errors.mean() - told) < tolerance


@pytest.mark.parametrize("law", [Law.LAPLACE, Law.GAUSSIAN])
def test_losses_of_linear_scores_are_those_of_noisy_scores(law: Law) -> None:
    """Against the plain integral over the noise, rows clipped and of their own noise; a zero row answers 0."""
    rows, w, per_norm = np.array([[3.0, 4.0], [0.3, 0.0], [0.0, 0.0]]), np.array([0.4, -0.9]), 0.3
    clipped, noise = np.array([[0.6, 0.8], [0.3, 0.0], [0.0, 0.0]]), Noise(law, 1.7, 2.0**-20, 1)
    place = (np.arange(200_000) + 0.5) / 200_000
    draws = stats.laplace.ppf(place) if law is Law.LAPLACE else stats.norm.ppf(place)
    answers = [row @ w + np.linalg.norm(row) * per_norm * 1.7 * draws for row in clipped]
    two = Bounds(1.0, 0.0, None, (0, 1))
    wrong = expected.by_score(enter(rows, np.array([1, 0, 1]), two), Private(w), per_norm, noise, two).reveal()
    assert wrong == pytest.approx([np.mean(answers[0] <= 0), np.mean(answers[1] > 0), 1.0], abs=2e-5)
    labels = np.array([1.0, -1.5, 9.0])
    for bounds in (Bounds(1.0, 0.0, (-2.0, 2.0)), Bounds(1.0, 0.0, (-2.0, 6.0)), Bounds(1.0, 0.0, (1.0, 2.0))):
        lost = expected.by_score(enter(rows, labels, bounds), Private(w), per_norm, noise, bounds).reveal()
        low, high = bounds.label_range or (0.0, 0.0)
        shown = [np.clip(answer * bounds.label_scale, low, high) for answer in answers]
        told = zip(shown, np.clip(labels, low, high), strict=True)
        assert lost == pytest.approx([np.mean((z - y) ** 2) / (high - low) ** 2 for z, y in told], abs=3e-5)


@pytest.mark.parametrize("scale", [1e-6, 1e12])
def test_squared_errors_keep_within_bounds_for_noise_of_any_size(scale: float) -> None:
    law = Noise(Law.GAUSSIAN, scale, scale / 2**24, 1)
    here, there = (
        expected.by_mean(Private(np.array([int(total * ONE)])), 1, law, np.array([0.0])).reveal()[0]
        for total in (0.5, 0.5 + min(0.25, scale))
    )
    assert 0 <= here <= 1
    assert abs(here - there) <= 2 * stats.norm.cdf(0.5) - 1 + 2 * ROUNDING
    assert here == pytest.approx(0.25 if scale < 1 else 0.5, abs=1e-3)


class Fussy:
    """Refuses a whole batch for one row that is too large, as trees do."""

    classes_ = np.array([0.0, 1.0])

    def predict(self, X: Array) -> Array:
        if np.abs(X).max() > 1e30:
            raise ValueError("too large")
        return (X[:, 0] > 0).astype(float)

    def predict_proba(self, X: Array) -> Array:
        ones = self.predict(X)
        return np.column_stack([1 - ones, ones])


def test_a_row_that_a_model_refuses_spoils_no_other_rows_answer() -> None:
    rows = np.linspace(-1, 1, 11)[:, None]
    spoilt = np.vstack([rows[:4], [[1e300]], rows[5:]])
    voters: Private[Voters] = Private((Voter(Fussy(), 0.0), Voter(None, 1.0)))
    others = np.arange(11) != 4
    asks: list[Callable[[Array], npt.NDArray[np.int64]]] = [
        lambda X: tallies(voters, X, 2).reveal(),
        lambda X: sums(voters, X, (0.0, 1.0), Says.PROBABILITY).reveal(),
    ]
    for ask in asks:
        assert np.array_equal(ask(rows)[others], ask(spoilt)[others])
        assert not np.array_equal(ask(rows)[0], ask(rows)[-1])
    assert tallies(voters, spoilt, 2).reveal()[4].tolist() == [1, 1], "says what a shard that failed would say"


def plan(moved: float = 0.02, answers: float = 0.4) -> MeasurePlan:
    return MeasurePlan(Budget(1.0), PureRelease(0.5), answers, 0.1, moved, 200)


def test_figures_leave_with_noise_for_all_that_one_record_of_each_part_can_do() -> None:
    """The law of both figures, through the seam that draws them; half the noise would be noticed."""
    made = plan()
    found = []
    for seed in range(400):
        with Ledger().reserve(made.event) as entry:
            figures = measure.release(Private(np.array([0.5])), Private(np.array([0.5])), made, entry, bits_from(seed))
        found.append([figure.value - 0.5 for figure in figures])
    scales = (0.02 + 1 / 200) / 0.4, 1 / 200 / 0.1
    for noise, scale in zip(np.array(found).T, scales, strict=True):
        assert stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue > FALSE_ALARM
        assert stats.kstest(noise, stats.laplace(scale=scale / 2).cdf).pvalue < FALSE_ALARM


def test_planned_noise_covers_the_sensitivity_and_hardly_more() -> None:
    made = plan()
    for noise, moved, epsilon in ((made.answers_noise, 0.02, 0.4), (made.pilot_noise, 0.0, 0.1)):
        least = of_mean_expected_loss(moved, 200) / epsilon
        assert noise.law is Law.LAPLACE
        assert least <= noise.scale <= least * (1 + 1e-6)


def test_the_event_holds_the_fit_and_both_figures() -> None:
    made = plan()
    assert made.event.parts == (PureRelease(0.5), PureRelease(0.4), PureRelease(0.1))
    promise = made.guarantee(seeded=True)
    assert (promise.epsilon, promise.delta, promise.private) == (1.0, 0.0, False)
    assert promise.sensitivity == of_mean_expected_loss(0.02, 200)


def test_nothing_leaves_without_an_open_entry_for_just_this() -> None:
    made, mean = plan(), Private(np.array([0.5]))
    with Ledger().reserve(made.event) as closed:
        pass
    with pytest.raises(LedgerFailure):
        measure.release(mean, mean, made, closed, bits_from(0))
    with Ledger().reserve(plan(answers=0.3).event) as foreign, pytest.raises(LedgerFailure):
        measure.release(mean, mean, made, foreign, bits_from(0))
