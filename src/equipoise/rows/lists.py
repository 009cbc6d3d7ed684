"""Lists, which have no dtype: read cell by cell and label by label, so that no cell decides how another is read.

NumPy would find one dtype, and one depth, for a whole list: a word, a gap or a nested cell in one record then changes
what the others count as.  Here a list is taken apart first.  docs/proofs/entrance.md.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._asking import asked, defines, is_a, only_of
from equipoise.errors import InvalidInput
from equipoise.rows.cells import number_of
from equipoise.rows.owned import Array, check_dtype

NOT_TWO = "X: Expected 2D array. Reshape your data: one row per record, one column per feature"
NOT_FLAT = "y: must be one flat list of labels, give one label per row"

PLAIN = (float, int, bool)
"""Types of cells that NumPy reads as `number_of` does, so that all of them can be read at once."""

NO_LISTS = (str, bytes, bytearray, dict, set, frozenset)
OWN_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "dtype", "shape")


def is_list(X: Any) -> bool:
    """Whether it is a sequence without a dtype of its own."""
    if isinstance(X, list | tuple):
        return True
    if isinstance(X, NO_LISTS) or not isinstance(X, Sized) or not hasattr(X, "__getitem__"):
        return False
    return not any(hasattr(X, name) for name in OWN_ARRAYS) and not _has_buffer(X)


def table_of(rows: Any) -> Array:
    """A list of rows of one length; a cell that is no number is NaN."""
    held = [_cells(row) for row in _items(rows)]
    shape, flat = _shape(held), [cell for cells in held for cell in cells or ()]
    if len(shape) != 2 or only_lists(flat):
        raise InvalidInput(NOT_TWO)
    if only_words(flat):
        check_dtype(np.dtype(str))
    return _numbers(flat).reshape(shape)


def shape_of(rows: Any) -> tuple[int, ...]:
    """Rows and columns of a list of rows; empty where they are ragged.  No cell is looked into."""
    return _shape([_cells(row) for row in _items(rows)])


def _shape(held: list[list[Any] | None]) -> tuple[int, ...]:
    widths = {-1 if cells is None else len(cells) for cells in held}
    return () if len(widths) != 1 or -1 in widths else (len(held), *widths)


def labels_of(y: Any) -> npt.NDArray[Any]:
    """A list of labels as objects, whole numbers as such; a label in a list of its own is that label."""
    given = _items(y)
    if only_lists(given) and not any(len(cells) == 1 for cells in map(_cells, given) if cells is not None):
        raise InvalidInput(NOT_FLAT)
    labels = [alone(label) for label in given]
    if only_of(labels, int, bool):
        try:
            return np.array(labels, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(labels, dtype=object, count=len(labels))


def column_of(x: Any) -> Array:
    """A list of numbers, or of rows of one number each, as one column."""
    given = _items(x)
    if not given:
        return np.empty((0, 1))
    if only_lists(given) and not any(len(cells) == 1 for cells in map(_cells, given) if cells is not None):
        return table_of(given)
    return table_of([[alone(cell)] for cell in given])


def alone(label: Any) -> Any:
    """What a list of one holds; everything else as it is."""
    cells = _cells(label)
    return cells[0] if cells is not None and len(cells) == 1 else label


def only_words(cells: list[Any]) -> bool:
    """Whether a list is one of words; an empty one is not."""
    return bool(cells) and all(is_a(cell, str, bytes) for cell in cells)


def only_lists(cells: list[Any]) -> bool:
    """Whether a list is one of lists."""
    return bool(cells) and all(_cells(cell) is not None for cell in cells)


def _numbers(cells: list[Any]) -> Array:
    if only_of(cells, *PLAIN):
        try:
            return np.array(cells, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([number_of(cell) for cell in cells], dtype=np.float64)


def _items(rows: Any) -> list[Any]:
    found = _cells(rows)
    if found is None:
        raise InvalidInput(NOT_TWO)
    return found


def _cells(row: Any) -> list[Any] | None:
    """The cells of one row; None for what is no row."""
    kind = type(row)
    if kind is list or kind is tuple:
        return [*row]
    if kind is float or is_a(row, *NO_LISTS) or not (defines(kind, "__len__") and defines(kind, "__iter__")):
        return None
    return asked(lambda: [*row], None)  # of a masked row the hidden cells are `masked`


def _has_buffer(X: Any) -> bool:
    try:
        memoryview(X).release()
    except TypeError:
        return False
    return True
