"""How many records a fit takes as something else than they are: brought within bounds, or settled by rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.rows import RowBounds
from equipoise.rows.cells import plain_label
from equipoise.rows.clip import row_max

Marks = npt.NDArray[np.bool_]

SAME = 1e-9
"""Relative: a row at its very bound is clipped in its last digits, which nobody calls clipped."""


@dataclass(frozen=True, eq=False, repr=False)
class Changed:
    """For each record whether its row, and whether its label, counts as something else."""

    rows: Marks
    labels: Marks


def enter_changes(
    table: Any, bounds: RowBounds, labels: npt.NDArray[Any], settled: npt.NDArray[Any]
) -> Private[Changed]:
    """Each record by itself; `table` holds NaN where a cell is missing, `settled` what each label counts as."""
    pairs = zip(labels.tolist(), settled.tolist(), strict=True)
    moved = np.array([plain_label(label) != counts_as for label, counts_as in pairs], dtype=np.bool_)
    return Private(Changed(_rows(table, bounds.brought_within(table)), moved))


def change_counts(changed: Private[Changed]) -> Private[Array]:
    """Records with neither, the label, the row, or both changed: each is in exactly one of four cells."""
    return changed.map(lambda inner: np.bincount(2 * inner.rows + inner.labels, minlength=4).astype(np.float64))


def _rows(table: Any, within: Any) -> Marks:
    if isinstance(table, csr_array):
        moved: Marks = ~np.isclose(within.data, table.data, rtol=SAME, atol=0.0)
        return np.asarray(row_max(moved.astype(np.float64), table.indptr) > 0)
    return np.asarray(~np.isclose(within, table, rtol=SAME, atol=0.0).all(axis=1))
