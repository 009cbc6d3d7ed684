"""A schema to fill in, made of names and types alone: what the cells hold, a person has to say."""

from __future__ import annotations

import math
from collections.abc import Mapping

from equipoise._checks import one_of, quoted
from equipoise.errors import InvalidInput
from equipoise.schema.files import written
from equipoise.schema.rules import TO_FILL
from equipoise.schema.tables.types import TYPES

HEAD = """\
# Public facts about a table, for equipoise.  Replace every "fill in", then: equipoise schema check
#
# Bounds, classes and values are left to you because they must be known without looking at this table: from a code
# book, a form, the law, physiology.  The smallest age found in the table is some person's age.  Values outside the
# bounds are clipped, values that are not listed are "other", so be generous rather than exact.
# Say under `source:` where each fact comes from; it is printed on the model's card.
"""

LONGEST_KEY = 1000
"""Beyond 1024 characters YAML does not take what it reads for a key."""

KIND_HELP = "number, category, ordinal, boolean, date, text or ignored"

LINES: Mapping[str, tuple[str, ...]] = {
    "number": (
        "kind: number",
        f"bounds: [{TO_FILL} low, {TO_FILL} high]",
        'unit: ""',
        "# scale: linear, log, log1p or knots;  missing: middle, indicator or a number",
    ),
    "text": (
        "kind: category  # or ordinal, boolean, date, text, ignored",
        f"values: [{TO_FILL}]  # what is not listed is other",
        "# missing: other, indicator or one of the values",
    ),
    "boolean": ("kind: boolean", "# missing: middle, indicator, true or false"),
    "date": (
        "kind: date",
        f"bounds: [{TO_FILL} first day, {TO_FILL} last day]",
        "# parts: [time, year, month, weekday, day];  missing: middle, indicator or a date",
    ),
    "other": ("kind: ignored  # bytes and times cannot be read, write numbers or words to learn from it",),
    "nested": ("kind: ignored  # lists and structures cannot be read, write numbers or words to learn from it",),
    "unknown": (
        f"kind: {TO_FILL}  # {KIND_HELP}",
        f"# bounds: [{TO_FILL} low, {TO_FILL} high]  # of a number or a date",
        f"# values: [{TO_FILL}]  # of a category or ordinal; what is not listed is other",
        '# format: "%d.%m.%Y"  # of a date that is not written 2024-12-31',
    ),
}


def template(types: Mapping[str, str], *, target: str | None = None, person: str | None = None) -> str:
    """YAML with a blank wherever a person has to say something; `Schema.load` names each one that is left."""
    for role, name in (("target", target), ("person", person)):
        if name is not None and name not in types:
            raise InvalidInput(f"{role}={quoted(name)}: the table has no such column")
    for name, kind in types.items():
        one_of(TYPES, **{f"type of {name}": kind})
    parts = [HEAD, "equipoise-schema: 1", f'about: ""  # {TO_FILL}: what the table is, and where it comes from', ""]
    parts += _target(target, "unknown" if target is None else types[target])
    parts += _person(person)
    parts.append("columns:")
    for name, kind in types.items():
        if name not in (target, person) and name.strip():  # what has no name, such as a row's number, is left out
            parts += [*_heading(name), *(f"    {line}" for line in (*LINES[kind], 'source: ""'))]
    return "\n".join(parts) + "\n"


def _target(name: str | None, kind: str) -> list[str]:
    classes, bounds = f"classes: [{TO_FILL}]", f"bounds: [{TO_FILL} low, {TO_FILL} high]"
    said = {"number": [bounds, "# or classes: [...]"], "boolean": ["classes: [false, true]"]}
    lines = said.get(kind, [f"{classes}  # or {bounds}, for a number"])
    column = f"{TO_FILL}  # the column to predict" if name is None else _key(name)
    return ["target:", f"  column: {column}", *(f"  {line}" for line in lines), '  source: ""', ""]


def _person(name: str | None) -> list[str]:
    if name is None:
        return ["# person:  # if one person may have several rows", "#   column: ...", "#   rows_per_person: ...", ""]
    rows = f"  rows_per_person: {TO_FILL}  # how many rows of one person count at most"
    return ["person:", f"  column: {_key(name)}", rows, '  source: ""', ""]


def _heading(name: str) -> list[str]:
    """A key with its colon; on a line of its own where YAML would not look that far for the colon."""
    key = _key(name)
    return [f"  {key}:"] if len(key) < LONGEST_KEY else [f"  ? {key}", "  :"]


def _key(name: str) -> str:
    """On one line, quoted where YAML would read something else."""
    return written(name, width=math.inf).removesuffix("...\n").removesuffix("\n") if name else '""'
