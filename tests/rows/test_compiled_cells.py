"""Compiled steps over cells and rows are numpy's: the same places to the last bit, the same lengths up to rounding."""

from __future__ import annotations

import importlib.util
import math
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.rows import compiled
from equipoise.rows.clip import clip_dense, squares_of
from equipoise.rows.compiled import cells_are_there
from equipoise.rows.compiled.steps import placed, squares_by_columns
from equipoise.schema import Schema
from equipoise.schema.encoding import Encoding
from equipoise.schema.tables import Table

pytestmark = pytest.mark.skipif(
    not cells_are_there() and shutil.which("cc") is None, reason="no C compiler was here at install"
)

ODD = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1e-45, 1e308, -1.7e308, 3.4e38, 4.0, -4.0, 4.000001, 1.25]
ANY = st.one_of(st.sampled_from(ODD), st.floats(width=32), st.floats(-5, 5))
KINDS: list[type[np.floating[Any]]] = [np.float32, np.float64]


def by_numpy(values: npt.NDArray[np.floating], low: float, high: float, fill: float, weight: float) -> Any:
    with np.errstate(all="ignore"):
        place = (values.astype(np.float64) - (low / 2 + high / 2)) * (2.0 / (high - low))
    return np.where(np.isnan(place), fill, np.clip(place, -1.0, 1.0)) * weight


def test_a_machine_with_a_compiler_has_them() -> None:
    assert cells_are_there()


@pytest.mark.parametrize("kind", KINDS)
@given(
    cells=st.lists(ANY, max_size=70),
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    fill=st.floats(-1, 1),
    weight=st.floats(0.01, 2.0),
)
def test_places_are_numpys_to_the_last_bit(
    kind: type[np.floating[Any]], cells: list[float], low: float, width: float, fill: float, weight: float
) -> None:
    high = low + width
    with np.errstate(all="ignore"):
        values = np.array([*ODD, *cells]).astype(kind)
    values.flags.writeable = False
    out = np.empty(len(values))
    assert placed(values, (low / 2 + high / 2, 2.0 / (high - low)), fill, weight, out)
    np.testing.assert_array_equal(out, by_numpy(values, low, high, fill, weight))
    assert np.array_equal(np.signbit(out), np.signbit(by_numpy(values, low, high, fill, weight)))


@pytest.mark.parametrize("rows", [0, 1, 7, 1023, 1024, 1025, 5000])
def test_tables_of_any_height_are_encoded_as_without_them(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(rows)
    facts = Schema.from_dict(
        {
            "columns": {
                "a": {"kind": "number", "bounds": [-1, 2]},
                "b": {"kind": "number", "bounds": [1, 9], "scale": "log"},
                "c": {"kind": "number", "bounds": [0, 1], "missing": 0.75},
                "d": {"kind": "number", "bounds": [0, 1], "missing": "indicator"},
            }
        }
    )
    held = {name: rng.normal(size=rows).astype(np.float32 if name == "a" else np.float64) for name in "abcd"}
    held["c"][::3] = np.nan
    table = Table(held, dict.fromkeys(held, "number"), rows)
    quick = np.array(Encoding(facts).rows(table))
    monkeypatch.setattr(compiled, "CELLS", None)
    np.testing.assert_array_equal(quick, Encoding(facts).rows(table))


@pytest.mark.parametrize(
    "values",
    [
        np.ones(6)[::2],
        np.ones(3, dtype=np.float16),
        np.ones(3, dtype=np.int64),
        np.ones((3, 1)),
        np.ones(3, dtype=">f8"),
        np.frombuffer(bytes(25), dtype=np.uint8)[1:].view(np.float64),
    ],
    ids=["in pieces", "half precision", "whole", "two dimensions", "another order", "an odd byte"],
)
def test_cells_that_no_step_serves_are_left_to_numpy(values: npt.NDArray[Any]) -> None:
    out = np.full(3, 7.0)
    assert not placed(values, (0.0, 1.0), 0.0, 1.0, out)
    assert np.all(out == 7.0)


@pytest.mark.parametrize("out", [np.empty(2), np.empty(4), np.empty(3, dtype=np.float32), np.empty(6)[::2]])
def test_nothing_is_written_outside_the_room_there_is(out: npt.NDArray[Any]) -> None:
    cells: Any = compiled.CELLS
    with pytest.raises((TypeError, ValueError, BufferError)):
        cells.place(np.ones(3), 0.0, 1.0, 0.0, 1.0, out)
    with pytest.raises((TypeError, ValueError, BufferError)):
        cells.squares(np.ones((2, 3)), out)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 8, 21])
@pytest.mark.parametrize("rows", [1, 2, 1023, 1025, 3000])
def test_rows_by_columns_measure_what_they_are(rows: int, columns: int) -> None:
    block = np.random.default_rng(columns).normal(size=(columns, rows + 3)).T[1 : rows + 1]
    found = squares_by_columns(block)
    assert found is not None
    exact = np.array([math.fsum(x * x for x in row) for row in block.tolist()])
    np.testing.assert_allclose(found, exact, rtol=(columns + 2) * 2.0**-53)


@pytest.mark.parametrize("columns", [1, 3, 5, 21])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_rows_by_columns_are_brought_within_their_bound(columns: int, scale: float) -> None:
    """As they are row after row, up to the last digits of a length; rows that no length serves beside them."""
    by_rows = np.random.default_rng(columns).normal(size=(3000, columns)) * scale
    by_rows[5, 0], by_rows[6, -1], by_rows[7, 0] = math.nan, math.inf, 1e200
    by_columns = np.array(by_rows, order="F")
    clip_dense(by_rows, 1.0)
    longest = clip_dense(by_columns, 1.0)
    exact = [math.sqrt(math.fsum(x * x for x in row)) for row in by_columns.tolist()]
    assert max(exact) <= 1.0
    assert max(exact) <= longest * (1 + 1e-12)
    np.testing.assert_allclose(by_columns, by_rows, rtol=1e-13, atol=0)


def test_how_many_rows_stand_beside_a_row_does_not_change_its_measure() -> None:
    block = np.random.default_rng(3).normal(size=(21, 4000)).T
    whole = squares_of(block)
    for first in (0, 1, 7, 1000, 2999):
        np.testing.assert_array_equal(squares_of(block[first : first + 1001]), whole[first : first + 1001])


def test_digits_are_the_same_for_a_plain_processor(tmp_path: Path) -> None:
    """Built without a word about vectors, and hardly optimised."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    source, target = Path(compiled.__file__).with_name("cells.c"), tmp_path / "_cells.so"
    words = ["-std=gnu11", "-O1", "-ffp-contract=off", "-w", "-DONE_PROCESSOR", "-shared", "-fPIC"]
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([cc, *words, include, str(source), "-o", str(target)], check=True)
    spec = importlib.util.spec_from_file_location("_cells", target)
    assert spec is not None
    plain: Any = importlib.util.module_from_spec(spec)
    rng = np.random.default_rng(0)
    values, block = rng.normal(size=3001) * 3, rng.normal(size=(21, 3001))
    found = []
    cells: Any
    for cells in (plain, compiled.CELLS):
        places, singles, squares = np.empty(3001), np.empty(3001), np.empty(3001)
        assert cells.place(values, 0.1, 0.7, 0.0, 0.3, places)
        assert cells.place(values.astype(np.float32), 0.1, 0.7, 0.0, 0.3, singles)
        assert cells.squares(block, squares)
        found.append(np.concatenate([places, singles, squares]))
    np.testing.assert_array_equal(found[0], found[1])
