"""Sample sizes: inverse of each other, monotone, and kept in simulations and on every short sequence of labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import InvalidInput
from equipoise.theory.prediction import sample_size as size
from equipoise.theory.prediction.shards import walk_error, walk_reach

Rows = Callable[[float, float], int]
Error = Callable[[int, float], float]

PROBLEM = size.OnePass(coef_norm=2.0, row_norm=1.5, slope=1.0, curvature=0.25)
FEW, MANY = size.one_inclusion(3), size.finite_class(20)
PAIRS: dict[str, tuple[Rows, Error]] = {
    "vote": (
        lambda alpha, epsilon: size.rows_for_vote(alpha, epsilon, FEW),
        lambda n, epsilon: size.error_of_vote(n, epsilon, FEW),
    ),
    "average": (
        lambda alpha, epsilon: size.rows_for_average(alpha, epsilon, MANY, failure=0.1),
        lambda n, epsilon: size.error_of_average(n, epsilon, MANY, failure=0.1),
    ),
    "stable": (
        lambda alpha, epsilon: size.rows_for_stable(alpha, epsilon, coef_norm=2.0),
        lambda n, epsilon: size.error_of_stable(n, epsilon, coef_norm=2.0),
    ),
    "one pass": (
        lambda alpha, epsilon: size.rows_for_one_pass(alpha, epsilon, PROBLEM),
        lambda n, epsilon: size.error_of_one_pass(n, epsilon, PROBLEM),
    ),
    "walk": (
        lambda alpha, epsilon: size.rows_for_walk(alpha, epsilon, 2),
        lambda n, epsilon: size.error_of_walk(n, epsilon, 2),
    ),
    "walk on any data": (
        lambda alpha, epsilon: size.rows_for_walk(alpha, epsilon, 2, 0.2),
        lambda n, epsilon: size.error_of_walk(n, epsilon, 2, 0.2),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@given(alpha=st.floats(0.01, 0.9), epsilon=st.floats(0.05, 4.0))
def test_rows_and_error_are_inverse_and_monotone(name: str, alpha: float, epsilon: float) -> None:
    rows, error = PAIRS[name]
    enough = rows(alpha, epsilon)
    assert error(enough, epsilon) <= alpha * (1 + 1e-9)
    if enough > 1 and error(enough - 1, epsilon) < 1:
        assert error(enough - 1, epsilon) >= alpha * (1 - 1e-9)
    assert rows(alpha / 2, epsilon) >= enough
    assert rows(alpha, epsilon / 2) >= enough
    assert error(2 * enough, epsilon) <= error(enough, epsilon) * (1 + 1e-12)
    assert error(enough, 2 * epsilon) <= error(enough, epsilon) * (1 + 1e-12)


def test_formulas_agree_with_the_corrected_theorems() -> None:
    assert size.rows_for_vote(0.1, 0.5, lambda error: 1 / error) == math.ceil(6 * math.log(40) / 0.5) * 40
    assert size.rows_for_average(0.1, 0.5, lambda a, b: round(1 / (a * b)), failure=0.1) == 40 * round(
        40 / (0.05 * 0.1)
    )
    assert size.error_of_stable(400, 1.0) == pytest.approx(2 * math.sqrt(2 / 400))
    assert size.rows_for_stable(2 * math.sqrt(2 / 400), 1.0) == 400
    assert size.error_of_one_pass(100, 2.0, size.OnePass()) == pytest.approx(1 / 10 + 4 * 0.25 / (100 * 4))
    assert size.error_of_one_pass(1, 1.0, size.OnePass(coef_norm=80.0)) == math.inf


@given(st.integers(1, 500), st.floats(0.05, 3.0), st.floats(0.01, 0.5), st.integers(1, 5))
def test_the_walk_bound_is_that_of_fitted_data_when_nothing_is_missed(
    n: int, epsilon: float, accuracy: float, intervals: int
) -> None:
    ours = size.walk_bound(n, size.WalkSetting(epsilon, accuracy), intervals)
    assert min(1.0, ours) == pytest.approx(walk_error(n, epsilon, accuracy, intervals))


# The walk asked about each row with that row left out is an online learner on the sorted rows: what it loses on every
# sequence of labels is compared with the best union of intervals for that sequence.


def lost(labels: tuple[int, ...], epsilon: float, reach: int) -> float:
    stand, total = 0, 0.0
    for label in labels:
        total += 1 / (1 + math.exp((1 if label else -1) * epsilon * stand / 2))
        stand = max(-reach, min(reach, stand + (1 if label else -1)))
    return total


def fewest_missed(labels: tuple[int, ...], intervals: int) -> int:
    """By the best labelling with at most `intervals` blocks of ones."""
    best = {(0, 0): 0}
    for label in labels:
        step: dict[tuple[int, int], int] = {}
        for (said, blocks), missed in best.items():
            for now in (0, 1):
                used = blocks + (1 if now and not said else 0)
                if used <= intervals:
                    step[now, used] = min(step.get((now, used), 10**9), missed + (now != label))
        best = step
    return min(best.values())


@pytest.mark.parametrize("intervals", [1, 2])
@pytest.mark.parametrize(("epsilon", "accuracy"), [(0.5, 0.9), (1.0, 0.5), (2.0, 0.3), (6.0, 0.1)])
def test_no_short_sequence_of_labels_loses_more_than_the_bound(intervals: int, epsilon: float, accuracy: float) -> None:
    reach, rows, closest = walk_reach(epsilon, accuracy), 11, 0.0
    for labels in itertools.product((0, 1), repeat=rows):
        missed = fewest_missed(labels, intervals) / rows
        exact = lost(labels, epsilon, reach) / rows
        bound = size.walk_bound(rows - 1, size.WalkSetting(epsilon, accuracy), intervals, missed)
        assert exact <= bound + 1e-12
        closest = max(closest, exact / bound)
    assert closest > 0.4


def test_the_price_of_a_missed_label_is_attained_by_alternating_labels() -> None:
    epsilon, pairs = 1.3, 400
    per_pair = lost((1, 0) * pairs, epsilon, 50) / pairs
    assert per_pair == pytest.approx(1 + math.tanh(epsilon / 4) / 2, rel=1e-12)


def test_alternating_labels_cost_more_than_half_which_a_bound_must_allow() -> None:
    exact = lost((1, 0), 2.0, 5) / 2  # two rows that one interval fits, each asked with the other known
    assert exact > 0.5
    assert size.walk_bound(1, size.WalkSetting(2.0, 0.1)) >= exact


@pytest.mark.parametrize(("flipped", "epsilon"), [(0.0, 1.0), (0.1, 1.0), (0.2, 0.5)])
def test_simulated_thresholds_need_no_more_rows_than_promised(flipped: float, epsilon: float) -> None:
    alpha = 0.1
    n = size.rows_for_walk(alpha, epsilon, 1, flipped)
    setting = size.walk_setting(alpha, epsilon, flipped)
    rng, errors = np.random.default_rng(3), []
    for _ in range(300):
        x = np.sort(rng.uniform(size=n))
        y = ((x > 0.4) & (x < 0.7)) ^ (rng.uniform(size=n) < flipped)
        stands = [0, *_stands(y, walk_reach(setting.epsilon, setting.accuracy))]
        asked = rng.uniform(size=50)
        ones = 1 / (1 + np.exp(-setting.epsilon * np.array(stands)[np.searchsorted(x, asked)] / 2))
        truth = np.where((asked > 0.4) & (asked < 0.7), 1 - flipped, flipped)
        errors.append(np.mean(ones * (1 - truth) + (1 - ones) * truth))
    spread = float(np.std(errors)) / math.sqrt(len(errors))
    assert np.mean(errors) - 5 * spread < flipped + alpha  # FALSE_ALARM: 5 standard errors and a fixed seed
    assert np.mean(errors) - flipped > alpha / 10  # and the promise is not idle


def _stands(labels: npt.NDArray[np.bool_], reach: int) -> list[int]:
    stand, stands = 0, []
    for label in labels.tolist():
        stand = max(-reach, min(reach, stand + (1 if label else -1)))
        stands.append(stand)
    return stands


def test_simulated_averages_of_shards_need_no_more_rows_than_promised() -> None:
    """Constants 0, 0.1 … 1 as predictors, absolute loss, labels that are 1 with chance 0.55: shards disagree."""
    alpha, epsilon, chance, failure = 0.3, 1.0, 0.55, 0.1
    n = size.rows_for_average(alpha, epsilon, size.finite_class(11), failure=failure)
    shards = math.ceil(2 / (alpha * epsilon))
    rng, excess = np.random.default_rng(5), []
    for _ in range(200):
        share = rng.binomial(n // shards, chance, size=shards) / (n // shards)
        answer = np.mean(share > 0.5) + rng.laplace(
            scale=1 / (shards * epsilon), size=400
        )  # the best constant is 0 or 1
        loss = chance * np.abs(1 - answer) + (1 - chance) * np.abs(answer)
        excess.append(float(np.mean(loss)) - (1 - chance))
    assert np.mean(np.array(excess) > alpha) <= failure
    assert np.mean(excess) > alpha / 10


@given(st.floats(0.001, 0.6), st.integers(1, 60), st.floats(0.05, 3.0), st.integers(0, 10**6))
def test_no_law_of_wrong_voters_beats_the_vote_error(mean: float, voters: int, epsilon: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bound = size.vote_error(mean, voters, epsilon)
    shares = rng.uniform(size=12)
    wrong = 1 / (1 + np.exp(epsilon * voters * (0.5 - shares)))
    none = 1 / (1 + math.exp(min(700.0, epsilon * voters / 2)))
    mixed = np.where(shares >= mean, none + np.minimum(1, mean / shares) * (wrong - none), 0.0)
    assert np.max(mixed) <= bound * (1 + 1e-9)
    assert bound <= 3 * mean + math.exp(-epsilon * voters / 6) + 1e-12


def test_the_vote_error_is_attained_by_two_kinds_of_query() -> None:
    shares = np.linspace(0.01, 1, 5000)
    none, wrong = 1 / (1 + math.exp(10.0)), 1 / (1 + np.exp(20 * (0.5 - shares)))
    attained = np.max(none + np.minimum(1, 0.05 / shares) * (wrong - none))
    assert size.vote_error(0.05, 20, 1.0) == pytest.approx(attained, rel=1e-4)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InvalidInput, match="alpha=0"):
        size.rows_for_walk(0, 1.0)
    with pytest.raises(InvalidInput, match="epsilon=-1"):
        size.error_of_vote(100, -1.0, FEW)
    with pytest.raises(InvalidInput, match="so small that no table"):
        size.rows_for_stable(1e-12, 1.0)
    with pytest.raises(InvalidInput, match="best_error=2"):
        size.rows_for_walk(0.1, 1.0, 1, 2)
    assert size.error_of_vote(3, 0.1, FEW) == 1.0
