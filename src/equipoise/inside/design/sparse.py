"""A sparse design in compressed rows, entries in doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside import compiled
from equipoise.inside.compiled.sweep import Sweep, over_sparse
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.threads import QUICKER, added_in_order
from equipoise.rows.clip import clip_sparse, row_sum
from equipoise.rows.owned import own_csr, row_blocks
from equipoise.theory.runs import LONGEST_RUN, runs_depth

CROWDED = 0.1
"""Above this share of non-zeros, dense products of row blocks are faster than sparse ones."""

BLOCK_ENTRIES = 2**20

PARTS = 16
"""Of a table, about, that threads share out."""

WIDE = 4096
"""With more columns and rows than this, solvers take products alone, and no Gram matrix."""


def clipped(X: Any, row_norm: float, *, ours: bool = False) -> SparseDesign:
    """X in canonical form with every row clipped, a copy unless it is `ours`; what is missing counts as 0."""
    matrix = X if ours else own_csr(X)
    clip_sparse(matrix, row_norm)
    return SparseDesign(matrix)


def _view(matrix: sparse.csr_array, start: int, stop: int) -> sparse.csr_array:
    """Consecutive rows, not copied."""
    pointers = matrix.indptr[start : stop + 1]
    inside = slice(int(pointers[0]), int(pointers[-1]))
    parts = (matrix.data[inside], matrix.indices[inside], pointers - pointers[0])
    return sparse.csr_array(parts, shape=(stop - start, matrix.shape[1]))


@dataclass(frozen=True, eq=False, repr=False)
class Pieces:
    """Lines of a table, its rows or its columns, the long ones cut into pieces that are summed by themselves."""

    matrix: sparse.csr_array
    """A piece in each row."""
    heads: npt.NDArray[np.bool_]
    """Which pieces are the first of their line."""
    owners: npt.NDArray[np.intp]
    """The lines of the others."""

    @classmethod
    def of(cls, lines: sparse.csr_array, longest: int) -> Pieces:
        """With so many entries to a piece at most."""
        ends = lines.indptr
        long = np.flatnonzero(np.diff(ends) > longest)
        if not len(long):
            return cls(lines, np.empty(0, dtype=bool), long)
        cuts = [np.arange(ends[line], ends[line + 1], longest)[1:] for line in long]
        owners = np.repeat(long, [len(inner) for inner in cuts])
        pointers = np.insert(ends, owners + 1, np.concatenate(cuts))
        heads = np.insert(np.ones(len(ends) - 1, dtype=bool), owners + 1, False)
        shape = (len(pointers) - 1, lines.shape[1])
        return cls(sparse.csr_array((lines.data, lines.indices, pointers), shape=shape), heads, owners)

    def sums(self, v: Array) -> Array:
        """Each line times v, the pieces of a line in their order."""
        found = np.asarray(self.matrix @ v)
        if not len(self.owners):
            return found
        total: Array = found[self.heads]
        np.add.at(total, self.owners, found[~self.heads])
        return total


class SparseDesign:
    """Held row after row, and column after column from the first product with the transpose on: such a product then
    reads it in one go.  Long sums are made piece by piece, so that rounding grows with neither the rows nor the columns
    as they do, whatever the pattern.

    A score can be summed by columns as well, in the same order.  So of a wide table, whose Gram matrices nobody asks
    for, the rows are let go when there are columns: one copy less beside a solver's vectors.
    """

    def __init__(self, matrix: sparse.csr_array, wide: int = WIDE) -> None:
        self.rows, self.columns = int(matrix.shape[0]), int(matrix.shape[1])
        self._by_rows: sparse.csr_array | None = matrix
        self._wide = min(self.rows, self.columns) > wide
        self._longest_line = int(np.diff(matrix.indptr).max(initial=0))

    @property
    def matrix(self) -> sparse.csr_array:
        """Its rows, made again and kept where they were let go."""
        if self._by_rows is None:
            self._by_rows = self._by_columns.tocsr()
        return self._by_rows

    @property
    def row_depth(self) -> int:
        return runs_depth(self._longest_line)

    @property
    def _longest(self) -> int:
        """Entries of a column that are summed as they come."""
        return max(256, math.isqrt(self.rows))

    @property
    def column_depth(self) -> int:
        """Within a group, then group by group; a part of several groups joins the total: two more."""
        return self._longest + -(-self.rows // self._longest) + 3

    @cached_property
    def _rows(self) -> Pieces:
        return Pieces.of(self.matrix, LONGEST_RUN)

    @cached_property
    def _by_columns(self) -> sparse.csc_array:
        """The rows are let go where nobody will ask for them, and no score is longer than a run."""
        by_columns = self.matrix.tocsc()
        if self._wide and self._longest_line <= LONGEST_RUN:
            self.row_norms()  # measured by rows
            self._by_rows = None
            vars(self).pop("_rows", None)
        return by_columns

    @cached_property
    def _columns(self) -> Pieces:
        return Pieces.of(self._by_columns.T, self._longest)

    def matvec(self, w: Array) -> Array:
        return self._rows.sums(w) if self._by_rows is not None else np.asarray(self._by_columns @ w)

    def rmatvec(self, r: Array) -> Array:
        return self._columns.sums(r)

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.rmatvec(turn(self.matvec(w), slice(None)))

    def swept(self, sweep: Sweep) -> Array | None:
        """Row after row, where rows are held and adding up the groups' sums costs less than the entries do."""
        groups = -(-self.rows // self._longest)
        if compiled.PASSES is None or self._by_rows is None or groups * self.columns > self._by_rows.nnz:
            return None
        if sweep.several:
            return None
        matrix = self._by_rows
        if not all(held.flags.aligned for held in (matrix.indptr, matrix.indices, matrix.data)):
            return None  # as it may come over a network
        height = self._longest * max(1, groups // PARTS)

        def swept_by(start: int) -> Array:
            return over_sparse(matrix, sweep, slice(start, min(start + height, self.rows)), self._longest)

        return added_in_order(swept_by, range(0, self.rows, height), matrix.nnz // QUICKER, sweep.w.shape)

    @cached_property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0))

    def row_norms(self) -> Array:
        return self._norms

    @cached_property
    def _norms(self) -> Array:
        squares = np.zeros(self.rows)
        for rows, entries, starts in row_blocks(self.matrix.indptr):
            squares[rows] = row_sum(self.matrix.data[entries] ** 2, starts)
        return np.sqrt(squares, out=squares)

    @cached_property
    def pairs(self) -> float:
        """Products of two entries of one row, all rows together; 0 where a Gram matrix is made of dense blocks."""
        if self.matrix.nnz > CROWDED * self.rows * self.columns:
            return 0.0
        return float(np.sum(np.diff(self.matrix.indptr).astype(np.float64) ** 2))

    def weighted_gram(self, c: Array) -> Array:
        rows = np.flatnonzero(c)
        if len(rows) < self.rows / 2:
            return self.take(rows).weighted_gram(c[rows])
        if self.matrix.nnz > CROWDED * self.rows * self.columns:
            return self._crowded_gram(c)
        weighted = sparse.csr_array(
            (self.matrix.data * np.repeat(c, np.diff(self.matrix.indptr)), self.matrix.indices, self.matrix.indptr),
            shape=self.matrix.shape,
        )
        return np.asarray((self.matrix.T @ weighted).toarray())

    def _crowded_gram(self, c: Array) -> Array:
        total = np.zeros((self.columns, self.columns))
        height = max(1, BLOCK_ENTRIES // max(1, self.columns))
        for start in range(0, self.rows, height):
            stop = min(start + height, self.rows)
            block = _view(self.matrix, start, stop).toarray()
            total += block.T @ (block * c[start:stop, None])
        return total

    def gram_of_rows(self) -> Array:
        return np.asarray((self.matrix @ self.matrix.T).toarray())

    def take(self, rows: Rows) -> SparseDesign:
        return SparseDesign(self.matrix[rows])
