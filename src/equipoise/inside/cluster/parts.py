"""What runs where the records lie: a part is brought in once and kept, and sums over it are given to whoever asks.

Nothing here raises.  What a worker raises is logged where it runs with the arguments of the task, which are rows, and
sent to the caller with its traceback; so whatever happens becomes a `Failure`, one of a few words that are the same
whatever the rows hold.  Nothing here draws: noise is added once, by the gate, to what the caller has added up.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.errors import UnreadableFile
from equipoise.inside.design import Design, Matrix
from equipoise.inside.design.constant import WithConstant
from equipoise.inside.design.contract import Array
from equipoise.inside.design.sparse import SparseDesign
from equipoise.inside.parted import in_pairs
from equipoise.inside.records import Records, brought_in
from equipoise.rows.unseen import unseen
from equipoise.theory.bounds import Bounds

P = ParamSpec("P")
T = TypeVar("T")


class Failure(StrEnum):
    """All that a worker says of what went wrong."""

    FAILED = "a worker could not do its part"
    OTHER = "a part of the table is not what it was, keep a copy that nobody writes to"
    STRUCTURE = "a part of the table has other columns or types than the table says"
    UNREADABLE = "a file changed, is damaged or cannot be read where the workers are, which all need the same files"
    VERSION = "a worker has another version of Equipoise"


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

    @classmethod
    def of(cls, records: Records) -> Part:
        """Measured and marked."""
        held = _arrays(records)
        return cls(records, _marked(held), sum(array.nbytes for array in held))

    def __sizeof__(self) -> int:
        """For the scheduler, which moves what is small to where there is time."""
        return self.size


@dataclass(frozen=True, slots=True)
class About:
    """What the caller keeps of a part: how many rows it has and its mark."""

    rows: int
    mark: int


def _quiet(work: Callable[P, T]) -> Callable[P, T | Failure]:
    """The same, without a word: neither a warning nor an exception leaves."""

    def quietly(*given: P.args, **named: P.kwargs) -> T | Failure:
        try:
            with unseen():
                return work(*given, **named)
        except UnreadableFile:
            return Failure.UNREADABLE
        except Exception:  # noqa: BLE001 - whatever it is, its words may be a record's
            return Failure.FAILED

    quietly.__module__, quietly.__qualname__, quietly.__name__ = work.__module__, work.__qualname__, work.__name__
    return quietly


@_quiet
def seen(reader: Reader, *pieces: Any) -> Seen:
    """What a part says of itself: for the caller, before anything is spent."""
    return reader.seen(*pieces)


@_quiet
def entered(reader: Reader, expected: Seen, bounds: Bounds, wanted: str, *pieces: Any) -> Part | Failure:
    """A part, brought in as a table in memory is; `expected` is what it said of itself before."""
    if wanted != version():
        return Failure.VERSION
    found = reader.seen(*pieces)
    if found.columns != expected.columns:
        return Failure.STRUCTURE
    if found.rows != expected.rows >= 0:
        return Failure.OTHER
    X, labels = reader(bounds, *pieces)
    return Part.of(brought_in(X, labels, bounds, ours=True))


@_quiet
def about(part: Part | Failure) -> About | Failure:
    """What the caller keeps of it."""
    return part if isinstance(part, Failure) else About(part.records.design.rows, part.mark)


@_quiet
def thinned(part: Part | Failure, used: int, mark: int, before: int, step: int) -> Part | Failure:
    """Every so-many-th row of the table that lies in this part, where so many come before it."""
    if isinstance(part, Failure) or part.mark != mark:
        return part if isinstance(part, Failure) else Failure.OTHER
    whole, rows = part.records, np.arange(-before % step, used, step)
    return Part.of(replace(whole, design=whole.design.take(rows), labels=whole.labels[rows]))


@_quiet
def told(of: Callable[[Records], Array], part: Part | Failure, used: int, mark: int) -> Array | Failure:
    """A sum over the first `used` rows of a part that is still the one that it was."""
    if isinstance(part, Failure):
        return part
    if part.mark != mark:
        return Failure.OTHER
    return of(part.records.first(used))


@_quiet
def added(*sums: Array | Failure) -> Array | Failure:
    """Sums of neighbouring parts, in their order and in pairs."""
    for one in sums:
        if isinstance(one, Failure):
            return one
    total = in_pairs(one for one in sums if not isinstance(one, Failure))
    return Failure.FAILED if total is None else total


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
        mark = zlib.crc32(np.ascontiguousarray(held).data, mark)
    return mark


def _arrays(records: Records) -> list[npt.NDArray[Any]]:
    design: Design = records.design
    inner: Any = design.inner if isinstance(design, WithConstant) else design
    matrix: Any = inner.matrix
    held = [matrix.data, matrix.indices, matrix.indptr] if isinstance(inner, SparseDesign) else [matrix]
    return [*held, records.labels]
