"""The walk: every small table and every neighbour, the law of its coin, and twins that are caught."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.special import expit, log_expit

from equipoise.errors import LedgerFailure
from equipoise.gate import bits_from
from equipoise.gate.answers.walk import WalkCoin
from equipoise.inside import Private
from equipoise.inside.answers import walk as inside_walk
from equipoise.inside.answers.walk import stand_at, walk_along
from equipoise.ledger import Ledger
from equipoise.theory.events import BoundedRangeRelease
from equipoise.theory.prediction.shards import walk_error, walk_reach

FALSE_ALARM = 1e-6
"""Chance that a right law is rejected, for each statistical test here.  All are seeded, so none flickers."""

Array = npt.NDArray[np.float64]
Record = tuple[int, int]
Heights = Callable[[tuple[Record, ...], int], tuple[int, ...]]

RECORDS = list(itertools.product((0, 1), (0, 1)))
QUERIES = np.array([-1.0, 0.0, 0.5, 1.0, 9.0])


def heights(table: tuple[Record, ...], reach: int) -> tuple[int, ...]:
    """Where the library's walk stands at each query."""
    columns = np.array(table, dtype=np.float64).reshape(-1, 2)
    stands = stand_at(walk_along(columns[:, 0], columns[:, 1], reach), QUERIES)
    return tuple(int(stand) for stand in stands.reveal())


def worst(epsilon: float, reach: int, walk: Heights = heights) -> float:
    """Largest |log-ratio| of an answer, over all tables of at most five rows, all replacements and all queries."""
    found = 0.0
    for rows in range(1, 6):
        stands = {table: walk(table, reach) for table in itertools.combinations_with_replacement(RECORDS, rows)}
        for table, here in stands.items():
            for place, other in itertools.product(range(rows), RECORDS):
                there = stands[tuple(sorted((*table[:place], *table[place + 1 :], other)))]
                pairs = epsilon / 2 * np.array([here, there])
                ratios = [log_expit(pairs[0]) - log_expit(pairs[1]), log_expit(-pairs[0]) - log_expit(-pairs[1])]
                found = max(found, float(np.abs(ratios).max()))
    return found


@pytest.mark.parametrize("reach", [1, 2, 3, 9])
def test_no_replacement_in_any_small_table_passes_epsilon(reach: int) -> None:
    assert worst(2.0, reach) <= 2.0 * (1 + 1e-12)


def test_some_replacement_comes_near_epsilon() -> None:
    assert worst(2.0, 9) >= 0.95 * 2.0


def test_a_walk_with_doubled_steps_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = inside_walk._stands
    monkeypatch.setattr(inside_walk, "_stands", lambda codes, reach: 2 * honest(codes, reach))
    assert worst(2.0, 9) > 1.5 * 2.0


def test_an_order_of_ties_that_depends_on_other_records_is_caught() -> None:
    """Ties sorted by which label is rarer among them: one record can turn the whole group around."""

    def rarer_first(table: tuple[Record, ...], reach: int) -> tuple[int, ...]:
        stands = []
        for query in QUERIES:
            height = 0
            for value in (0, 1):
                group = [y for x, y in table if x == value and x <= query]
                for y in sorted(group, key=lambda y: (group.count(y), y)):
                    height = min(height + 1, reach) if y else max(height - 1, -reach)
            stands.append(height)
        return tuple(stands)

    turned = max(
        abs(a - b)
        for ones in range(6)
        for a, b in [(rarer_first(_tied(ones, 12 - ones), 4)[-1], rarer_first(_tied(ones + 1, 11 - ones), 4)[-1])]
    )
    kept = max(
        abs(a - b)
        for ones in range(12)
        for a, b in [(heights(_tied(ones, 12 - ones), 4)[-1], heights(_tied(ones + 1, 11 - ones), 4)[-1])]
    )
    assert turned > 2
    assert kept <= 2


def _tied(ones: int, zeros: int) -> tuple[Record, ...]:
    return ((0, 1),) * ones + ((0, 0),) * zeros


