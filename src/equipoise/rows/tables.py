"""From whatever the caller holds to a table of our own, judged by types, dtypes and shapes and never by a value.

A dtype is the caller's word about a whole column, so a wrong one is refused at once and for free.  A list has none: it
is read cell by cell, and a cell that is no number is a missing one; only a list of nothing but words is taken for text.
What a cell makes NumPy or a data frame warn of is heard by nobody.  docs/reference/refusals.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import loaded
from equipoise.rows.frames import frame_of, labels_in, told_apart, with_gaps
from equipoise.rows.lists import NOT_FLAT, NOT_TWO, is_list, labels_of, table_of
from equipoise.rows.owned import Array, own_csr, own_dense, settle
from equipoise.rows.unseen import unseen

ON_MANY_MACHINES = (
    "{name}: a Dask collection lies on many machines and is needed in memory here, give {name}.compute(), or predict"
    " part by part with map_partitions or map_blocks"
)
LAZY = "{name}: a lazy frame has no rows yet, give {name}.collect()"
UNREADABLE = "X: cannot be read as a table, give a NumPy array, a sparse matrix or a data frame"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ours:
    """A table that was read already and that nobody else holds: whoever reads it next need not copy it."""

    table: Array | csr_array


def refuse_elsewhere(X: Any, name: str) -> None:
    """What is no table in memory but says how to get one."""
    if is_collection(X):
        raise InvalidInput(ON_MANY_MACHINES.format(name=name))
    refuse_lazy(X, name)


def refuse_lazy(X: Any, name: str) -> None:
    """A plan of a table, which would be carried out at the first question."""
    polars = loaded()[1]
    if polars is not None and isinstance(X, polars.LazyFrame):
        raise InvalidInput(LAZY.format(name=name))


def is_collection(X: Any) -> bool:
    """Whether it is Dask's, by its own module, without importing anything."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "__dask_graph__")


def own_table(X: Any, middles: Array | float | None = 0.0, *, singles: bool = False) -> Array | csr_array:
    """A finite table in doubles that nobody else holds: missing cells are the middle of their column.

    With None cells stay as they are, for somebody who settles them later; with `singles` also numbers of single
    precision.
    """
    refuse_elsewhere(X, "X")
    with unseen():
        read = X.table if isinstance(X, Ours) else None
        if issparse(X if read is None else read):
            return own_csr(X) if read is None else read
        table = _dense(X, singles) if read is None else np.asarray(read)
        if table.ndim != 2:
            raise InvalidInput(NOT_TWO)
        if middles is None:
            return table
        if np.size(middles) not in (1, table.shape[1]):
            raise InvalidInput(f"column_bounds: give one (low, high) pair for each of the {table.shape[1]} columns")
        settle(table, middles)
        return table


def own_labels(y: Any, *, exact: bool = False) -> npt.NDArray[Any]:
    """A copy, plain: numbers and booleans by their dtype, NaN or False where missing; others as text or objects.

    Whole numbers with gaps are doubles; with `exact`, objects where doubles do not tell them apart.
    """
    refuse_elsewhere(y, "y")
    with unseen():
        if is_list(y):
            return labels_of(y)
        if isinstance(y, np.ma.MaskedArray):
            doubles = with_gaps(np.asarray(y), np.ma.getmaskarray(y))
            return told_apart(doubles, lambda: y.reshape(-1).tolist()).reshape(y.shape) if exact else doubles
        found = labels_in(y, exact=exact)
        if found is not None:
            return found
        if issparse(y) or isinstance(y, str | bytes | dict | set):
            raise InvalidInput(NOT_FLAT)
        return np.array(_read(y, NOT_FLAT), copy=True, subok=False)


def _dense(X: Any, singles: bool) -> Array:
    if is_list(X):
        return table_of(X)
    frame = frame_of(X)
    if frame is not None:
        return frame
    return own_dense(X if isinstance(X, np.ma.MaskedArray) else _read(X, UNREADABLE), singles=singles)


def _read(X: Any, otherwise: str) -> npt.NDArray[Any]:
    """An array by NumPy; an error of somebody's `__array__` might show values."""
    try:
        return np.asarray(X)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever it is, it is not ours
        pass
    raise InvalidInput(otherwise)
