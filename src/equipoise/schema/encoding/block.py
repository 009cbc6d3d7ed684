"""What one column of a table becomes: a few numbers of bounded length, with names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise.schema.tables.table import Cells

Array = npt.NDArray[np.float64]
Rows = Array | csr_array

MISSING = "missing"
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Block:
    """`encode` gives (rows, len(names)) numbers; no row of them is longer than 1, whatever the cells hold."""

    column: str
    names: tuple[str, ...]
    encode: Callable[[Cells], Rows]
    slope: float = 1.0
    """How much the first number grows with one unit of the column along its scale."""
    offset: float = 0.0
    """Where along the scale the first number is 0."""
    unit: str = ""
    """What one unit is called; "" where the numbers are slots and have none."""
    into: Callable[[Cells, Array, float], None] | None = None
    """The same for a single number, times a weight, written where it is to stand: most columns of a large table are
    such."""


def with_indicator(numbers: Array, missing: npt.NDArray[np.bool_]) -> Array:
    """A last column that is 1 where the cell was missing."""
    return np.column_stack([numbers, missing.astype(np.float64)])


def ones_at(places: npt.NDArray[np.intp], slots: int) -> csr_array:
    """One 1 in each row."""
    rows = len(places)
    return csr_array((np.ones(rows), places, np.arange(rows + 1)), shape=(rows, slots))
