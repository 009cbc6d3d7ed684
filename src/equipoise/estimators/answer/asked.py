"""Which queries were answered before.  Fingerprints are kept, not the queries: they may be about people too.

Two rows are the same query when every number is equal (−0.0 equals 0.0).  A fingerprint is two sums Σ weight·word
modulo 2⁶⁴ with secret random weights, 128 bits in all; docs/proofs/prediction.md bounds the chance that two different
rows share one.  If they did, the second would be told the first one's answer: wrong for the caller, and nothing new
about a record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.estimators._inputs import check_finite
from equipoise.inside import compiled

Array = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]

WORDS = 2
"""Of 64 bits in a fingerprint."""

BLOCK_ENTRIES = 2**17
"""Numbers copied, brought within bounds and summed at once: what is done once for a block should not count."""

_HALF = np.uint64(32)

Bring = Callable[[Array], object]
"""In place, some rows: to what counts of a query when two are told apart, each by itself.  They are finite then."""


def refuse_infinite(part: Array) -> None:
    """Nothing is brought anywhere: rows count as they are, and must be finite numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not math.isfinite(part.sum()):  # or finite numbers so large that their sum is not
            check_finite(part)


@dataclass(frozen=True, eq=False, repr=False)
class Looked:
    """A batch beside what is known: `answers` where `known`, and for the rest which new query each row is."""

    rows: Array
    keys: Keys
    known: npt.NDArray[np.bool_]
    answers: Array
    fresh: Places
    """Rows that stand for the distinct new queries."""
    same_as: Places
    """For each unknown row, in order, its place in `fresh`."""

    @property
    def new(self) -> int:
        return len(self.fresh)

    @property
    def repeated(self) -> int:
        return len(self.rows) - self.new

    @property
    def queries(self) -> Array:
        """The distinct new rows."""
        return self.rows if self.new == len(self.rows) else self.rows[self.fresh]

    def filled(self, fresh: Array) -> Array:
        """An answer for every row, given those of the new queries."""
        if self.new == len(self.rows):
            return fresh
        result = self.answers.copy()
        result[~self.known] = fresh[self.same_as]
        return result


class _Block:
    """Some answered queries, in the order in which they were asked."""

    def __init__(self, keys: Keys, answers: Array) -> None:
        self.keys, self.answers = keys, answers

    def find(self, keys: Keys) -> Places:
        """For each fingerprint its place here, or −1.  A batch that is asked again as it was is not searched for."""
        if np.array_equal(keys, self.keys):
            return np.arange(len(keys))
        first, order = self._sorted
        found, place = np.full(len(keys), -1, dtype=np.intp), np.searchsorted(first, keys[:, 0])
        left = np.arange(len(keys))
        while True:  # one round, unless first words are shared
            left = left[place[left] < len(first)]
            left = left[first[place[left]] == keys[left, 0]]
            if left.size == 0:
                return found
            there = order[place[left]]
            equal = np.all(self.keys[there] == keys[left], axis=1)
            found[left[equal]] = there[equal]
            left = left[~equal]
            place[left] += 1

    @cached_property
    def _sorted(self) -> tuple[Words, Places]:
        """First words in their order, and whose they are; made when a search first asks for it."""
        words = np.ascontiguousarray(self.keys[:, 0])
        order = np.argsort(words)
        return words[order], order


