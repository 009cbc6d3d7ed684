"""Ids of every type, mixed: whose rows are used depends on nobody else's id, in memory and where rows lie in parts."""

from __future__ import annotations

import datetime
import math
import warnings
from collections import UserDict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.inside.cluster import turns
from equipoise.rows.persons import people_in

CAP = 2

ALIKE: dict[str, list[Any]] = {
    "one": [1, 1.0, True, np.bool_(True), np.int64(1), np.uint8(1), np.float32(1), Decimal(1), Fraction(1), 1 + 0j],
    "none": [0, -0.0, False, np.bool_(False), np.int16(0), Decimal("-0"), np.float64(0)],
    "large": [2**60, Decimal(2**60), np.int64(2**60), np.float64(2**60)],
    "endless": [math.inf, Decimal("inf"), np.float32(math.inf)],
    "words": ["ab", np.str_("ab"), pa.scalar("ab"), ["ab"], np.array("ab")],
    "bytes": [b"ab", np.bytes_(b"ab"), pa.scalar(b"ab")],
    "days": [datetime.date(2020, 1, 1)],
    "in a list": [7, [7], (7,), [[7.0]], np.array(7), np.array([7]), np.ma.array([7]), pd.Series([7]), pa.scalar(7)],
    "of parts": [
        ["b", 1],
        ("b", 1),
        np.array(["b", 1], dtype=object),
        pl.Series(["b", 1], dtype=pl.Object),
        deque(["b", 1]),
    ],
    "with a gap": [["c", None], ("c", math.nan), ("c", pd.NA), [["c"], []], pa.scalar(["c", None])],
    "of records": [{"d": 1, "e": [2]}, {"e": np.array(2), "d": 1.0}, UserDict(d=1, e=2), pa.scalar({"d": 1, "e": 2})],
    "of a set": [{"f", "g"}, frozenset("gf"), {"f": 0, "g": 0}.keys()],
    "of bytes": [bytearray(b"h"), b"h", memoryview(b"h"), [b"h"]],
    "of a line": [np.array([(8, 9)], dtype="i4,i4")[0], (8, 9), [8, 9]],
}
"""Each list is one person, whichever of its ids a row has."""

MISSING: list[Any] = [
    None,
    math.nan,
    np.float32("nan"),
    Decimal("nan"),
    Decimal("sNaN"),
    [],
    {},
    [None],
    np.ma.masked,
    [[math.nan]],
]


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


