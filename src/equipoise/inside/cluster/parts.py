"""What runs where the records lie: a part is brought in once and kept, and sums over it are given to whoever asks.

Nothing here raises (`quiet.py`), and nothing draws: noise is added once, by the gate, to what the caller has added up.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.inside.cluster.layout import Branch
from equipoise.inside.cluster.quiet import Failure, quiet
from equipoise.inside.cluster.turns import Picked
from equipoise.inside.design import Design, Matrix
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.exact_sums import in_limbs
from equipoise.inside.parted import in_pairs
from equipoise.inside.records import Order, Records, brought_in
from equipoise.theory.bounds import Bounds

T = TypeVar("T")
Which = Order | slice | None

STRETCH, ODD = 2**14, np.uint64(0x9E3779B97F4A7C15)
"""Words that are folded at once, small enough to stay at hand; any odd number that mixes bits will do."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a part says of itself without its cells: how many rows, which columns of which kind."""

    rows: int
    """Negative where nobody counted."""
    columns: tuple[tuple[str, str], ...]


class Reader(Protocol):
    """From what a part is made of to rows and labels; it is sent to the workers."""

    def seen(self, *pieces: Any) -> Seen:
        """Of what shape and types they are."""
        ...

    def __call__(self, bounds: Bounds, *pieces: Any) -> tuple[Matrix, npt.NDArray[Any]]:
        """Rows in an array that nobody else holds, and their labels; neither is brought within bounds yet."""
        ...


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Part:
    """Records of one part, and a mark by which they are known again: a part that was lost is made anew."""

    records: Records
    mark: int
    size: int
    views: dict[tuple[int, int, int], Records] = field(default_factory=dict)
    """Every so-many-th row, without a copy where that can be: asked for again and again."""

    @classmethod
    def of(cls, records: Records) -> Part:
        """Measured and marked."""
        held = _arrays(records)
        return cls(records, _marked(held), sum(array.nbytes for array in held))

    def some(self, rows: Order | slice) -> Records:
        """These rows; a regular pattern of them is remembered."""
        whole = self.records
        if not isinstance(rows, slice):
            return whole.take(rows)
        key = rows.start, rows.stop, rows.step
        if key not in self.views:
            self.views[key] = replace(whole, design=whole.design.take(rows), labels=whole.labels[rows])
        return self.views[key]

    def __sizeof__(self) -> int:
        """For the scheduler, which moves what is small to where there is time."""
        return self.size


@dataclass(frozen=True, slots=True)
class About:
    """What the caller keeps of a part: how many rows it has and its mark."""

    rows: int
    mark: int


@quiet
def seen(reader: Reader, *pieces: Any) -> Seen:
    """What a part says of itself: for the caller, before anything is spent."""
    return reader.seen(*pieces)


@quiet
def entered(
    reader: Reader,
    expected: Seen,
    bounds: Bounds,
    wanted: str,
    picked: Picked | None,
    stamp: int | None,
    *pieces: Any,
) -> Part | Failure:
    """A part, brought in as a table in memory is; `expected` is what it said of itself before.  Of persons' rows those
    that were picked, by the ids that have this stamp."""
    if wanted != version():
        return Failure.VERSION
    found = reader.seen(*pieces)
    if found.columns != expected.columns:
        return Failure.STRUCTURE
    if found.rows != expected.rows >= 0:
        return Failure.OTHER
    X, labels = reader(bounds, *pieces)
    if picked is not None:
        if picked.stamp != stamp or len(picked.rows) != found.rows:
            return Failure.OTHER
        X, labels = X[picked.rows], labels[picked.rows]
    return Part.of(brought_in(X, labels, bounds, ours=True))


@quiet
def measured(
    terms: Callable[..., Array], expected: Seen, wanted: str, picked: Picked | None, stamp: int | None, *pieces: Any
) -> Array | Failure:
    """Of a part that is not kept: the sum of one number in [0, 1] for each row, in whole numbers (`exact_sums.py`)."""
    if wanted != version():
        return Failure.VERSION
    each = terms(*pieces)
    if len(each) != expected.rows:
        return Failure.OTHER
    if picked is not None:
        if picked.stamp != stamp or len(picked.rows) != len(each):
            return Failure.OTHER
        each = each[picked.rows]
    return in_limbs(np.clip(np.nan_to_num(each), 0.0, 1.0))


@quiet
def about(part: Part) -> About:
    """What the caller keeps of it."""
    return About(part.records.design.rows, part.mark)


@quiet
def chosen(part: Part, mark: int, rows: Order) -> Part | Failure:
    """These rows of a part, in this order."""
    if part.mark != mark:
        return Failure.OTHER
    whole = part.records
    return Part.of(replace(whole, design=whole.design.take(rows), labels=whole.labels[rows]))


Wanted = tuple[int, int, Which]
"""Of a part: so many of its first rows and the mark that it had, or these rows of it."""


@quiet
def told(
    of: Callable[[Records], Array], wanted: Sequence[Wanted], tree: Sequence[Branch], *parts: Part
) -> list[Array] | Failure:
    """A sum for each branch, over what is wanted of its parts, which are still what they were."""
    sums: list[Array] = []
    for part, (used, mark, rows) in zip(parts, wanted, strict=True):
        if part.mark != mark:
            return Failure.OTHER
        sums.append(of(part.records.first(used) if rows is None else part.some(rows)))
    found, at = list[Array](), 0
    for _, level in tree:
        total = in_pairs(sums[at : at + (1 << level)])
        assert total is not None
        found, at = [*found, total], at + (1 << level)
    return found


@quiet
def added(*sums: list[Array]) -> list[Array] | Failure:
    """Sums of neighbouring parts, in their order and in pairs."""
    total = in_pairs(one for (one,) in sums)
    return Failure.FAILED if total is None else [total]


def version() -> str:
    """Of the library where this runs."""
    return str(sys.modules["equipoise"].__version__)


def carried(of: T) -> T:
    """A large question, sent once for all parts of a round; like every task it can be done again elsewhere."""
    return of


def _marked(arrays: list[npt.NDArray[Any]]) -> int:
    """Tells a part that was made anew, and otherwise, from the first; nobody has a use in forging one."""
    mark = 0
    for held in arrays:
        mark = _folded(held, mark)
    return mark


def _folded(held: npt.NDArray[Any], mark: int) -> int:
    """A CRC of what is left when stretches of words are multiplied by an odd number and added up: a word that is
    another always changes that, wherever it stands, in a third of the time of a CRC of all."""
    flat = np.ascontiguousarray(held).reshape(-1).view(np.uint8)
    words = flat[: flat.size // 8 * 8].view(np.uint64)
    left, whole = np.zeros(STRETCH, dtype=np.uint64), words.size // STRETCH * STRETCH
    for at in range(0, whole, STRETCH):
        np.multiply(left, ODD, out=left)
        np.add(left, words[at : at + STRETCH], out=left)
    for rest in (left.view(np.uint8), words[whole:].view(np.uint8), flat[words.size * 8 :]):
        mark = zlib.crc32(rest.data, mark)
    return mark


def _arrays(records: Records) -> list[npt.NDArray[Any]]:
    design: Design = records.design
    inner: Any = design.inner if isinstance(design, WithConstant) else design
    matrix: Any = inner.matrix
    held = [matrix.data, matrix.indices, matrix.indptr] if isinstance(inner, SparseDesign) else [matrix]
    return [*held, records.labels]