class Asked:
    """Every answered query's fingerprint and its answer.  Not thread-safe by itself: hold the predictor's lock."""

    def __init__(self, weights: Keys) -> None:
        """`weights`: secret random words, WORDS for each column."""
        self._weights = weights | np.uint64(1)
        self._blocks: list[_Block] = []

    def __len__(self) -> int:
        return sum(len(block.answers) for block in self._blocks)

    def look_up(self, X: npt.NDArray[np.floating], bring: Bring = refuse_infinite) -> Looked:
        """What is known of each row, by what `bring` makes of it.  X may be the caller's own: it stays as it is."""
        rows = np.asarray(X, dtype=np.float64)
        keys = fingerprints(rows, self._weights, bring)
        known, answers = np.zeros(len(rows), dtype=np.bool_), np.zeros(len(rows))
        for block in self._blocks:
            left = np.flatnonzero(~known)
            place = block.find(_some(keys, left))
            hit = place >= 0
            known[left[hit]] = True
            answers[left[hit]] = block.answers[place[hit]]
        fresh, same_as = _distinct(keys, np.flatnonzero(~known))
        return Looked(rows, keys, known, answers, fresh, same_as)

    def remember(self, looked: Looked, fresh: Array) -> None:
        """Keep the new answers.  Blocks of like size are joined, so that a search meets few."""
        if looked.new == 0:
            return
        keys, answers = _some(looked.keys, looked.fresh), np.array(fresh)
        while self._blocks and len(self._blocks[-1].answers) <= 2 * len(answers):
            last = self._blocks.pop()
            keys, answers = np.concatenate([last.keys, keys]), np.concatenate([last.answers, answers])
        self._blocks.append(_Block(keys, answers))


def fingerprints(rows: Array, weights: Keys, bring: Bring = refuse_infinite) -> Keys:
    """WORDS sums for each row, of a copy that is made block by block and brought within bounds."""
    columns, keys = rows.shape[1], np.empty((WORDS, len(rows)), dtype=np.uint64)
    height = max(1, min(len(rows), BLOCK_ENTRIES // max(1, columns)))
    copy = np.empty((height, columns))
    lines = np.ascontiguousarray(weights.T)
    for start in range(0, len(rows), height):
        read = rows[start : start + height]
        part = np.add(read, 0.0, out=copy[: len(read)])  # −0.0 becomes 0.0
        bring(part)
        _mark(part, lines, keys[:, start : start + height])
    return keys.T


def _mark(part: Array, lines: Keys, keys: Keys) -> None:
    """Into `keys`, WORDS lines of them, by lines of weights; in one compiled pass where there is one."""
    if compiled.PASSES is not None:
        compiled.PASSES.marks(part, *lines, *keys)
        return
    # Doubles differ in their high bits, products carry upwards: fold the high half onto the low one first.
    words = part.view(np.uint64)
    folded = np.right_shift(words, _HALF)
    np.bitwise_xor(folded, words, out=folded)
    for sums, line in zip(keys, lines, strict=True):
        np.einsum("ij,j->i", folded, line, out=sums)


def _some(keys: Keys, places: Places) -> Keys:
    """Those at different places; where these are all, in their own order, as `queries` and `filled` have them then."""
    return keys if len(places) == len(keys) else np.take(keys, places, axis=0)


def _any_twice(words: Words) -> bool:
    """Whether two are equal.  Halves are sorted, which takes half the time; about one pair of halves among a
    hundred thousand is equal by chance, and then the words that have them are compared."""
    halves = np.ascontiguousarray(words).view(np.uint32)[1::2]  # which of them are upper does not matter
    ordered = np.sort(halves)
    met = ordered[1:][ordered[1:] == ordered[:-1]]
    if met.size == 0:
        return False
    shared = np.sort(words[np.isin(halves, met)])
    return bool(np.any(shared[1:] == shared[:-1]))


def _distinct(keys: Keys, among: Places) -> tuple[Places, Places]:
    """One row for each different fingerprint `among` them, and for every row of `among` which of those it equals."""
    chosen = _some(keys, among)
    if not _any_twice(chosen[:, 0]):
        return among, among if len(among) == len(keys) else np.arange(len(among))
    order = np.lexsort((chosen[:, 1], chosen[:, 0]))
    first = np.concatenate([[True], np.any(chosen[order[1:]] != chosen[order[:-1]], axis=1)])
    same_as = np.empty(len(among), dtype=np.intp)
    same_as[order] = np.cumsum(first) - 1
    return among[order[first]], same_as
