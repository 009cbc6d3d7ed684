"""Who is paired with whom: by positions around a ring, the same number of partners for each, public."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.errors import InvalidInput

Places = npt.NDArray[np.intp]

MOST_NUMBERS = 2**23
"""Of the rows of all pairs, stored in full: 64 megabytes."""


@dataclass(frozen=True, slots=True)
class Ring:
    """`records` positions, each paired with the next ones around: `partners` in all, those before it included."""

    records: int
    partners: int

    def __post_init__(self) -> None:
        if whole(records=self.records) < 2:
            raise InvalidInput("X: holds 1 sample (n_samples=1), a pair needs 2")
        if whole(partners=self.partners) > self.records - 1:
            raise InvalidInput(f"partners={self.partners}: there are only {self.records - 1} others")
        if self.partners % 2 and self.partners < self.records - 1:
            raise InvalidInput(f"partners={self.partners}: must be even, as many before as behind, or all others")

    @classmethod
    def usual(cls, records: int, columns: int) -> Ring:
        """All others, or as many as keep the rows of all pairs small enough to store."""
        room = MOST_NUMBERS // max(1, columns)
        if records <= 3 or records * (records - 1) // 2 <= room:
            return cls(records, max(1, records - 1))
        return cls(records, 2 * max(1, min(room // records, (records - 1) // 2)))

    @property
    def pairs(self) -> int:
        return self.records * self.partners // 2

    def sides(self) -> tuple[Places, Places]:
        """The first and the second position of each pair; every pair once."""
        first = np.arange(self.records)
        steps = range(1, self.partners // 2 + 1)
        left, right = [first for _ in steps], [(first + step) % self.records for step in steps]
        if self.partners % 2:  # everybody is paired with everybody, and an even number has an opposite
            half = first[: self.records // 2]
            left.append(half)
            right.append(half + self.records // 2)
        return np.concatenate(left), np.concatenate(right)
