"""Clipping does not depend on how many rows there are: one, or more than fit a block."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from equipoise.inside import enter
from equipoise.inside.tables.calibration import enter_forecasts, squared_errors
from equipoise.rows import clip, owned
from equipoise.theory.bounds import Bounds


@pytest.mark.parametrize("kind", [np.float64, np.float32, sparse.csr_array])
@pytest.mark.parametrize("rows", [1, 2, 7, 50])
def test_every_row_is_clipped_however_many_there_are(rows: int, kind: object, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (clip, owned):
        monkeypatch.setattr(place, "BLOCK_ENTRIES", 21)  # seven rows at a time
    X = np.full((rows, 3), 1000.0)
    given = sparse.csr_array(X) if kind is sparse.csr_array else X.astype(kind)  # type: ignore[call-overload]
    records = enter(given, np.zeros(rows, dtype=int), Bounds(1.0, classes=(0, 1))).reveal()
    norms = np.linalg.norm(records.design.matvec(np.eye(3)), axis=1)
    assert records.longest_row <= 1.0
    assert len(norms) == rows
    assert norms.max() <= 1.0
    assert norms.min() > 0.999


def test_a_forecast_beyond_its_range_counts_as_its_end() -> None:
    wild = enter_forecasts(np.array([1e6, -1e6, 0.5]), np.array([0, 1, 1]), (0, 1))
    assert squared_errors(wild).reveal()[0] == 2.25
