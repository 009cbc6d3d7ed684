"""A schema beside a table: names and types for free; counts of values only for those who may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise._checks import quoted, shown
from equipoise.errors import InvalidInput
from equipoise.schema import cells
from equipoise.schema.columns import Boolean, Category, Column, Date, Number, Ordinal
from equipoise.schema.days import day_in
from equipoise.schema.people import Classes, Range
from equipoise.schema.schema import Schema
from equipoise.schema.tables import Table, column_types, read_table
from equipoise.schema.tables.csv_files import ragged_lines
from equipoise.schema.tables.reading import delimiter_of, is_csv
from equipoise.schema.tables.table import Cells

NOT_PRIVATE = "not private"

GOES_WITH = {
    "number": ("number", "unknown", "text"),
    "category": ("text", "number", "boolean", "unknown"),
    "ordinal": ("text", "number", "unknown"),
    "boolean": ("boolean", "text", "number", "unknown"),
    "date": ("date", "text", "unknown"),
    "text": ("text", "unknown"),
}
"""The types that a kind of column can be read from.  Text may hold numbers: cells that do not are missing."""

UNREADABLE = {
    "other": "of a type that cannot be read (bytes, times)",
    "nested": "of a type that cannot be read (lists, structures)",
}
"""Types whose every cell would count as missing, and what is said of them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One column and the rule it breaks.  `fatal`: a fit would refuse it, by name or type."""

    column: str
    rule: str
    fatal: bool = False

    def __str__(self) -> str:
        return f"column {quoted(self.column)}: {self.rule}"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found.  `private` is false where values were counted: then it must not leave with a model."""

    found: tuple[Finding, ...]
    private: bool = True

    @property
    def ok(self) -> bool:
        """Whether a fit would take this table."""
        return not any(finding.fatal for finding in self.found)

    def __str__(self) -> str:
        head = [] if self.private else ["NOT PRIVATE: counts of records, not to leave with a model"]
        return "\n".join([*head, *(str(finding) for finding in self.found)]) or "names and types agree"


def check(
    schema: Schema,
    table: Any,
    *,
    values: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    decimal: str | None = None,
) -> Findings:
    """Names and types; with `values="not private"` also how many cells would be settled, column by column."""
    if values not in (None, NOT_PRIVATE):
        raise InvalidInput(f'values={shown(values)}: must be None, or "{NOT_PRIVATE}" to count cells')
    written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    found = by_type(schema, column_types(table, **written))
    if values is None or any(finding.fatal for finding in found):
        return Findings(tuple(found))
    held = read_table(table, schema.needed, **written, numbers=schema.numbers)
    return Findings((*found, *_ragged(table, delimiter, encoding), *_counted(schema, held)), private=False)


def by_type(schema: Schema, types: dict[str, str], *, target: bool = True, person: bool = True) -> list[Finding]:
    """What can be said without reading a row; without target and person, of a table to predict for."""
    lacking, needed = "is in the schema but not in the table", schema.needed if target else schema.features
    found = [Finding(name, lacking, fatal=True) for name in needed if name not in types]
    for name, column in schema.columns.items():
        if name in schema.features and name in types and types[name] not in GOES_WITH[column.kind]:
            found.append(Finding(name, f"is a {column.kind} in the schema but {_said(types[name])} in the table", True))
    found += _target_by_type(schema, types) if target else []
    found += _person_by_type(schema, types) if person else []
    named = {*schema.needed, *schema.columns}
    return [*found, *(Finding(name, "is not in the schema, it is ignored") for name in types if name not in named)]


def _target_by_type(schema: Schema, types: dict[str, str]) -> list[Finding]:
    """A target whose every cell would count as missing."""
    if schema.target is None or schema.target.column not in types:
        return []
    name, kind = schema.target.column, types[schema.target.column]
    if kind in UNREADABLE:
        return [Finding(name, f"is the target but {_said(kind)} in the table", fatal=True)]
    if isinstance(schema.target, Range) and kind in ("date", "boolean"):
        return [Finding(name, f"is {kind} but has bounds", fatal=True)]
    if isinstance(schema.target, Classes) and kind == "date":
        return [Finding(name, "is date but has classes, write the classes as words", fatal=True)]
    return []


def _said(kind: str) -> str:
    return UNREADABLE.get(kind, kind)


def _person_by_type(schema: Schema, types: dict[str, str]) -> list[Finding]:
    """A column in which no row would name anybody: nobody's rows would be held to the cap."""
    name = None if schema.person is None else schema.person.column
    if name is None or types.get(name) != "nested":
        return []
    return [Finding(name, f"says whose row it is but is {_said('nested')} in the table, give numbers or words", True)]


def _ragged(table: Any, delimiter: str | None, encoding: str) -> list[Finding]:
    count = ragged_lines(table, delimiter_of(table, delimiter), encoding) if is_csv(table) else 0
    return [Finding("(all)", f"{count} lines have another number of cells than the header")] if count else []


def _counted(schema: Schema, table: Table) -> list[Finding]:
    found = [
        Finding(name, f"{count} cells {what}")
        for name in schema.features
        for what, count in _settled(schema.columns[name], table[name], schema.missing_words).items()
        if count
    ]
    return [*found, *_counted_target(schema, table)]


def _settled(column: Column, held: Cells, missing: tuple[str, ...]) -> dict[str, int]:
    """How many cells are not as they are read."""
    match column:
        case Number():
            return _outside(cells.numbers(held, missing), *column.bounds)
        case Category() | Ordinal():
            places = cells.places(held, column.values, missing)
            return {"are not listed": int((places == -1).sum()), "are missing": int((places == -2).sum())}
        case Boolean():
            unread = np.isnan(cells.truths(held, column.yes, column.no, missing))
            return {"are missing or no word for true or false": int(unread.sum())}
        case Date():
            low, high = (day_in(day) for day in column.bounds)
            return _outside(cells.days(held, missing, column.format), low, high)
        case _:
            return {}


def _outside(numbers: cells.Array, low: float, high: float) -> dict[str, int]:
    return {
        "are missing or cannot be read": int(np.isnan(numbers).sum()),
        "are outside the bounds and clipped": int(((numbers < low) | (numbers > high)).sum()),
    }


def _counted_target(schema: Schema, table: Table) -> list[Finding]:
    target = schema.target
    if target is None:
        return []
    held = table[target.column]
    if isinstance(target, Classes):
        odd = int((cells.places(held, target.classes, schema.missing_words) < 0).sum())
        return [Finding(target.column, f"{odd} cells are none of the classes and count as the first")] if odd else []
    counts = _outside(cells.numbers(held, schema.missing_words), *target.bounds)
    return [Finding(target.column, f"{count} cells {what}") for what, count in counts.items() if count]
