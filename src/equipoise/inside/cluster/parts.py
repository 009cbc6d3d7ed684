"""What runs where the records lie: a part is brought in once and kept, and sums over it are given to whoever asks.

Nothing here raises (`quiet.py`), and nothing draws: noise is added once, by the gate, to what the caller has added up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.inside.borrowed import Borrowed, borrowed
from equipoise.inside.cluster.layout import Branch
from equipoise.inside.cluster.quiet import Failure, quiet
from equipoise.inside.cluster.turns import Picked
from equipoise.inside.design import Design, Matrix
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.lent import WRITTEN_TO
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.exact_sums import in_limbs
from equipoise.inside.marks import mark_of_arrays
from equipoise.inside.parted import in_pairs
from equipoise.inside.records import Order, Records, brought_in
from equipoise.theory.bounds import Bounds

T = TypeVar("T")
Which = Order | slice | None

Wanted = tuple[int, int, int | None, Which]
"""Of a part: so many of its first rows, or these rows of it, and the marks that it had, the second once it is known."""

NONE_LENT = 0
"""The mark of rows that are lent where none are."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a part says of itself without its cells: how many rows, which columns of which kind."""

    rows: int
    """Negative where nobody counted."""
    columns: tuple[tuple[str, str], ...]


class Reader(Protocol):
    """From what a part is made of to rows and labels; it is sent to the workers."""

    @property
    def lent(self) -> bool:
        """Whether rows stay in the array in which they came, which others may hold as well."""
        ...

    def seen(self, *pieces: Any) -> Seen:
        """Of what shape and types they are."""
        ...

    def __call__(self, bounds: Bounds, *pieces: Any) -> tuple[Matrix, npt.NDArray[Any]]:
        """Rows, in an array that nobody else holds unless they are lent, and their labels; neither is brought within
        bounds yet."""
        ...


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Part:
    """Records of one part, and marks by which they are known again: a part that was lost is made anew."""

    records: Records
    own: int
    """A mark of what is ours: of labels, and of rows unless they are lent."""
    size: int
    views: dict[tuple[int, int, int], Records] = field(default_factory=dict)
    """Every so-many-th row, without a copy where that can be: asked for again and again."""

    @classmethod
    def of(cls, records: Records) -> Part:
        """Measured and marked."""
        held = _arrays(records)
        return cls(records, mark_of_arrays(held), sum(array.nbytes for array in held))

    @classmethod
    def lying(cls, X: npt.NDArray[np.floating], labels: npt.NDArray[Any], bounds: Bounds) -> Part:
        """Rows that are read where they lie; they are measured and marked by the first sum over all of them."""
        if labels.shape != X.shape[:1]:
            raise InvalidInput("y: must hold one label per row of X")
        records = borrowed(X, labels, bounds, marked=True)
        own = np.array(X.shape, dtype=np.int64), records.codes
        return cls(records, mark_of_arrays(own), X.nbytes + records.codes.nbytes)

    @property
    def lent(self) -> int | None:
        """A mark of rows that are lent, once all of them were met; of none it is 0."""
        return self.records.mark if isinstance(self.records, Borrowed) else NONE_LENT

    def met(self) -> int | None:
        """The same, by a pass over them where nothing was asked of them yet."""
        if isinstance(self.records, Borrowed) and self.lent is None:
            self.records.measure()
        return self.lent

    def asked(self, of: Callable[[Records], Array], wanted: Wanted) -> Array | None:
        """The sum over what is wanted; None where the part is not what it was."""
        used, own, lent, rows = wanted
        if self.own != own or (lent is not None and self.lent not in (None, lent)):
            return None
        found = (self.records.first(used) if rows is None else self.some(rows)).summed(of)
        return found if lent is None or self.met() == lent else None

    def some(self, rows: Order | slice) -> Records:
        """These rows; a regular pattern of them is remembered."""
        if not isinstance(rows, slice):
            return self.records.take(rows)
        key = rows.start, rows.stop, rows.step
        if key not in self.views:
            self.views[key] = self.records.some(rows)
        return self.views[key]

    def __reduce__(self) -> tuple[Any, ...]:
        """For another worker, without its views."""
        return _arrived, (self.records, self.own, self.size)

    def __sizeof__(self) -> int:
        """For the scheduler, which moves what is small to where there is time."""
        return self.size


def _arrived(records: Records, own: int, size: int) -> Part:
    """Copied: what Dask receives may lie at odd bytes, where no compiled pass reads, and the same part would have other
    digits there."""
    return Part(deepcopy(records), own, size)


@dataclass(frozen=True, slots=True)
class About:
    """What the caller keeps of a part: how many rows it has and its marks, as far as they are known."""

    rows: int
    own: int
    lent: int | None


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Answer:
    """A sum for each branch, and of each part the mark of rows that are lent."""

    sums: list[Array]
    lent: list[int | None]


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
    if reader.lent and isinstance(X, np.ndarray) and X.size:
        return Part.lying(X, labels, bounds)
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
def about(*parts: Part) -> list[About]:
    """What the caller keeps of each."""
    return [About(part.records.design.rows, part.own, part.lent) for part in parts]


@quiet
def chosen(part: Part, own: int, rows: Order) -> Part | Failure:
    """These rows of a part that is not lent, in this order."""
    if part.own != own or part.lent != NONE_LENT:
        return Failure.OTHER
    return Part.of(part.records.take(rows))


@quiet
def told(
    of: Callable[[Records], Array], wanted: Sequence[Wanted], tree: Sequence[Branch], *parts: Part
) -> Answer | Failure:
    """A sum for each branch, over what is wanted of its parts, which are still what they were."""
    sums: list[Array] = []
    for part, some in zip(parts, wanted, strict=True):
        try:
            one = part.asked(of, some)
        except InvalidInput as error:
            return Failure.OTHER if str(error) == WRITTEN_TO else Failure.FAILED
        if one is None:
            return Failure.OTHER
        sums.append(one)
    found, at = list[Array](), 0
    for _, level in tree:
        total = in_pairs(sums[at : at + (1 << level)])
        assert total is not None
        found, at = [*found, total], at + (1 << level)
    return Answer(found, [part.lent for part in parts])


@quiet
def added(*answers: Answer) -> Answer | Failure:
    """Sums of neighbouring parts, in their order and in pairs."""
    total = in_pairs(one for answer in answers for one in answer.sums)
    return Failure.FAILED if total is None else Answer([total], [one for answer in answers for one in answer.lent])


def version() -> str:
    """Of the library where this runs."""
    return str(sys.modules["equipoise"].__version__)


def carried(of: T) -> T:
    """A large question, sent once for all parts of a round; like every task it can be done again elsewhere."""
    return of


def _arrays(records: Records) -> list[npt.NDArray[Any]]:
    design: Design = records.design
    inner: Any = design.inner if isinstance(design, WithConstant) else design
    matrix: Any = inner.matrix
    held = [matrix.data, matrix.indices, matrix.indptr] if isinstance(inner, SparseDesign) else [matrix]
    return [*held, records.labels]