class Shy:
    """Equals itself alone, and ends the process when it is compared with another."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        raise SystemExit("not with that one")

    def __hash__(self) -> int:
        return 1


class Closed:
    """Has a list in it, and does not show it."""

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[int]:
        raise SystemExit("nobody's business")

    def __array__(self, *given: Any, **named: Any) -> Any:
        warnings.warn("nobody's business", UserWarning, stacklevel=1)
        raise SystemExit("nobody's business")


def endless() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


@pytest.mark.parametrize("make", [Shy, Closed, endless], ids=lambda make: make.__name__)
def test_ids_that_cannot_be_compared_end_no_fit_and_say_nothing(make: Any) -> None:
    ids, others = [make(), 1, make()], [1, "a", (1, 2)]
    with pytest.raises((SystemExit, RecursionError, TypeError)):
        assert {ids[0]: 0}[ids[2]]
    assert in_parts([[each] for each in ids], 1) == in_memory(ids) == [True] * 3
    for other in others:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            used = people_in([other, *ids, other], 5, 1).rows.tolist()
        assert [place in used for place in (1, 2, 3)] == [True, other != 1, True]


WAYS: dict[str, Callable[[list[int]], Any]] = {
    "of one": lambda ids: [[each] for each in ids],
    "a column's values": lambda ids: pd.DataFrame({"id": ids})[["id"]].to_numpy().tolist(),
    "a column's rows": lambda ids: list(np.array(ids)[:, None]),
    "no dimension": lambda ids: [np.array(each) for each in ids],
    "records": lambda ids: [{"id": each} for each in ids],
    "sets": lambda ids: [{each} for each in ids],
    "bytes": lambda ids: [bytearray(str(each), "ascii") for each in ids],
    "objects": lambda ids: as_ids([[each, "x"] for each in ids]),
    "a series of lists": lambda ids: pd.Series([[each, 1] for each in ids]),
    "a series of arrays": lambda ids: pd.Series([np.array([each, 1]) for each in ids]),
    "polars' objects": lambda ids: pl.Series([[each] for each in ids], dtype=pl.Object),
    "Arrow's cells": lambda ids: list(pa.array([[each, 2] for each in ids])),
    "a structured array": lambda ids: np.array([(each, 2) for each in ids], dtype="i8,i8"),
}
"""Containers of ids that Python does not compare, or not by what they hold."""


@pytest.mark.parametrize("way", WAYS)
@given(ids=st.lists(st.integers(0, 4), min_size=1, max_size=12), cap=st.integers(1, 3))
def test_the_cap_holds_whatever_ids_are_wrapped_in(way: str, ids: list[int], cap: int) -> None:
    plain, wrapped = (people_in(held, len(ids), cap) for held in (ids, WAYS[way](ids)))
    assert wrapped.rows.tolist() == plain.rows.tolist()
    assert people_in(WAYS[way](ids), len(ids)).count == people_in(ids, len(ids)).count


TYPED: dict[str, Any] = {
    "polars' lists": pl.Series([[1], [2]]),
    "polars' arrays": pl.Series([[1], [2]], dtype=pl.Array(pl.Int64, 1)),
    "polars' structures": pl.Series([{"a": 1}, {"a": 2}]),
    "Arrow's lists": pa.array([[1], [2]]),
    "Arrow's structures": pa.chunked_array([[{"a": 1}], [{"a": 2}]]),
    "Arrow's mappings": pa.array([[("a", 1)], []], type=pa.map_(pa.string(), pa.int64())),
    "Arrow's lists in pandas": pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
}


@pytest.mark.parametrize("name", TYPED)
def test_a_type_that_is_nested_is_refused_whatever_the_cells_are(name: str) -> None:
    for held in (TYPED[name], TYPED[name][:0]):
        with pytest.raises(eq.InvalidInput, match="nested") as told:
            people_in(held, len(held), 1)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_a_frame_is_no_list_of_ids_even_if_it_has_as_many_columns_as_there_are_rows(frame: Any) -> None:
    with pytest.raises(eq.InvalidInput, match="flat list"):
        people_in(frame({"a": [1, 2], "b": [3, 4]}), 2, 1)


class Telling:
    """A container whose own code fails, and quotes an id when it does."""

    def __init__(self, error: type[BaseException], ids: list[Any]) -> None:
        self.error, self.ids = error, ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Any]:
        yield self.ids[0]
        raise self.error(self.ids)


@pytest.mark.parametrize("error", [ValueError, TypeError, SystemExit, StopIteration, eq.InvalidInput])
def test_a_container_that_fails_is_refused_without_its_words(error: type[BaseException]) -> None:
    ids = ["id-7731", "id-7732"]
    with pytest.raises(eq.InvalidInput, match="flat list") as told:
        people_in(Telling(error, ids), 2, 1)
    assert told.value.__cause__ is told.value.__context__ is None


@pytest.mark.parametrize("of", ["pandas", "lists"])
def test_an_index_of_several_levels_names_people_by_all_of_them(of: str) -> None:
    pairs = [(1, "a"), (1, "a"), (1, "b"), (2, "a"), (1, "a")]
    index = pd.MultiIndex.from_tuples(pairs)
    people = people_in(index if of == "pandas" else list(index), 5, 1)
    assert people.rows.tolist() == people_in(pairs, 5, 1).rows.tolist() == [0, 2, 3]
