"""Parts of a table: cut at random, without looking at a record, and never through a person's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.errors import InvalidInput
from equipoise.gate import Bits
from equipoise.gate.order import random_order
from equipoise.rows.persons import NOBODY, flat_ids, told_apart
from equipoise.rows.unseen import unseen

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
    with unseen():  # an id may be an object with words of its own
        codes = told_apart(flat_ids(groups, rows).astype(object))[0]  # in order of first appearance
    if np.any(codes == NOBODY):  # missing ids would join strangers or part one person's rows
        raise InvalidInput("groups: one id is missing or cannot be compared, give numbers or words for all rows")
    return Groups(codes, np.bincount(codes).astype(np.intp))


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
