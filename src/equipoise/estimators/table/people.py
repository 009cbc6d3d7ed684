"""Whose rows are whose in a table, by its schema; of each person the rows that a public cap leaves."""

from __future__ import annotations

from typing import Any

from equipoise.rows.persons import People, people_in
from equipoise.rows.unseen import unseen
from equipoise.schema import Schema
from equipoise.schema.cells import ids
from equipoise.schema.tables import Table
from equipoise.theory.adjacency import Neighbours, Unit


def person_columns(schema: Schema) -> tuple[str, ...]:
    """The column that names persons, where there is one."""
    return () if schema.person is None else (schema.person.column,)


def people_of(schema: Schema, table: Table, cap: int | None = None) -> People | None:
    """Of each person the first rows, at most the schema's cap or this one; None where the unit is the row.

    How many rows are left is as public as how many there are (docs/proofs/groups.md).
    """
    if schema.person is None:
        return None
    return people_in(ids_of(schema, table), len(table), cap or schema.person.rows_per_person)


def ids_of(schema: Schema, table: Table) -> list[Any]:
    """The id of each row's person; None where it is missing, by the schema's words for that."""
    with unseen():  # an id may be an object with words of its own
        return [each for column in person_columns(schema) for each in ids(table[column], schema.missing_words)]


def neighbours_of(schema: Schema) -> Neighbours:
    """What a release from this table is about."""
    return Neighbours(unit=Unit.ROW if schema.person is None else Unit.PERSON)
