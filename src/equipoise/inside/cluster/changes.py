"""How records that workers keep differ from what they were brought in as: workers are told with every sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equipoise.inside.design.contract import Array
from equipoise.inside.records import Records
from equipoise.theory.bounds import Bounds


@dataclass(frozen=True, slots=True)
class Ending:
    """Rows end with this constant."""

    constant: float

    def __call__(self, part: Records) -> Records:
        return part.ending_with(self.constant)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels are in units of other bounds."""

    before: Bounds
    after: Bounds

    def __call__(self, part: Records) -> Records:
        return part.labelled(self.before, self.after)


Change = Ending | Labelled


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Changed:
    """What a sum says of the records of a part after these changes."""

    of: Callable[[Records], Array]
    changes: tuple[Change, ...]

    def __call__(self, part: Records) -> Array:
        for change in self.changes:
            part = change(part)
        return self.of(part)
