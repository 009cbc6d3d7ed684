"""A table in plain columns, by name.  Which columns there are and how many rows is public; the cells may not be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import quoted
from equipoise.errors import InvalidInput
from equipoise.rows.frames import told_apart, with_gaps

Cells = npt.NDArray[Any]
"""One column: doubles (NaN is missing), whole numbers, booleans, or objects (None is missing)."""


FINE = ("ns", "ps", "fs", "as")
"""Units of dates that Python has none for: NumPy would make whole numbers of them, which are no dates."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of equal length, and the type of each."""

    columns: Mapping[str, Cells]
    types: Mapping[str, str]
    rows: int

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table of {len(self.columns)} columns"

    def __getitem__(self, name: str) -> Cells:
        if name not in self.columns:
            self.require([name])
        return self.columns[name]

    def take(self, rows: npt.NDArray[np.intp]) -> Table:
        """These rows, in this order."""
        return Table({name: cells[rows] for name, cells in self.columns.items()}, self.types, len(rows))

    def require(self, names: Iterable[str]) -> None:
        """Every one of these columns must be there.  Names are public."""
        lacking = [name for name in names if name not in self.columns]
        if lacking:
            raise InvalidInput(f"table: has no column {quoted(lacking[0])}, which the schema names; {_nearest(self)}")


def _nearest(table: Table) -> str:
    shown = ", ".join(repr(name) for name in list(table.columns)[:8])
    return f"it has {shown}{' …' if len(table.columns) > 8 else ''}"


def plain_cells(cells: Any) -> Cells:
    """A flat array of our own: numbers and booleans by dtype, anything else as objects; hidden cells are missing."""
    if isinstance(cells, np.ma.MaskedArray):
        doubles = with_gaps(np.asarray(cells), np.ma.getmaskarray(cells))
        array: Cells = told_apart(doubles, lambda: cells.reshape(-1).tolist()).reshape(cells.shape)
    else:
        array = np.asarray(cells) if isinstance(cells, np.ndarray) else one_by_one(cells)
    if array.ndim != 1:
        raise InvalidInput("table: a column must be flat, one cell for each row")
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    if array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] in FINE:
        array = array.astype("datetime64[us]")
    return array.copy() if array.dtype.kind in "iub" else array.astype(object)


def one_by_one(cells: Iterable[Any]) -> Cells:
    """Objects, whatever they are: NumPy would turn numbers beside a word into words, and look into lists."""
    held = [*cells]
    return np.fromiter(held, dtype=object, count=len(held))
