"""Which two data sets count as neighbours, and whose change they differ by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Adjacency(StrEnum):
    """Replace-one: same public size, one record differs.  Add-remove: one record is inserted or deleted.

    Under replace-one a sum of per-record vectors moves by the *diameter* of the set they live in; under
    add-remove by the largest *norm* in it, but the number of records is then itself secret, so every divisor
    and every constant must come from a public nominal size (docs/proofs/sensitivity.md).
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


class Unit(StrEnum):
    """Whose records change: one row's, or all rows of one person."""

    ROW = "row"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What a promise is about.  Promises about different neighbours do not add up until one is converted."""

    adjacency: Adjacency = Adjacency.REPLACE_ONE
    unit: Unit = Unit.ROW

    def __str__(self) -> str:
        return f"{self.adjacency} of one {self.unit}"


ONE_ROW_REPLACED = Neighbours()
