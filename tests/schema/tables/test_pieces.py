"""Parquet files cut to blocks: the cells of the whole table, however they are grouped and wherever there are gaps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from equipoise.schema.tables import parquet as ours
from equipoise.schema.tables.parquet import open_parquet

ROWS = 400


def held() -> dict[str, Sequence[object]]:
    """Gaps in one block of sixteen rows alone, or in none, or in many."""
    whole = [None if 100 <= place < 103 else place for place in range(ROWS)]
    words = [None if place % 7 == 0 else f"w{place % 5}" for place in range(ROWS)]
    return {
        "whole": whole,
        "plain": list(range(ROWS)),
        "float": [None if place == 250 else place / 3 for place in range(ROWS)],
        "word": words,
        "truth": [place % 3 == 0 for place in range(ROWS)],
    }


@pytest.mark.parametrize("group", [1, 5, 16, 63, 64, 100, ROWS])
@pytest.mark.parametrize("height", [1, 16, 50, 1000])
def test_blocks_are_the_table_however_it_is_cut(tmp_path: Path, group: int, height: int) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(held()), path, row_group_size=group)
    blocks = list(open_parquet(path).blocks(None, height))
    assert sum(len(block) for block in blocks) == ROWS
    assert all(height / 2 <= len(block) <= height for block in blocks[:-1])
    for name, cells in held().items():
        found = [cell for block in blocks for cell in block[name].tolist()]
        plain = [None if isinstance(cell, float) and np.isnan(cell) else cell for cell in found]
        assert plain == list(cells), name


def test_a_gap_makes_objects_of_its_own_block_alone(tmp_path: Path) -> None:
    """And words are made of a block at a time: four of them are read together, and would take four times the memory."""
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(held()), path)
    blocks = list(open_parquet(path).blocks(["whole", "plain", "float"], 16))
    assert ours.AT_ONCE > 1
    assert [block["whole"].dtype.kind for block in blocks] == ["O" if place == 6 else "i" for place in range(25)]
    assert {block["plain"].dtype.kind for block in blocks} == {"i"}
    assert {block["float"].dtype.kind for block in blocks} == {"f"}
