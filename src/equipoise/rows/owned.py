"""Tables of our own: plain doubles that nobody else holds, whatever the caller's object is or says of itself.

A subclass may override arithmetic, a sparse matrix may carry flags from before it was edited, and both may be edited
while we fit.  So everything is copied once, into plain arrays, by what the bytes are.  What is refused here is refused
by type, dtype or shape; no value is an error (docs/proofs/entrance.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.errors import InvalidInput

LARGEST = float(np.finfo(np.float64).max)
"""Stands for infinity: like every number that is too large, it is clipped."""

BLOCK_ENTRIES = 2**18
"""Largest number of entries that are looked at together: two megabytes."""

NUMBERS = "biuf"
"""Kinds of dtypes that hold real numbers: booleans, whole numbers, floats."""

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class NotNumbers(InvalidInput, TypeError):
    """scikit-learn's users expect a TypeError here."""


def check_dtype(dtype: np.dtype[Any], name: str = "X") -> None:
    """Real numbers only.  The name of a text's dtype would tell its longest length."""
    if dtype.kind == "c":
        raise InvalidInput(f"{name}: Complex data not supported, give real numbers")
    if dtype.kind not in NUMBERS:
        kind = {"O": "object", "M": "a date", "m": "a time"}.get(dtype.kind, "text or records")
        raise NotNumbers(
            f"{name}: its dtype is {kind}, an argument must be no string or object but a number: encode it, or convert"
            " it with astype(float)"
        )


def own_dense(X: Any, *, singles: bool = False) -> Array:
    """A copy in doubles, C-ordered and of no subclass; masked cells are NaN.  With `singles`, numbers of single
    precision stay that: every one of them is a double, and a table of them is half as large."""
    # A masked array hides numbers that it still holds.
    hidden = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    plain = np.asarray(X)
    check_dtype(plain.dtype)
    dtype = np.float32 if singles and plain.dtype == np.float32 else np.float64
    with np.errstate(all="ignore"):  # a long double may not fit: infinity
        table: Array = np.array(plain, dtype=dtype, order="C", copy=True, subok=False)
    if hidden is not None:
        table[hidden] = np.nan
    return table


def blocks(table: Array) -> Iterator[Array]:
    """Some rows after the other, none copied: few enough that a processor keeps them at hand between two looks."""
    height = max(1, BLOCK_ENTRIES // max(1, table.shape[1]))
    for start in range(0, len(table), height):
        yield table[start : start + height]


def settle(table: Array, middles: Array | float = 0.0) -> None:
    """In place: what is missing becomes the middle of its column, infinity the largest double.  Cell by cell."""
    if np.isfinite(table).all():
        return
    np.copyto(table, middles, where=np.isnan(table))
    np.clip(table, -LARGEST, LARGEST, out=table)


def own_csr(X: Any) -> sparse.csr_array:
    """Compressed rows of our own: sorted, every place once, every number finite.

    Zeros, missing values and entries outside the table's columns are left out, pieces of one entry are added up.
    """
    rows, columns = _size(X)
    if isinstance(X, sparse.csr_array | sparse.csr_matrix | sparse.csc_array | sparse.csc_matrix):
        by_rows = isinstance(X, sparse.csr_array | sparse.csr_matrix)
        pointers, places, data = _compressed(X, rows) if by_rows else _turned(X, rows, columns)
        if not _in_order(pointers, places, data, columns):
            pointers, places, data = _put_in_order(pointers, places, data, columns)
        return _csr(pointers, places, data, columns)
    owners, places, data = _triples(X)
    owners, places, data = _settled((owners >= 0) & (owners < rows), owners, places, data, columns)
    return _csr(np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=rows))]), places, data, columns)


def _put_in_order(pointers: Places, places: Places, data: Array, columns: int) -> tuple[Places, Places, Array]:
    """In place and some rows after the other, which takes little memory beside them: what is left of a row's entries
    stands where they or the entries of rows before stood."""
    counts, filled = np.diff(pointers), 0
    kept = np.zeros(len(counts), dtype=np.int64)
    for rows, entries, _ in row_blocks(pointers):
        owners = np.repeat(np.arange(rows.stop - rows.start), counts[rows])
        owners, left, numbers = _settled(True, owners, places[entries], data[entries], columns)
        kept[rows] = np.bincount(owners, minlength=rows.stop - rows.start)
        places[filled : filled + len(left)] = left
        data[filled : filled + len(left)] = numbers
        filled += len(left)
    return np.concatenate([[0], np.cumsum(kept)]), places[:filled], data[:filled]


def row_blocks(pointers: npt.NDArray[np.integer]) -> Iterator[tuple[slice, slice, npt.NDArray[np.integer]]]:
    """Of compressed rows: some rows, their entries, and where each row begins among these."""
    row, last = 0, len(pointers) - 1
    while row < last:
        begins = int(pointers[row])
        after = int(np.searchsorted(pointers, begins + BLOCK_ENTRIES, side="right")) - 1
        stop = max(row + 1, min(after, last))
        yield slice(row, stop), slice(begins, int(pointers[stop])), pointers[row : stop + 1] - begins
        row = stop


