"""A pass over couples in one call is the one whose parts are asked for one by one, whatever is looked at together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equipoise.inside import compiled, threads
from equipoise.inside.compiled import passes_are_there, slopes
from equipoise.inside.compiled.slopes import TIMES, Law
from equipoise.inside.compiled.sweep import Sweep, over_couples
from equipoise.inside.design import coupled
from equipoise.inside.design.coupled import Coupled
from equipoise.inside.threads import at_most

CURVE: Law = (slopes.CURVE, 0.5, 0.0, 0.0)

pytestmark = pytest.mark.skipif(not passes_are_there(), reason="no C compiler was here at install")


def couples(rows: int, each: int, slots: int = 4, seed: int = 0) -> Coupled:
    """Of every row one in each column's slots."""
    rng = np.random.default_rng(seed)
    places = (rng.integers(0, slots - 1, (rows, each)) + slots * np.arange(each)).astype(np.uint16)
    return Coupled(places, rng.random((rows, each)), slots * each)


def asked(design: Coupled, seed: int = 1) -> Sweep:
    rng = np.random.default_rng(seed)
    labels, counts = rng.choice([-1.0, 1.0], design.rows), rng.random(design.rows)
    return Sweep(rng.normal(size=design.columns + 1), CURVE, labels, counts, 0.7)


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 257, 20_011])
def test_one_call_has_the_digits_of_parts_that_threads_share_out(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "WORTH", 0)
    calls: list[slice] = []

    def counted(*args: Any) -> Any:
        calls.append(args[3])
        return over_couples(*args)

    monkeypatch.setattr(coupled, "over_couples", counted)
    design = couples(rows, 10)
    with at_most(1):
        alone = design.swept(asked(design))
    assert len(calls) == 1
    with at_most(3):
        shared = design.swept(asked(design))
    assert len(calls) > 1 + rows // 20_000, "threads were to have parts"
    assert alone is not None
    np.testing.assert_array_equal(alone, shared)


@pytest.mark.parametrize("each", [1, 7, 19, 20, 21, 80, 81, 300])
@pytest.mark.parametrize("rows", [1, 15, 16, 17, 65, 700])
def test_every_row_counts_once_however_many_are_looked_at_together(each: int, rows: int) -> None:
    """Weights are powers of two times whole numbers, so that sums are exact in any order."""
    design = couples(rows, each)
    design = Coupled(design.places, np.round(design.parts * 8) / 8, design.columns)
    labels = np.random.default_rng(2).integers(-4, 5, rows).astype(float)
    found = design.swept(Sweep(np.ones(design.columns), TIMES, labels))
    np.testing.assert_array_equal(found, design.rmatvec(each * labels))


@pytest.mark.parametrize("row", [0, 15, 16, 63, 64, 99, 199])
def test_a_place_beyond_the_last_slot_is_met_in_every_row(row: int) -> None:
    passes: Any = compiled.PASSES
    design = couples(200, 10)
    design.places[row, 9] = design.columns - 1
    held = design.places.reshape(-1), design.parts.reshape(-1)
    with pytest.raises(ValueError, match="outside"):
        passes.coupled(
            *held, 10, np.ones(design.columns), np.ones(200), None, TIMES, 0.0, 100, 100, np.empty(design.columns + 1)
        )
