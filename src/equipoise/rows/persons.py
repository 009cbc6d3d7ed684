"""Which rows of a person are used: the first few of each, in their order, by that person's rows alone.

What is dropped depends on nobody else's rows, so that a person changes at most so many rows of what is left
(docs/proofs/groups.md).  No id is an error: a row without one counts as a person of its own, so that an id that is
missing does not change how many rows are used, or how many people there are.  Without a cap, where all rows of a person
are kept together, it counts but is not used: it would be a row of theirs that is somewhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._asking import asked
from equipoise.errors import InvalidInput
from equipoise.rows.column_cells import cells_in, is_column, is_nested
from equipoise.rows.lists import NO_LISTS
from equipoise.rows.plain_ids import plain_id
from equipoise.rows.unseen import unseen
from equipoise.theory.plan import person_unit

Index = npt.NDArray[np.intp]

QUICK = "iubU"
"""Kinds of dtypes whose every value is an id; others may hold missing ones."""


NOBODY = -1

NOT_FLAT = "groups: must be a flat list with one id for each row"
NESTED = "groups: its type is nested (lists or structures), give one number or word for each row"


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """The rows that are used, and for each of them the number of its person."""

    rows: Index
    codes: Index
    cap: int | None = None
    """The most rows of one person; None where any number is taken."""
    unnamed: int = 0
    """Rows without an id that are not used."""

    @property
    def count(self) -> int:
        """Of people, those without an id among them."""
        return int(self.codes.max(initial=-1)) + 1 + self.unnamed

    @property
    def unit(self) -> str:
        """What a guarantee speaks of."""
        return "one person, however many rows" if self.cap is None else person_unit(self.cap)


def people_in(groups: Any, rows: int, cap: int | None = None) -> People:
    """The first `cap` rows of each person, in order; `groups` holds one id for each row."""
    with unseen():  # an id may be an object with words of its own
        ids = _codes(flat_ids(groups, rows))
    if cap is None:
        used = np.flatnonzero(ids != NOBODY)
        return People(used, _numbered(ids[used]), unnamed=rows - len(used))
    codes = each_alone(ids)
    used = np.flatnonzero(turns(codes) < cap)
    return People(used, _numbered(codes[used]), cap)


def _numbered(codes: npt.NDArray[Any]) -> Index:
    """The same people as 0, 1, 2 and so on."""
    return np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.intp)


def flat_ids(groups: Any, rows: int) -> npt.NDArray[Any]:
    """A flat array of our own, judged by type and shape."""
    if isinstance(groups, NO_LISTS) or not isinstance(groups, Iterable) or len(getattr(groups, "shape", (rows,))) != 1:
        raise InvalidInput(NOT_FLAT)
    if is_column(groups) and is_nested(groups):
        raise InvalidInput(NESTED)
    if isinstance(groups, np.ma.MaskedArray):
        groups = groups.tolist()  # None where it is masked, whatever is held there
    if isinstance(groups, np.ndarray):
        found = np.array(groups, copy=True, subok=False)
    else:
        listed = asked(lambda: cells_in(groups) if is_column(groups) else list(groups), None)
        if listed is None:  # its own code fails, and its words might quote an id
            raise InvalidInput(NOT_FLAT)
        found = np.fromiter(listed, dtype=object, count=len(listed))  # assigned, NumPy would ask each for an array
    if len(found) != rows:
        raise InvalidInput("groups: must have one id for each row of X")
    return found


def each_alone(codes: Index) -> Index:
    """Rows without an id as persons of their own."""
    nobody = codes == NOBODY
    beyond = codes.max(initial=NOBODY) + np.cumsum(nobody)
    return np.where(nobody, beyond, codes)


def turns(codes: Index) -> Index:
    """For each row, how many rows of the same person come before it."""
    order = np.argsort(codes, kind="stable")
    sorted_codes = codes[order]
    first = np.concatenate([[True], sorted_codes[1:] != sorted_codes[:-1]]) if len(codes) else np.zeros(0, dtype=bool)
    starts = np.maximum.accumulate(np.where(first, np.arange(len(codes)), 0)) if len(codes) else np.zeros(0, dtype=int)
    before = np.empty(len(codes), dtype=np.intp)
    before[order] = np.arange(len(codes)) - starts
    return before


def _codes(ids: npt.NDArray[Any]) -> Index:
    """A number for each person; NOBODY where there is no id, or none that can be compared."""
    return told_apart(ids)[0]


def told_apart(ids: npt.NDArray[Any]) -> tuple[Index, list[Any]]:
    """The same, and the ids behind the numbers, in their order."""
    if ids.dtype.kind in QUICK:
        different, codes = np.unique(ids, return_inverse=True)
        return codes.reshape(-1).astype(np.intp), different.tolist()
    seen: dict[Any, int] = {}
    codes = np.array([_code(seen, each) for each in ids.tolist()], dtype=np.intp)
    return codes, list(seen)


def _code(seen: dict[Any, int], each: Any) -> int:
    plain = plain_id(each)
    if plain is None:
        return NOBODY
    return asked(lambda: seen.setdefault(plain, len(seen)), NOBODY)  # an id may have ideas of its own
