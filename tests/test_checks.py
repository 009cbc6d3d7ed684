"""What messages write of a value, and the limits of what is counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise._checks import LONGEST, LONGEST_NAME, MOST_COUNTED, at_most, quoted, shown, whole
from equipoise.errors import InvalidInput

SECRET = 0.8765432
TABLE = np.full((40, 3), SECRET)
TABLES = [TABLE, TABLE[0], TABLE.tolist(), pd.DataFrame(TABLE), pd.Series(TABLE[:, 0]), pl.DataFrame(TABLE), {1: TABLE}]


@pytest.mark.parametrize("write", [shown, quoted])
@pytest.mark.parametrize("table", TABLES, ids=lambda each: type(each).__name__)
def test_a_table_is_named_by_its_type(write: object, table: object) -> None:
    assert callable(write)
    assert write(table) == f"({type(table).__name__})"


@given(st.one_of(st.text(max_size=500), st.binary(), st.integers(), st.floats(), st.just(10**6000), st.none()))
def test_whatever_is_written_is_one_short_line(value: object) -> None:
    for text, longest in ((shown(value), LONGEST), (quoted(value), 12 * LONGEST_NAME)):
        assert text.isprintable()
        assert 0 < len(text) <= max(longest, len("(complex)"))


def test_a_long_name_is_written_where_a_long_value_is_not() -> None:
    name = "how content were you with your stay in our hospital, all things considered?"
    assert shown(name) == "(str)"
    assert quoted(name) == repr(name)


@pytest.mark.parametrize("count", [MOST_COUNTED + 1, 10**400, 10**6000], ids=lambda each: f"{each.bit_length()} bits")
def test_what_nobody_counts_to_is_refused_in_one_line(count: int) -> None:
    told = r"^n: must be at most [^\n]*$"
    with pytest.raises(InvalidInput, match=told):
        whole(n=count)
    with pytest.raises(InvalidInput, match=told):
        at_most(7, n=count)
    assert whole(n=MOST_COUNTED) == MOST_COUNTED
