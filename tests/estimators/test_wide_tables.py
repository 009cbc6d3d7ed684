"""Sparse tables with very many columns: nothing allocates rows times columns, and memory is measured here."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.wide import FITS, footprint, measured, url_like

MOST = 3.0
"""Peak memory over that of the table and ten vectors of a number per column."""


@pytest.mark.parametrize("name", FITS)
def test_a_fit_takes_at_most_three_times_the_table_and_ten_vectors(name: str) -> None:
    table, labels = url_like(300, 400_000, 50)
    _, share = measured(FITS[name], table, labels)
    assert share < MOST
    assert footprint(table) < 50e6, "a dense table would be a gigabyte"


def test_made_up_tables_are_as_wide_and_thin_as_asked_for() -> None:
    table, labels = url_like(500, 10_000, 20)
    assert table.shape == (500, 10_000)
    assert np.diff(table.indptr).max() <= 20
    assert np.sqrt((table.data**2).max() * 20) <= 1.0 + 1e-12
    assert 0.3 < labels.mean() < 0.37
    counts = np.bincount(table.indices, minlength=10_000)
    assert counts[:10].sum() > counts[5000:].sum()
    again, _ = url_like(500, 10_000, 20)
    np.testing.assert_array_equal(again.indices, table.indices)
