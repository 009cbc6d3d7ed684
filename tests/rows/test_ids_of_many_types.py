"""Ids of every type, mixed: whose rows are used depends on nobody else's id, in memory and where rows lie in parts."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from equipoise.inside.cluster import turns
from equipoise.rows.persons import people_in

CAP = 2

ALIKE: dict[str, list[Any]] = {
    "one": [1, 1.0, True, np.bool_(True), np.int64(1), np.uint8(1), np.float32(1), Decimal(1), Fraction(1), 1 + 0j],
    "none": [0, -0.0, False, np.bool_(False), np.int16(0), Decimal("-0"), np.float64(0)],
    "large": [2**60, Decimal(2**60), np.int64(2**60), np.float64(2**60)],
    "endless": [math.inf, Decimal("inf"), np.float32(math.inf)],
    "words": ["a", np.str_("a")],
    "bytes": [b"a", np.bytes_(b"a")],
    "days": [datetime.date(2020, 1, 1)],
}
"""Each list is one person, whichever of its ids a row has."""

MISSING = [None, math.nan, np.float32("nan"), Decimal("nan"), Decimal("sNaN")]


def as_ids(held: list[Any]) -> npt.NDArray[Any]:
    found = np.empty(len(held), dtype=object)
    for place, each in enumerate(held):
        found[place] = each
    return found


def in_memory(ids: list[Any]) -> list[Any]:
    used = np.zeros(len(ids), dtype=bool)
    used[people_in(as_ids(ids), len(ids), CAP).rows] = True
    return used.tolist()


def in_parts(parts: list[list[Any]], counters: int) -> list[Any]:
    """As workers do it, one after the other."""
    known: list[Any] = [turns.named(as_ids, CAP, part) for part in parts]
    heard: list[Any] = [[turns.share(part, counter, counters) for part in known] for counter in range(counters)]
    answers: list[Any] = [turns.counted(CAP, *shares) for shares in heard]
    found: list[Any] = []
    for place, part in enumerate(known):
        told: list[Any] = [turns.place_of(answer, place) for answer in answers]
        found.append(turns.picked(part, CAP, *told))
    assert all(isinstance(one, turns.Picked) for one in found), "no id may end a fit"
    return [used for one in found for used in one.rows.tolist()]


@pytest.mark.parametrize("name", ALIKE)
def test_equal_ids_are_one_person_whatever_their_types(name: str) -> None:
    ids = ALIKE[name] * 3
    first = [place < CAP for place in range(len(ids))]
    assert in_memory(ids) == first
    for counters in (1, 2, 3, 7):
        assert in_parts([[each] for each in ids], counters) == first


@pytest.mark.parametrize("name", ALIKE)
def test_whose_rows_are_used_depends_on_nobody_elses_id(name: str) -> None:
    others = [each for other, held in ALIKE.items() if other != name for each in held] + MISSING
    for each in ALIKE[name]:
        mine = [each] * 5
        for other in others:
            assert in_memory([other, *mine])[1:] == in_memory(mine), (each, other)


def test_parts_use_the_rows_that_memory_uses() -> None:
    pool = [each for held in ALIKE.values() for each in held] + MISSING
    rng = np.random.default_rng(0)
    for _ in range(300):
        parts = [[pool[place] for place in rng.integers(len(pool), size=rng.integers(6))] for _ in range(12)]
        assert in_parts(parts, int(rng.integers(1, 5))) == in_memory([each for part in parts for each in part])


def test_ids_that_cannot_be_compared_with_each_other_end_no_fit() -> None:
    """NumPy's whole numbers within a tuple, beside decimals of the same value: the comparison raises."""
    ids = [(Decimal(1),), (np.int64(1),), (Decimal(1),)]
    with pytest.raises(TypeError):
        assert ids[0] != ids[1]
    assert in_parts([[each] for each in ids], 1) == in_memory(ids) == [True, True, True]
