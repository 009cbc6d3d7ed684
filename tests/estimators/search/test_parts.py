"""Cutting a table: at random, without looking, and never through a person's rows."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import equipoise as eq
from equipoise.estimators.search.parts import Groups, groups_from, split_rows
from equipoise.gate import bits_from

FALSE_ALARM = 1e-6


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Group ids in any order, and sizes that add up to the number of rows."""
    ids = draw(st.lists(st.integers(0, 12), min_size=2, max_size=60))
    parts = draw(st.integers(1, min(5, len(ids))))
    cuts = sorted(draw(st.lists(st.integers(0, len(ids)), min_size=parts - 1, max_size=parts - 1)))
    return ids, [end - start for start, end in zip([0, *cuts], [*cuts, len(ids)], strict=True)]


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(0, 2**32))
def test_no_group_is_ever_split_and_every_row_is_in_one_part(table: tuple[list[int], list[int]], seed: int) -> None:
    ids, sizes = table
    groups = groups_from(ids, len(ids))
    assert groups is not None
    parts = split_rows(sizes, groups, bits_from(seed))
    assert len(parts) == len(sizes)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(ids)))
    homes = [{ids[row] for row in part} for part in parts]
    assert sum(len(home) for home in homes) == len(set(ids))
    ends, asked = np.cumsum([len(part) for part in parts]), np.cumsum(sizes)
    assert np.max(np.abs(ends - asked)) <= groups.largest / 2, "a cut is further off than half a group"


def test_a_split_through_groups_would_be_caught() -> None:
    """A twin that forgets the groups puts one person's rows into two parts."""
    ids = [row // 5 for row in range(50)]
    first, second = split_rows((25, 25), None, bits_from(0))
    assert {ids[row] for row in first} & {ids[row] for row in second}


def test_single_rows_as_groups_give_exactly_the_sizes_asked_for() -> None:
    groups = groups_from(range(53), 53)
    assert groups is not None
    assert groups.largest == 1
    assert [len(part) for part in split_rows((20, 20, 13), groups, bits_from(3))] == [20, 20, 13]


def test_every_group_is_equally_likely_in_either_part() -> None:
    groups = groups_from([0, 0, 1, 1, 2, 2, 3, 3], 8)
    seen: Counter[int] = Counter()
    bits, tries = bits_from(5), 4000
    for _ in range(tries):
        seen.update(int(row) // 2 for row in split_rows((4, 4), groups, bits)[0][::2])
    observed = [seen[group] for group in range(4)]
    assert sum(observed) == 2 * tries
    assert stats.chisquare(observed).pvalue > FALSE_ALARM


KINDS: list[Any] = [
    ["a", "b", "a", "c"],
    ("a", "b", "a", "c"),
    [("ann", 1), ("bob", 2), ("ann", 1), ("cy", 3)],
    [["ann", 1], ["bob", 2], ["ann", 1], ["cy", 3]],
    [["x"], {"y"}, np.array("x"), {"name": "z"}],
    np.array([5, 9, 5, 2]),
    np.array(["x", "y", "x", "z"], dtype=object),
    pd.Series(["x", "y", "x", "z"], index=[4, 3, 2, 1]),
    pd.Categorical(["x", "y", "x", "z"]),
    np.array(["2020-01-01", "2020-01-02", "2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
]


@pytest.mark.parametrize("ids", KINDS, ids=lambda ids: type(ids).__name__)
def test_ids_may_be_anything_that_can_be_told_apart(ids: Any) -> None:
    groups = groups_from(ids, 4)
    assert isinstance(groups, Groups)
    assert groups.codes.tolist() == [0, 1, 0, 2]
    assert groups.sizes.tolist() == [2, 1, 1]
    assert (groups.largest, groups.unit) == (2, "one group of at most 2 rows")


def test_no_groups_are_no_groups() -> None:
    assert groups_from(None, 4) is None


class Unequal:
    def __eq__(self, other: object) -> bool:
        raise SystemExit("secret-7")

    __hash__ = None  # type: ignore[assignment]


BAD: list[Any] = [
    "secret-7",
    7,
    ["secret-7"] * 3,
    [],
    np.zeros((4, 1)),
    ["secret-7", None, "b", "c"],
    ["secret-7", math.nan, "b", "c"],
    ["secret-7", pd.NA, "b", "c"],
    [[], "secret-7", "b", "c"],
    [Unequal(), "secret-7", "b", "c"],
    pd.Series(["secret-7", None, "b", "c"]),
    pa.array(["secret-7", None, "b", "c"]),
    pl.Series([["secret-7"], ["a"], ["b"], ["c"]]),
    pa.array([["secret-7"], ["a"], ["b"], ["c"]]),
    pd.DataFrame({"id": ["secret-7", "a", "b", "c"]}),
]


@pytest.mark.parametrize("ids", BAD, ids=lambda ids: type(ids).__name__)
def test_bad_ids_are_refused_in_one_line_that_quotes_none(ids: Any, manners: Any) -> None:
    with pytest.raises(eq.InvalidInput) as caught:
        groups_from(ids, 4)
    assert manners(caught.value).startswith("groups")
