"""Who is paired with whom is public, even, and each pair is there once."""

from __future__ import annotations

from collections import Counter

import pytest

from equipoise.errors import InvalidInput
from equipoise.theory.pairs import MOST_NUMBERS, Ring

CASES = [(n, m) for n in (2, 3, 4, 5, 8, 9) for m in range(1, n) if m % 2 == 0 or m == n - 1]


@pytest.mark.parametrize(("records", "partners"), CASES)
def test_everybody_is_in_as_many_pairs_and_no_pair_is_there_twice(records: int, partners: int) -> None:
    ring = Ring(records, partners)
    left, right = (side.tolist() for side in ring.sides())
    assert len(left) == len(right) == ring.pairs
    assert len({frozenset(pair) for pair in zip(left, right, strict=True)}) == ring.pairs
    assert Counter(left + right) == Counter(dict.fromkeys(range(records), partners))


def test_all_others_is_every_pair_there_is() -> None:
    for records in (2, 3, 6, 7):
        ring = Ring.usual(records, 1)
        assert (ring.partners, ring.pairs) == (records - 1, records * (records - 1) // 2)


@pytest.mark.parametrize("columns", [1, 10, 10**7])
def test_large_tables_have_as_many_pairs_as_memory_holds(columns: int) -> None:
    for records in (2, 3, 1000, 10_001, 10**6):
        ring = Ring.usual(records, columns)
        assert ring.pairs * columns <= max(MOST_NUMBERS, records * columns)
        assert ring.partners >= min(2, records - 1)


@pytest.mark.parametrize(("records", "partners"), [(1, 1), (5, 5), (6, 3), (6, 0)])
def test_what_makes_no_ring_is_refused(records: int, partners: int) -> None:
    with pytest.raises(InvalidInput):
        Ring(records, partners)
