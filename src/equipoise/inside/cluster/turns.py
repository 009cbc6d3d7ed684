"""Which rows of a person are used where a person's rows lie in several parts: the first few of each, as in memory.

Every part tells the different ids in it apart and counts their rows.  Ids are then met by as many counters as suit the
number of parts, each id always by the same one, who goes through the parts in their order and says how many rows of
that id come before each of them; and every part marks its rows by that.  Ids go from worker to worker, to nobody else.
All of it is a function of the ids in their order: docs/proofs/groups.md, section 5.
"""

from __future__ import annotations

import numbers
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._asking import asked, is_a, is_kind
from equipoise.inside.cluster.quiet import Failure, quiet
from equipoise.rows.persons import NOBODY, Index, each_alone, flat_ids, told_apart, turns

Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Who = Callable[..., Any]
"""From what a part is made of to one id for each of its rows; it is sent to workers."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Named:
    """The rows of one part by person: the number of each row's person, and of each person the id, a mark by which it
    finds its counter, and how many rows it has here, at most the cap."""

    codes: Index
    ids: list[Any]
    marks: npt.NDArray[np.uint32]
    rows: Counts

    def __sizeof__(self) -> int:
        """About, for the scheduler."""
        return self.codes.nbytes + 64 * len(self.ids)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Share:
    """Of one part what one counter hears."""

    ids: list[Any]
    rows: Counts
    stamp: int


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Before:
    """What a counter says to one part: for each of its ids the rows in parts before, and stamps of what it had heard of
    that part and of all."""

    rows: Counts
    heard: int
    of_all: int


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Picked:
    """The rows of a part that are used, and a stamp of all ids by which they were chosen."""

    rows: Mask
    stamp: int


@dataclass(frozen=True, slots=True)
class AboutPicked:
    """What the caller keeps of it: how many rows there are, how many are used, and the stamp."""

    rows: int
    used: int
    stamp: int


@quiet
def named(who: Who, cap: int, *pieces: Any) -> Named:
    """The persons of one part."""
    held = who(*pieces)
    codes, ids = told_apart(flat_ids(held, len(held)))
    counts = np.minimum(np.bincount(codes[codes != NOBODY], minlength=len(ids)), cap)
    return Named(codes, ids, np.array([_mark(each) for each in ids], dtype=np.uint32), counts.astype(np.int64))


@quiet
def share(part: Named, counter: int, counters: int) -> Share:
    """What this counter is told of a part."""
    return _share(part, counter, counters)


@quiet
def counted(cap: int, *shares: Share) -> list[Before]:
    """One counter: for each part in its order, the rows of its ids in the parts before, at most the cap."""
    so_far: dict[Any, int] = {}
    found = [_before(so_far, one, cap) for one in shares]
    of_all = _stamp([np.array([one.stamp for one in shares], dtype=np.int64)])
    return [Before(rows, one.stamp, of_all) for rows, one in zip(found, shares, strict=True)]


@quiet
def place_of(answers: Sequence[Any], place: int) -> Any:
    """What is for one part."""
    return answers[place]


@quiet
def picked(part: Named, cap: int, *answers: Before) -> Picked | Failure:
    """The rows of a part before which fewer than so many of the same person come.  A row without an id counts as the
    only one of its person."""
    before = np.zeros(len(part.ids), dtype=np.int64)
    for counter, answer in enumerate(answers):
        if _share(part, counter, len(answers)).stamp != answer.heard:
            return Failure.OTHER  # it was made anew, and otherwise
        before[_of(part, counter, len(answers))] = answer.rows
    earlier = np.append(before, 0)[part.codes]  # NOBODY is the last
    stamp = _stamp([np.array([answer.of_all for answer in answers], dtype=np.int64)])
    return Picked(turns(each_alone(part.codes)) + earlier < cap, stamp)


@quiet
def about_picked(found: Picked) -> AboutPicked:
    """What the caller keeps of it."""
    return AboutPicked(len(found.rows), int(found.rows.sum()), found.stamp)


def _of(part: Named, counter: int, counters: int) -> npt.NDArray[np.intp]:
    return np.flatnonzero(part.marks % np.uint32(counters) == counter)


def _share(part: Named, counter: int, counters: int) -> Share:
    mine = _of(part, counter, counters)
    rows = part.rows[mine]
    return Share([part.ids[place] for place in mine], rows, _stamp([part.marks[mine], rows]))


def _before(so_far: dict[Any, int], one: Share, cap: int) -> Counts:
    found = np.zeros(len(one.ids), dtype=np.int64)
    for place, (each, rows) in enumerate(zip(one.ids, one.rows.tolist(), strict=True)):
        found[place] = asked(partial(_heard, so_far, each, rows, cap), 0)  # not compared: as in memory, by itself
    return found


def _heard(so_far: dict[Any, int], each: Any, rows: int, cap: int) -> int:
    """How many rows of this id came before; it may be one that cannot be compared."""
    known = so_far.get(each, 0)
    so_far[each] = min(cap, known + rows)
    return known


def _stamp(arrays: Sequence[npt.NDArray[Any]]) -> int:
    """Tells ids that were read anew, and otherwise, from the first."""
    mark = 0
    for held in arrays:
        mark = zlib.crc32(np.ascontiguousarray(held).data, mark)
    return mark


def _mark(each: Any) -> int:
    """The same for ids that are equal, in every process: Python's own hash of words is another in each."""
    if is_a(each, str):
        return zlib.crc32(str.encode(each, "utf-8", "surrogatepass"))
    if is_a(each, bytes):
        return zlib.crc32(each)
    return asked(lambda: hash(each) % 2**32, 0) if is_kind(type(each), numbers.Number) else 0
