"""Whoever keeps which parts, their sums are added in the one order that all parts have together."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.inside.cluster.layout import branches, shared_out
from equipoise.inside.parted import branches_in_pairs, in_pairs


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 8, 13, 64, 100])
@pytest.mark.parametrize("workers", [1, 2, 3, 9])
@pytest.mark.parametrize("seed", range(3))
def test_sums_by_worker_are_the_sum_of_all_to_the_last_digit(parts: int, workers: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(parts, 2)) * 10.0 ** rng.integers(0, 12, size=(parts, 1))
    keepers = [f"w{keeper}" for keeper in np.sort(rng.integers(0, workers, parts))]
    rng.shuffle(keepers[: parts // 2])
    found = []
    for run in shared_out(keepers, dict.fromkeys(keepers, 1 + seed)):
        for start, level in branches(run):
            total = in_pairs(numbers[start : start + 2**level])
            assert total is not None
            assert set(range(start, start + 2**level)) <= set(run)
            found.append((start, level, total))
    together = branches_in_pairs((level, total) for _, level, total in sorted(found, key=lambda one: one[0]))
    np.testing.assert_array_equal(together, in_pairs(numbers))


def test_every_part_is_asked_about_once_and_by_whoever_keeps_it() -> None:
    keepers = ["a", "b", None, "a", "a", "b", "a", None]
    runs = shared_out(keepers, {"a": 2, "b": 4})
    assert sorted(place for run in runs for place in run) == list(range(8))
    assert all(len({keepers[place] for place in run}) == 1 for run in runs)
    assert sorted(runs) == [[0, 3], [1], [2], [4, 6], [5], [7]]


def test_neighbours_that_lie_together_are_one_branch() -> None:
    assert branches(range(8)) == [(0, 3)]
    assert branches([1, 2, 3, 4]) == [(1, 0), (2, 1), (4, 0)]
    assert branches([2, 3, 6, 7]) == [(2, 1), (6, 1)]
    assert branches([]) == []
