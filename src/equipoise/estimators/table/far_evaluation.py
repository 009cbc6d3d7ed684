"""How good a released model is on rows that workers read: each part is predicted for where it lies, and one sum comes
back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.cluster.parts import Parts
from equipoise.estimators.table.labels import labels_of, target_of
from equipoise.estimators.table.spread import crew_for, spread
from equipoise.inside import Private
from equipoise.inside.cluster import sum_spread
from equipoise.inside.design.contract import Array
from equipoise.inside.exact_sums import exactly
from equipoise.inside.tables.evaluation import rights, shares
from equipoise.outside.table.model import TableModel
from equipoise.schema import Classes
from equipoise.schema.tables import Table, read_table
from equipoise.schema.tables.parquet import ParquetFiles


@before_the_debit()
def far_table(model: TableModel, data: Any, engine: Any) -> Parts | None:
    """The table in parts, of persons the rows that are used; None where it is read here."""
    crew = crew_for(data, engine, None)
    return None if crew is None else spread(crew, data, model.encoding)


def sum_of_terms(model: TableModel, parts: Parts) -> Private[Array]:
    """For whoever has paid."""
    return sum_spread(parts.crew, TermsOf(model), parts.tasks, parts.expected, parts.persons)


@before_the_debit()
def mean_of_public(model: TableModel, parts: Parts) -> float:
    """Of rows that need no protection."""
    picks = None if parts.persons is None else parts.persons.picks
    found = parts.crew.measure_public(TermsOf(model), parts.tasks, parts.expected, picks)
    return float(exactly(found) / parts.shape[0])


@dataclass(frozen=True, slots=True)
class TermsOf:
    """One number in [0, 1] for each row of a part.  It is sent to workers."""

    model: TableModel

    def __call__(self, piece: Any) -> Array:
        needed = self.model.schema.needed
        table = piece.table(needed) if isinstance(piece, ParquetFiles) else read_table(piece, needed)
        return terms_of(self.model, table)


def terms_of(model: TableModel, table: Table) -> Array:
    """As they are charged for: labels and predictions settled as in the fit."""
    said, labels, target = model.predict(table), labels_of(table, model.schema), target_of(model.schema)
    if isinstance(target, Classes):
        return rights(said, labels, target.classes)
    return shares(said, labels, *target.bounds)
