"""The public facts of a table, as one frozen value: from Python, from a dictionary, or from YAML."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from equipoise._checks import quoted
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.schema import rules
from equipoise.schema.columns import KINDS, Column, Ignored, Number
from equipoise.schema.people import Person, Range, Target

if TYPE_CHECKING:
    from equipoise.schema.check import Findings

MISSING_WORDS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
"""Cells that hold nothing, unless a column lists them as a value."""


@dataclass(frozen=True, slots=True, repr=False)
class Schema:
    """What is public about a table: every column's kind and bounds, the target, and whom the guarantee protects.

    State what is known without the table: a bound or a list of values that was found in it is a leak.  Columns of the
    table that the schema does not name are ignored; columns that it names must be there.  docs/reference/schema.md
    has every field.

    Parameters
    ----------
    columns : mapping of names to columns
        `Number`, `Category`, `Ordinal`, `Boolean`, `Date`, `Text` or `Ignored`, in the order of the encoded table.
    target : Classes or Range, optional
        What is learnt.  Without one the schema only encodes.
    person : Person, optional
        Whose rows are protected together.  Without one, each row is a person's only one.
    missing_words : sequence of str
        Cells that hold nothing.
    about : str
        Free text, such as where the table comes from.

    Examples
    --------
    >>> import equipoise as eq
    >>> schema = eq.Schema.from_dict({
    ...     "target": {"column": "ill", "classes": ["no", "yes"]},
    ...     "columns": {"age": {"kind": "number", "bounds": [0, 110], "unit": "years"},
    ...                 "sex": {"kind": "category", "values": ["f", "m"]}},
    ... })
    >>> schema.features
    ('age', 'sex')
    """

    columns: Mapping[str, Column]
    target: Target | None = None
    person: Person | None = None
    missing_words: tuple[str, ...] = MISSING_WORDS
    about: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping):
            raise InvalidInput("columns: must be a mapping of column names to what they hold")
        for name, column in self.columns.items():
            if not isinstance(name, str) or not name.strip():
                raise InvalidInput(f"columns: the name {quoted(name)} must be text, put quotes around it")
            if type(column) not in KINDS.values():
                kinds = ", ".join(each.__name__ for each in KINDS.values())
                raise InvalidInput(f"column {quoted(name)}: must be one of {kinds}")
        object.__setattr__(self, "columns", dict(self.columns))
        object.__setattr__(self, "missing_words", _words(self.missing_words))
        rules.text(self.about, "about")
        _check_roles(self)
        rules.check_writable(self.to_dict())

    def __repr__(self) -> str:
        target = "" if self.target is None else f", target {self.target.column!r}"
        return f"Schema({len(self.columns)} columns{target})"

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that a model learns from, in order."""
        return tuple(name for name, column in self.columns.items() if not isinstance(column, Ignored))

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that a table to learn from must have."""
        roles = [each.column for each in (self.target, self.person) if each is not None]
        return (*self.features, *(name for name in roles if name not in self.features))

    @property
    def numbers(self) -> tuple[str, ...]:
        """The columns that hold numbers, the target's among them where it has bounds."""
        found = [name for name, column in self.columns.items() if isinstance(column, Number)]
        return (*found, self.target.column) if isinstance(self.target, Range) else tuple(found)

    @classmethod
    @documented(returns="Schema: Checked.")
    def load(cls, path: str | os.PathLike[str]) -> Schema:
        """From a YAML (or JSON) file; `UnreadableFile` or `InvalidInput` says what is wrong with it, on one line."""
        from equipoise.schema.files import load

        return load(path)

    @classmethod
    @documented(returns="Schema: Checked.")
    def from_dict(cls, fields: Mapping[str, Any]) -> Schema:
        """From plain data, as YAML gives it."""
        from equipoise.schema.plain import from_plain

        return from_plain(fields)

    @documented(returns="dict: As YAML would hold it.")
    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back; what is as usual is left out."""
        from equipoise.schema.plain import to_plain

        return to_plain(self)

    @documented()
    def save(self, path: str | os.PathLike[str]) -> None:
        """As YAML.  The old file stays whole until the new one is on the disk."""
        from equipoise.schema.files import save

        save(self, path)

    @staticmethod
    @documented(returns="str: YAML, with a blank for everything that a person has to state.")
    def template(types: Mapping[str, str], *, target: str | None = None, person: str | None = None) -> str:
        """YAML for a person to fill in, from the names and types of columns and nothing else.

        `types` maps each column to "number", "text", "boolean", "date" or "unknown" (a CSV file has no types);
        `equipoise.schema.tables.column_types` gives it for a file or a data frame.
        """
        from equipoise.schema.template import template

        return template(types, target=target, person=person)

    @documented(returns="Findings: A line for each thing that does not agree.")
    def check(
        self,
        table: Any,
        *,
        values: str | None = None,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        decimal: str | None = None,
    ) -> Findings:
        """Compare names and types with a file or a table.  No value is looked at, so the answer is free.

        `values="not private"` also counts what an encoder would clip, call other or take as missing.  Those counts are
        about the records: they must not leave with a model.
        """
        from equipoise.schema.check import check

        return check(self, table, values=values, delimiter=delimiter, encoding=encoding, decimal=decimal)


def _words(words: Any) -> tuple[str, ...]:
    if isinstance(words, str) or not isinstance(words, list | tuple) or any(not isinstance(w, str) for w in words):
        raise InvalidInput("missing_words: must be a list of words")
    return tuple(dict.fromkeys(word.strip() for word in words))


def _check_roles(schema: Schema) -> None:
    """Target and person are columns of their own, and something is left to learn from."""
    if not isinstance(schema.target, Target | None):
        raise InvalidInput("target: must be Classes or Range")
    if not isinstance(schema.person, Person | None):
        raise InvalidInput("person: must be a Person")
    for role, what in (("target", schema.target), ("person", schema.person)):
        column = None if what is None else schema.columns.get(what.column)
        if what is not None and column is not None and not isinstance(column, Ignored):
            raise InvalidInput(f"{role} {quoted(what.column)}: must not be listed under columns as well")
    if schema.target is not None and schema.person is not None and schema.target.column == schema.person.column:
        raise InvalidInput(f"person {quoted(schema.person.column)}: is the target's column")
    if not schema.features:
        raise InvalidInput("columns: list at least one that is not ignored")
