"""What one column of a table becomes: a few numbers of bounded length, with names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise.schema.tables.table import Cells

Array = npt.NDArray[np.float64]
Rows = Array | csr_array

MISSING = "missing"
OTHER = "other"
NAMED_SO = {OTHER: "not listed", MISSING: "no value"}
"""What these slots are called where a value of the column has their name."""

INTERCEPT = "intercept"
"""Stands beside the names of encoded columns."""


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


def told_apart(names: Iterable[str]) -> tuple[str, ...]:
    """The same, with a number behind one that was there before: a column may be called sex=f, as a slot of sex is, and
    what shares a name is taken for one."""
    seen, found = {INTERCEPT}, []
    for name in names:
        free = name
        for number in count(2):
            if free not in seen:
                break
            free = f"{name} ({number})"
        seen.add(free)
        found.append(free)
    return tuple(found)


def with_indicator(numbers: Array, missing: npt.NDArray[np.bool_]) -> Array:
    """A last column that is 1 where the cell was missing."""
    return np.column_stack([numbers, missing.astype(np.float64)])


def ones_at(places: npt.NDArray[np.intp], slots: int) -> csr_array:
    """One 1 in each row."""
    rows = len(places)
    return csr_array((np.ones(rows), places, np.arange(rows + 1)), shape=(rows, slots))
