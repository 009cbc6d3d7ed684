"""Rows that weigh on two neighbouring slots of each column: one place and one number for both.

A row's weights are 1 − f on a place and f on the next one, so that a pass reads ten bytes for a column.  What is asked
besides sums of slopes is asked of the same weights as compressed rows, which are made for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside import compiled
from equipoise.inside.compiled.sweep import Sweep, over_couples
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.design.sparse import PARTS, SparseDesign
from equipoise.inside.threads import added_in_order, alone
from equipoise.theory.runs import runs_depth

Places = npt.NDArray[np.uint16]

SPREAD = 12
"""Slots for each weight of a row up to which its products are made faster with zeros than without."""


@dataclass(frozen=True, eq=False, repr=False)
class Coupled:
    """C, in couples; those of a row rise, and no two of them share a slot."""

    places: Places
    parts: Array
    columns: int

    @property
    def rows(self) -> int:
        return len(self.places)

    @property
    def row_depth(self) -> int:
        return runs_depth(2 * self.places.shape[1])

    @property
    def _height(self) -> int:
        return max(256, math.isqrt(self.rows))

    @property
    def column_depth(self) -> int:
        """As of compressed rows; a pass joins what a slot is as the first and as the second of couples, one more, and
        its parts of several groups are two additions fewer."""
        return self._height + -(-self.rows // self._height) + 3

    def entries(self, rows: slice) -> tuple[npt.NDArray[np.intp], Array]:
        """Slots and weights of these, both (rows, twice the couples)."""
        places, parts = self.places[rows].astype(np.intp), self.parts[rows]
        shape = len(places), 2 * places.shape[1]
        slots, weights = np.stack([places, places + 1], axis=-1), np.stack([1.0 - parts, parts], axis=-1)
        return slots.reshape(shape), weights.reshape(shape)

    @cached_property
    def written(self) -> SparseDesign:
        """As compressed rows."""
        slots, weights = self.entries(slice(None))
        index = np.int32 if slots.size < 2**31 else np.int64
        pointers = np.arange(0, slots.size + 1, slots.shape[1], dtype=index)
        entries = weights.reshape(-1), slots.reshape(-1).astype(index), pointers
        return SparseDesign(sparse.csr_array(entries, shape=(self.rows, self.columns)))

    def matvec(self, w: Array) -> Array:
        return self.written.matvec(w)

    def rmatvec(self, r: Array) -> Array:
        return self.written.rmatvec(r)

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.written.pulled(w, turn)

    def swept(self, sweep: Sweep) -> Array | None:
        """In parts of several groups of rows, which threads share out.  Where there is one thread a single call adds
        them up in the same order: a pass is short beside what Python takes to ask for parts."""
        if compiled.PASSES is None or sweep.several:
            return None
        part = self._height * max(1, -(-self.rows // self._height) // PARTS)

        def swept_by(start: int, end: int) -> Array:
            some = slice(start, min(end, self.rows))
            return over_couples(self.places, self.parts, sweep, some, self._height, part)

        numbers = 2 * self.places.size
        if alone(numbers):
            return swept_by(0, self.rows)
        starts = range(0, self.rows, part)
        return added_in_order(lambda start: swept_by(start, start + part), starts, numbers, sweep.w.shape)

    @cached_property
    def longest_row(self) -> float:
        return self.written.longest_row

    def row_norms(self) -> Array:
        return self.written.row_norms()

    @property
    def gram_in_groups(self) -> bool:
        """Whether products are made in blocks of a group of rows, each written out with its zeros."""
        return bool(self.columns <= SPREAD * 2 * self.places.shape[1])

    def weighted_gram(self, c: Array) -> Array:
        rows = np.flatnonzero(c)
        if len(rows) < self.rows / 2:
            return self.take(rows).weighted_gram(c[rows])
        if not self.gram_in_groups:
            return self.written.weighted_gram(c)
        signed = bool(c.min(initial=0.0) < 0)
        half = c if signed else np.sqrt(c)

        def gram_of(start: int) -> Array:
            some = slice(start, min(start + self._height, self.rows))
            block = self._spread(some)
            weighted = block * half[some, None]
            return np.asarray((block if signed else weighted).T @ weighted)

        numbers = self.rows * self.columns
        return added_in_order(gram_of, range(0, self.rows, self._height), numbers, (self.columns, self.columns))

    def _spread(self, rows: slice) -> Array:
        """These, zeros included."""
        places, parts = self.places[rows].astype(np.intp), self.parts[rows]
        block = np.zeros((len(places), self.columns))
        at, flat = (places + self.columns * np.arange(len(places))[:, None]).ravel(), block.reshape(-1)
        flat[at], flat[at + 1] = (1.0 - parts).ravel(), parts.ravel()
        return block

    def gram_of_rows(self) -> Array:
        return self.written.gram_of_rows()

    def take(self, rows: Rows) -> Coupled:
        return Coupled(np.ascontiguousarray(self.places[rows]), np.ascontiguousarray(self.parts[rows]), self.columns)
