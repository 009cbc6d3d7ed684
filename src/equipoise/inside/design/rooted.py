"""Rows of an additive model, never written out: each record's few weights on slots, and what makes numbers of slots.

An encoded row is Rᵀc: c has two weights for a column of numbers and one for a category, R is a block for each term and
public.  So a score is c·(Rw) and a sum of rows Rᵀ(Σ r·c): a pass over the records reads the weights alone.  What that
rounds, and that no row is longer than its bound, is in docs/proofs/additive.md, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from equipoise.inside.compiled.sweep import Sweep
from equipoise.inside.design.contract import Array, Rows, Turn
from equipoise.inside.design.coupled import Coupled
from equipoise.inside.design.sparse import SparseDesign
from equipoise.theory.additive import Encoding, Weights
from equipoise.theory.runs import runs_depth

RUN = 64
"""Numbers of a root's row, or of its column, that are added up in one go."""

LARGEST_TERM = 1024
"""Slots of one term beyond which rows are written out: a root is as large as their square."""

SPARED = 3
"""Of a row, so many numbers for each weight at least: a weight has to be looked up, a number comes in its turn."""

BLOCK_ENTRIES = 2**18
"""Weights that are looked at together: a few megabytes, which a processor keeps at hand."""

Held = SparseDesign | Coupled


def serves(encoding: Encoding) -> bool:
    """Whether rows of this encoding are better not written out: by what is public, whatever the records."""
    weights = 2 * len(encoding.basis.columns) + sum(pair.touched for pair in encoding.basis.pairs)
    slots = max(term.slots for term in encoding.basis.terms)
    depth = _score_depth(weights, encoding.roots)
    return slots <= LARGEST_TERM and SPARED * weights <= encoding.width and depth <= runs_depth(encoding.width)


def rooted(table: Array, encoding: Encoding, bound: float) -> Rooted:
    """The rows that `encoding.rows` would write out, none longer than the bound: in couples, unless there are pairs."""
    weights: Held = _listed(table, encoding) if encoding.basis.pairs else _coupled(table, encoding)
    touched = tuple(term.touched if encoding.basis.pairs else 2 for term in encoding.basis.terms)
    return Rooted(weights, encoding.roots, touched, bound)


def _coupled(table: Array, encoding: Encoding) -> Coupled:
    """Each cell by itself."""
    columns = len(encoding.basis.columns)
    places, parts = np.empty((len(table), columns), dtype=np.uint16), np.empty((len(table), columns))
    for some in _blocks(len(table), columns):
        cells = np.asfortranarray(table[some])
        for at, (term, span) in enumerate(zip(encoding.basis.terms, encoding.basis.spans, strict=True)):
            left, part = _couple(term.weights(cells))
            places[some, at], parts[some, at] = left + span.start, part
    return Coupled(places, parts, encoding.basis.features)


def _couple(found: Weights) -> tuple[npt.NDArray[np.intp], Array]:
    """The first of two neighbouring slots and the weight of the second; a slot by itself is one of two."""
    if found.parts.shape[1] == 2:
        return found.places[:, 0], found.parts[:, 1]
    left = np.maximum(found.places[:, 0] - 1, 0)
    return left, (found.places[:, 0] > left).astype(np.float64)


def _listed(table: Array, encoding: Encoding) -> SparseDesign:
    """As many weights in every row, the slots of a term side by side and rising."""
    terms, rows = encoding.basis.terms, len(table)
    own, many = _side_by_side(term.touched for term in terms), sum(term.touched for term in terms)
    index = np.int32 if rows * many < 2**31 else np.int64
    places, parts = np.empty((rows, many), dtype=index), np.empty((rows, many))
    for some in _blocks(rows, many):
        cells = np.asfortranarray(table[some])
        for term, span, each in zip(terms, encoding.basis.spans, own, strict=True):
            found = term.weights(cells)
            places[some, each], parts[some, each] = found.places + span.start, found.parts
    pointers = np.arange(0, rows * many + 1, many, dtype=index)
    entries = parts.reshape(-1), places.reshape(-1), pointers
    return SparseDesign(sparse.csr_array(entries, shape=(rows, encoding.basis.features)))


def _side_by_side(sizes: Iterable[int]) -> list[slice]:
    """Spans of these sizes, one after the other."""
    held = list(sizes)
    return [slice(end - size, end) for end, size in zip(accumulate(held), held, strict=True)]