def test_unsorted_rows_and_negative_zero_make_the_same_walk() -> None:
    rng = np.random.default_rng(0)
    values, codes = rng.integers(0, 4, 60).astype(float), rng.integers(0, 2, 60).astype(float)
    first = stand_at(walk_along(values, codes, 3), QUERIES).reveal()
    order = rng.permutation(60)
    shuffled = np.where(values[order] == 0, -0.0, values[order])
    assert np.array_equal(first, stand_at(walk_along(shuffled, codes[order], 3), QUERIES).reveal())
    assert np.array_equal(first, stand_at(walk_along(values, codes, 3), np.where(QUERIES == 0, -0.0, QUERIES)).reveal())


def test_the_walk_equals_the_slow_obvious_one() -> None:
    rng = np.random.default_rng(1)
    values, codes = rng.normal(size=200), rng.integers(0, 2, 200).astype(float)
    queries = rng.normal(size=50)
    fast = stand_at(walk_along(values, codes, 4), queries).reveal()
    for query, stand in zip(queries, fast, strict=True):
        height = 0
        for value, code in sorted(zip(values, codes, strict=True)):
            if value <= query:
                height = int(np.clip(height + 2 * code - 1, -4, 4))
        assert height == stand


def test_values_that_are_no_numbers_stand_in_the_middle_and_large_ones_at_the_edge() -> None:
    values, codes = np.array([np.nan, np.inf, -np.inf, 9.0]), np.array([1.0, 0.0, 1.0, 1.0])
    assert walk_along(values, codes, 3, (0.0, 8.0)).reveal().values.tolist() == [0.0, 4.0, 8.0, 8.0]
    assert walk_along(values, codes, 3).reveal().values[1] == 0.0


@pytest.mark.parametrize("height", [-3, 0, 2])
def test_answers_follow_the_law(height: int) -> None:
    coin, times = WalkCoin(1.0), 20_000
    with Ledger().reserve(coin.event(times)) as entry:
        ones = int(coin.release(Private(np.full(times, height)), entry, bits_from(2)).sum())
    assert stats.binomtest(ones, times, float(expit(height / 2))).pvalue > FALSE_ALARM
    assert height == 0 or stats.binomtest(ones, times, float(expit(height))).pvalue < FALSE_ALARM


def test_no_answer_without_an_open_entry_for_just_so_many() -> None:
    coin, stands = WalkCoin(1.0), Private(np.array([1, 2]))
    with Ledger().reserve(coin.event(2)) as closed:
        pass
    with pytest.raises(LedgerFailure):
        coin.release(stands, closed, bits_from(0))
    with Ledger().reserve(BoundedRangeRelease(1.0, 1)) as entry, pytest.raises(LedgerFailure):
        coin.release(stands, entry, bits_from(0))


@pytest.mark.parametrize(("epsilon", "accuracy"), [(0.1, 0.05), (1.0, 0.2), (5.0, 0.01)])
def test_at_its_stops_the_walk_is_wrong_with_half_the_accuracy_at_most(epsilon: float, accuracy: float) -> None:
    reach = walk_reach(epsilon, accuracy)
    assert expit(-epsilon * reach / 2) <= accuracy / 2
    assert math.exp(-epsilon * (reach - 1) / 2) >= accuracy / 2


@pytest.mark.parametrize("intervals", [1, 3])
def test_the_error_left_out_row_by_row_is_below_the_bound_and_near_it(intervals: int) -> None:
    """On evenly cut runs, the exact expected error of every row when left out."""
    epsilon, accuracy, n = 0.5, 0.1, 600
    values = np.arange(n, dtype=float)
    codes = (np.floor(values * (2 * intervals + 1) / n) % 2).astype(float)
    reach, wrong = walk_reach(epsilon, accuracy), []
    for row in range(n):
        kept = np.arange(n) != row
        stand = stand_at(walk_along(values[kept], codes[kept], reach), values[row : row + 1]).reveal()[0]
        wrong.append(expit(-epsilon * stand / 2) if codes[row] else expit(epsilon * stand / 2))
    bound = walk_error(n - 1, epsilon, accuracy, intervals)
    assert 0.8 * bound <= np.mean(wrong) <= bound