def _settled(
    inside: npt.NDArray[np.bool_] | bool, owners: Places, places: Places, data: Array, columns: int
) -> tuple[Places, Places, Array]:
    """Copies, entry by entry what the table's map makes of them, then sorted and every place once."""
    kept = inside & (places >= 0) & (places < columns) & (data != 0) & ~np.isnan(data)
    return _each_place_once(owners[kept], places[kept], np.clip(data[kept], -LARGEST, LARGEST))


def _csr(pointers: Places, places: Places, data: Array, columns: int) -> sparse.csr_array:
    index = np.int32 if max(columns, len(data)) < 2**31 else np.int64
    parts = data, places.astype(index, copy=False), pointers.astype(index, copy=False)
    return sparse.csr_array(parts, shape=(len(pointers) - 1, columns))


def _in_order(pointers: Places, places: Places, data: Array, columns: int) -> bool:
    """Whether, by what the numbers are, nothing is left to do: places rise within each row, entries are real ones."""
    if not len(data):
        return True
    rising = np.ones(len(data), dtype=bool)
    np.greater(places[1:], places[:-1], out=rising[1:])
    rising[pointers[:-1][np.diff(pointers) > 0]] = True  # a row may begin anywhere
    inside = int(places.min()) >= 0 and int(places.max()) < columns
    return inside and bool(rising.all() and data.all() and np.isfinite(data).all())


def _size(X: Any) -> tuple[int, int]:
    check_dtype(np.dtype(X.dtype))
    if len(X.shape) != 2:
        raise InvalidInput("X: Expected 2D array. Reshape your data: one row per record, one column per feature")
    return int(X.shape[0]), int(X.shape[1])


def _damaged() -> InvalidInput:
    return InvalidInput("X: the pointers of this sparse matrix are damaged, build it anew")


def _copied(numbers: Any, dtype: type[np.generic] | None) -> npt.NDArray[Any]:
    """Flat, plain and ours; without a dtype whole numbers, narrow ones as they are."""
    plain = np.asarray(numbers)
    if plain.ndim != 1 or plain.dtype.kind not in (NUMBERS if dtype is np.float64 else "iu"):
        raise _damaged()
    wanted = dtype or (np.int32 if plain.dtype == np.int32 else np.int64)
    with np.errstate(all="ignore"):
        return np.array(plain, dtype=wanted, copy=True, subok=False)


def _compressed(X: Any, lines: int) -> tuple[Places, Places, Array]:
    """Pointers, places and numbers of compressed rows or columns; what lies beyond the last pointer is ignored."""
    pointers, places, data = _copied(X.indptr, np.int64), _copied(X.indices, None), _copied(X.data, np.float64)
    if len(pointers) != lines + 1 or pointers[0] != 0 or np.any(np.diff(pointers) < 0):
        raise _damaged()
    end = int(pointers[-1])
    if end > min(len(places), len(data)):
        raise _damaged()
    return pointers, places[:end], data[:end]


def _turned(X: Any, rows: int, columns: int) -> tuple[Places, Places, Array]:
    """Compressed columns as compressed rows: within a row the columns rise, and pieces of an entry keep their order."""
    pointers, owners, data = _compressed(X, columns)
    inside = (owners >= 0) & (owners < rows)
    if not inside.all():  # before anything follows them
        pointers = np.concatenate([[0], np.cumsum(inside)])[pointers]
        owners, data = owners[inside], data[inside]
    turned: Any = _csr(pointers, owners, data, rows).T.tocsr()
    return turned.indptr, turned.indices, turned.data


def _triples(X: Any) -> tuple[Places, Places, Array]:
    """Row, column and number of every entry of a matrix in another format."""
    try:
        entries = X.tocoo(copy=True)
        found = _copied(entries.row, np.int64), _copied(entries.col, np.int64), _copied(entries.data, np.float64)
    except (AttributeError, TypeError, ValueError, IndexError, KeyError, OverflowError):
        found = None
    if found is None or len({len(part) for part in found}) != 1:
        raise _damaged()
    return found


def _each_place_once(owners: Places, places: Places, data: Array) -> tuple[Places, Places, Array]:
    """Sorted by row and column; several entries for one place are added up, in the order in which they came."""
    same_row = owners[1:] == owners[:-1]
    if np.all((owners[1:] > owners[:-1]) | (same_row & (places[1:] > places[:-1]))):
        return owners, places, data
    order = np.lexsort((places, owners))
    owners, places, data = owners[order], places[order], data[order]
    first = np.concatenate([[True], (owners[1:] != owners[:-1]) | (places[1:] != places[:-1])])
    with np.errstate(all="ignore"):
        sums = np.asarray(np.add.reduceat(data, np.flatnonzero(first)))
    left = (sums != 0) & ~np.isnan(sums)  # NaN: more than doubles hold, in both directions
    return owners[first][left], places[first][left], np.clip(sums[left], -LARGEST, LARGEST)
