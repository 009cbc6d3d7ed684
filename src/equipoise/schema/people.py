"""The target of a model, and whom its guarantee protects."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.errors import InvalidInput
from equipoise.schema import rules

MOST_ROWS = 1_000_000
"""Of one person."""


@dataclass(frozen=True, slots=True)
class Classes:
    """A target that is one of a list of classes, in the order of the model's `classes_`."""

    column: str
    classes: tuple[rules.Value, ...]
    source: str = ""

    def __post_init__(self) -> None:
        rules.column_name(self.column)
        object.__setattr__(self, "classes", rules.values_list(self.classes, "classes", fewest=2))
        rules.text(self.source, "source")


@dataclass(frozen=True, slots=True)
class Range:
    """A target that is a number within public bounds, clipped to them; a missing one is their middle."""

    column: str
    bounds: tuple[float, float]
    unit: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        rules.column_name(self.column)
        object.__setattr__(self, "bounds", rules.bounds_pair(self.bounds))
        rules.text(self.unit, "unit")
        rules.text(self.source, "source")


Target = Classes | Range


@dataclass(frozen=True, slots=True)
class Person:
    """The column that says whose row it is, and how many rows of one person count at most: the unit of privacy."""

    column: str
    rows_per_person: int
    source: str = ""

    def __post_init__(self) -> None:
        rules.column_name(self.column)
        if rules.unfilled(self.rows_per_person) or self.rows_per_person is None:
            raise InvalidInput("rows_per_person: say how many rows of one person count at most")
        rules.whole_number(self.rows_per_person, "rows_per_person", 1, MOST_ROWS)
        rules.text(self.source, "source")