def _blocks(rows: int, width: int) -> Iterator[slice]:
    height = max(1, BLOCK_ENTRIES // max(1, width))
    for start in range(0, rows, height):
        yield slice(start, min(start + height, rows))


def _depth(numbers: int) -> int:
    """Most additions behind a product with a root, whose rows or columns have so many numbers."""
    return min(numbers, RUN + -(-numbers // RUN))


def _score_depth(weights: int, roots: tuple[Array, ...]) -> int:
    """The value of a slot, then the few that a record touches; one more for the second product."""
    return runs_depth(weights) + _depth(max(root.shape[1] for root in roots)) + 1


def _product(matrix: Array, by: Array) -> Array:
    """In runs."""
    total: Array = matrix[:, :RUN] @ by[:RUN]
    for start in range(RUN, matrix.shape[1], RUN):
        total += matrix[:, start : start + RUN] @ by[start : start + RUN]
    return total


def _squares(weights: Weights, gram: Array) -> Array:
    """‖Rᵀc‖² of each row of weights, from the products of R's rows; row by row, as `Weights.average`."""
    places, parts = weights.places, weights.parts
    result = np.zeros(len(parts))
    for one in range(parts.shape[1]):
        result += parts[:, one] ** 2 * gram[places[:, one], places[:, one]]
    for one, other in combinations(range(parts.shape[1]), 2):
        result += 2 * parts[:, one] * parts[:, other] * gram[places[:, one], places[:, other]]
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Rooted:
    """X = C·R."""

    weights: Held
    """C: of every row as many."""
    roots: tuple[Array, ...]
    touched: tuple[int, ...]
    """How many slots of each term a record weighs on."""
    bound: float
    """Public: on the norm of every row, and on what the rounding of products is measured by."""

    @property
    def rows(self) -> int:
        return self.weights.rows

    @cached_property
    def columns(self) -> int:
        return sum(root.shape[1] for root in self.roots)

    @property
    def row_depth(self) -> int:
        return _score_depth(sum(self.touched), self.roots)

    @property
    def column_depth(self) -> int:
        """The sum of a slot's weights, then the slots of a term; one more for the second product."""
        return self.weights.column_depth + _depth(max(len(root) for root in self.roots)) + 1

    @cached_property
    def _slots(self) -> list[slice]:
        return _side_by_side(len(root) for root in self.roots)

    @cached_property
    def _numbers(self) -> list[slice]:
        return _side_by_side(root.shape[1] for root in self.roots)

    def _values(self, w: Array) -> Array:
        """R w: what each slot adds to a score."""
        of = zip(self.roots, self._numbers, strict=True)
        return np.concatenate([_product(root, w[span]) for root, span in of])

    def _back(self, sums: Array) -> Array:
        """Rᵀ of a sum for each slot."""
        of = zip(self.roots, self._slots, strict=True)
        return np.concatenate([_product(root.T, sums[span]) for root, span in of])

    def matvec(self, w: Array) -> Array:
        return self.weights.matvec(self._values(w))

    def rmatvec(self, r: Array) -> Array:
        return self._back(self.weights.rmatvec(r))

    def pulled(self, w: Array, turn: Turn) -> Array:
        return self._back(self.weights.pulled(self._values(w), turn))

    def swept(self, sweep: Sweep) -> Array | None:
        """What a constant column adds comes last in w and in the sum, and is no term's."""
        if sweep.several:
            return None
        own = self.columns
        found = self.weights.swept(replace(sweep, w=np.concatenate([self._values(sweep.w[:own]), sweep.w[own:]])))
        if found is None:
            return None
        slots = self.weights.columns
        return np.concatenate([self._back(found[:slots]), found[slots:]])

    @property
    def longest_row(self) -> float:
        """The bound and no measured length: rounding is as large as weights that sum to one make it, and a row between
        two slots can be much shorter than either."""
        return self.bound if self.rows else 0.0

    def row_norms(self) -> Array:
        return self._norms

    @cached_property
    def _norms(self) -> Array:
        """To a few units of the bound's square, each: `theory/evening.py` allows for more."""
        squares, grams = np.zeros(self.rows), [root @ root.T for root in self.roots]
        for part, terms in self._met():
            for weights, gram in zip(terms, grams, strict=True):
                squares[part] += _squares(weights, gram)
        return np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares)

    def _met(self) -> Iterator[tuple[slice, list[Weights]]]:
        """Some rows, and what they weigh on the slots of each term."""
        terms = list(zip(_side_by_side(self.touched), self._slots, strict=True))
        for some in _blocks(self.rows, sum(self.touched)):
            places, parts = self._entries(some)
            yield some, [Weights(places[:, each] - span.start, parts[:, each]) for each, span in terms]

    def _entries(self, rows: slice) -> tuple[npt.NDArray[np.intp], Array]:
        if isinstance(self.weights, Coupled):
            return self.weights.entries(rows)
        matrix, shape = self.weights.matrix, (self.rows, sum(self.touched))
        return matrix.indices.reshape(shape)[rows].astype(np.intp), matrix.data.reshape(shape)[rows]

    def in_full(self) -> Array:
        """Its rows, written out as `Encoding.rows` does."""
        result = np.empty((self.rows, self.columns))
        for some, terms in self._met():
            for weights, root, span in zip(terms, self.roots, self._numbers, strict=True):
                result[some, span] = weights.average(root)
        return result

    @property
    def gram_in_groups(self) -> bool:
        return isinstance(self.weights, Coupled) and self.weights.gram_in_groups

    def weighted_gram(self, c: Array) -> Array:
        least, most = float(c.min(initial=np.inf)), float(c.max(initial=0.0))
        return most * self._gram if least == most else self._gram_by(c)

    @cached_property
    def _gram(self) -> Array:
        """XᵀX: the curvature of squares is the same at every step."""
        return self._gram_by(np.ones(self.rows))

    def _gram_by(self, c: Array) -> Array:
        return self._back(self._back(self.weights.weighted_gram(c)).T)

    def gram_of_rows(self) -> Array:
        rows = self.in_full()
        return rows @ rows.T

    def take(self, rows: Rows) -> Rooted:
        return replace(self, weights=self.weights.take(rows))
