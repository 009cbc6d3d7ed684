"""Parts of a table: cut at random, without looking at a record, and never through a person's rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.gate import Bits
from equipoise.gate.order import random_order

Index = npt.NDArray[np.intp]

ROW_UNIT = "the unit of privacy is the row: give groups= to fit when a person may have several"


@dataclass(frozen=True, slots=True)
class Groups:
    """Whose rows are whose.  The partition is public: who is in which row is not, and is not kept."""

    codes: Index
    """For each row the number of its group, 0, 1, 2 and so on in order of first appearance."""
    sizes: Index

    @property
    def largest(self) -> int:
        """Rows of the group that has the most: how many records one person can change at most."""
        return int(self.sizes.max())

    @property
    def unit(self) -> str:
        """What the guarantee speaks of."""
        return f"one group of at most {self.largest} rows"


def groups_from(groups: Any, rows: int) -> Groups | None:
    """One id for each row, anything that can be told apart; None for none."""
    if groups is None:
        return None
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable) or getattr(groups, "ndim", 1) != 1:
        raise InvalidInput("groups: must be a flat list with one id for each row")
    ids = groups.tolist() if isinstance(groups, np.ndarray) else list(groups)
    if len(ids) != rows:
        raise InvalidInput(f"groups: must have one id for each of the {rows} rows")
    if not all(isinstance(each, Hashable) and _is_known(each) for each in ids):
        raise InvalidInput("groups: one id is missing or cannot be compared, give numbers or words for all rows")
    return _numbered(ids)


def split_rows(sizes: Sequence[int], groups: Groups | None, bits: Bits) -> list[Index]:
    """Positions of the rows of each part: a random order, cut.  It knows the number of rows and the groups alone.

    With groups the order is one of groups and each cut is moved to the nearest end of a group, so the sizes that
    come out, which are public like the groups, may differ from those asked for: plan with the ones that came out.
    """
    ends = np.cumsum(sizes)
    if groups is None:
        order = random_order(int(ends[-1]), bits)
        return [np.sort(part) for part in np.split(order, ends[:-1])]
    drawn = random_order(len(groups.sizes), bits)
    borders = np.concatenate([[0], np.cumsum(groups.sizes[drawn])])
    cuts = [int(np.argmin(np.abs(borders - end))) for end in ends]
    part_of = np.empty(len(drawn), dtype=np.intp)
    part_of[drawn] = np.searchsorted(cuts, np.arange(len(drawn)), side="right")
    return [np.flatnonzero(part_of[groups.codes] == place) for place in range(len(sizes))]


def _is_known(each: Any) -> bool:
    """Missing ids would join strangers or part one person's rows."""
    try:
        return each is not None and bool(each == each)
    except (TypeError, ValueError):
        return False


def _numbered(ids: list[Any]) -> Groups:
    seen: dict[Any, int] = {}
    try:
        codes = np.array([seen.setdefault(each, len(seen)) for each in ids], dtype=np.intp)
    except TypeError:
        codes = None
    if codes is None:  # outside the handler, whose message may show an id
        raise InvalidInput("groups: one id cannot be compared, give numbers or words for all rows")
    return Groups(codes, np.bincount(codes).astype(np.intp))
