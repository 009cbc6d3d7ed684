"""Rows of somebody else's array, where they lie: a compiled pass reads, measures and uses each of them once.

What else is asked of them, and everything where nothing is compiled, is asked of a copy that is made for it.  Rows must
have the lengths with which they were met first: records that are others in a later pass than in an earlier one would be
a table nobody promised for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside import compiled
from equipoise.inside.compiled.sweep import Outcome, Sweep, lengths, over_lent, serves
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.design.dense import group_height, grouped_depth
from equipoise.inside.design.shortened import Shortened
from equipoise.inside.marks import Words, join, mark_of_words, words_for
from equipoise.rows.clip import HUGE, clip_dense, shortening, squares_of
from equipoise.theory.runs import runs_depth

WRITTEN_TO = "X: was written to during the fit, hand over a copy; epsilon was spent, nothing was released"


@dataclass(slots=True, eq=False, repr=False)
class Met:
    """What is remembered of a block of rows from one pass to the next."""

    squares: Array | None = None
    """Of their lengths, once they were met."""
    odd: bool = False
    """Whether there is one that no factor serves: such a block is copied, and that row clipped there."""
    marked: bool = False
    """Whether they are to be known again where they are made anew."""
    mark: int | None = None
    """By what, once they were met: of the very numbers that were measured, those of odd rows clipped."""

    def words(self, columns: int) -> Words | None:
        """What rows join when they are met for the first time."""
        return words_for(columns) if self.marked and self.squares is None else None

    def remember(self, squares: Array, odd: bool, words: Words | None) -> None:
        """For the first time."""
        self.mark = None if words is None else mark_of_words(words)
        self.squares, self.odd = squares, odd


@dataclass(frozen=True, eq=False, repr=False)
class Lent:
    """A block of rows, clipped to their bound as they are used."""

    matrix: npt.NDArray[np.floating]
    row_norm: float
    known: Met
    buffer: Callable[[], Array]
    """Room for a copy that nobody else uses meanwhile."""

    @cached_property
    def copied(self) -> Shortened:
        """The same rows in a block at hand."""
        block = self.buffer()[: self.rows]
        with np.errstate(all="ignore"):  # a single may be a signal
            np.copyto(block, self.matrix)
        squares = lengths(block) if self._by_passes else squares_of(block)
        odd = np.flatnonzero(~(squares < HUGE))
        if len(odd):
            some = block[odd]
            clip_dense(some, self.row_norm)
            block[odd], squares[odd] = some, squares_of(some)
        self._meet(squares, len(odd) > 0, block)
        return Shortened(block, shortening(squares, self.row_norm, self.columns), squares)

    def _meet(self, squares: Array, odd: bool, block: Array) -> None:
        if self.known.squares is None:
            words = self.known.words(self.columns)
            if words is not None:
                join(block, words)
            self.known.remember(squares, odd, words)
        elif odd != self.known.odd or not np.array_equal(self.known.squares, squares):
            raise InvalidInput(WRITTEN_TO)

    @property
    def _by_passes(self) -> bool:
        return compiled.PASSES is not None and serves(self.matrix)

    @property
    def rows(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def columns(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def row_depth(self) -> int:
        """One more for the factor."""
        return runs_depth(self.columns) + 1

    @property
    def column_depth(self) -> int:
        return grouped_depth(self.rows) + 1

    def matvec(self, w: Array) -> Array:
        return self.copied.matvec(w)

    def rmatvec(self, r: Array) -> Array:
        return self.copied.rmatvec(r)

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self.copied.pulled(w, turn)

    def swept(self, sweep: Sweep) -> Array | None:
        if self.known.odd or not self._by_passes:
            return None
        first = self.known.squares is None
        squares = np.empty(self.rows) if self.known.squares is None else self.known.squares
        words = self.known.words(self.columns)
        found = over_lent(self.matrix, self.row_norm, squares, first, sweep, group_height(self.rows), words)
        if found is Outcome.ODD:
            return None
        if isinstance(found, Outcome):
            raise InvalidInput(WRITTEN_TO)
        if first:
            self.known.remember(squares, False, words)
        return found

    @property
    def longest_row(self) -> float:
        return float(self.row_norms().max(initial=0.0))

    def row_norms(self) -> Array:
        if self.known.squares is None and self._by_passes:
            words = self.known.words(self.columns)
            squares = lengths(self.matrix, words)
            if np.all(squares < HUGE):
                self.known.remember(squares, False, words)
        if self.known.squares is None:
            return self.copied.row_norms()
        return np.sqrt(self.known.squares) * shortening(self.known.squares, self.row_norm, self.columns)

    def weighted_gram(self, c: Array) -> Array:
        return self.copied.weighted_gram(c)

    def gram_of_rows(self) -> Array:
        return self.copied.gram_of_rows()

    def take(self, rows: Rows) -> Shortened:
        return self.copied.take(rows)
