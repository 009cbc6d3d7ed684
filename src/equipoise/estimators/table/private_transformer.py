"""What looks at the columns of a table, pays for what it sees, and then encodes by a schema that says so."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from equipoise._checks import SMALLEST, shown
from equipoise._docs import documented
from equipoise.errors import InvalidInput
from equipoise.estimators._account import checked_ledger
from equipoise.estimators._origin import origin_now
from equipoise.estimators._spent import after_the_debit, before_the_debit
from equipoise.estimators._warnings import warn_before_spending
from equipoise.estimators.table.encoder import Encoder
from equipoise.estimators.table.people import neighbours_of, people_of, person_columns
from equipoise.gate import Bits, RandomState, bits_from
from equipoise.inside.strangers import unseen
from equipoise.ledger import Entry, Ledger, LedgerLike
from equipoise.outside import Card
from equipoise.outside.card_words import delta_of
from equipoise.schema import Column, Number, Range, Schema
from equipoise.schema.tables import column_types, read_table
from equipoise.schema.tables.table import Cells
from equipoise.theory.events import Event
from equipoise.theory.guarantees import Guarantee


class TablePlan(Protocol):
    """Everything about the release, before a record is seen."""

    @property
    def event(self) -> Event: ...

    def guarantee(self, seeded: bool) -> Guarantee: ...


class PrivateTransformer(TransformerMixin, BaseEstimator):
    """Abstract.  A final class says which columns it looks at, plans, and states what it found in a schema."""

    schema: Schema
    epsilon: float
    delta: float
    columns: Sequence[str] | None
    norm: float
    ledger: LedgerLike | None
    random_state: RandomState

    data_free = True
    """It looks, and pays for what it sees: safe before a private estimator that is charged to the same ledger."""

    _rows_per_person: int | None = None
    """Of one person, where that is less than the schema's cap."""

    @abstractmethod
    @documented(returns="plan: Print it.")
    def plan(self, n: int) -> TablePlan:
        """Everything about the release for n rows, before any is seen; of persons, those that the cap leaves."""

    @abstractmethod
    def _chosen(self) -> Mapping[str, Column]:
        """The columns to look at."""

    @abstractmethod
    def _found(self, held: dict[str, Cells], plan: Any, entry: Entry, bits: Bits) -> dict[str, Column]:
        """What was released of each of them, as columns of a schema.  No value is an error here."""

    @documented(returns="self: With `schema_` and `guarantee_`.")
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        delimiter: str | None = None,
        encoding: str = "utf-8",
        decimal: str | None = None,
    ) -> Self:
        """Debit the ledger, look at the columns, release.  A schema that names persons protects persons.

        `delimiter`, `encoding` and `decimal` are a CSV file's, as in `eq.fit`.
        """
        before = dict(vars(self))
        try:
            return self._fit(X, {"delimiter": delimiter, "encoding": encoding, "decimal": decimal})
        except BaseException:
            self.__dict__ = before  # a failed fit leaves nothing behind
            raise

    def _fit(self, X: Any, written: dict[str, Any]) -> Self:
        with before_the_debit():
            encoding = Encoder(self.schema, norm=self.norm).encoding
            chosen, given = self._chosen(), checked_ledger(self.ledger)
            looked_at = self.schema.target is not None and self.schema.target.column in chosen
            encoding.check_types(column_types(X, **written), target=looked_at, person=True)
            wanted = (*chosen, *person_columns(self.schema))
            table = read_table(X, wanted, **written, numbers=self.schema.numbers)
            people = people_of(self.schema, table, self._rows_per_person)
            rows = np.arange(len(table)) if people is None else people.rows
            if len(rows) < 1:
                raise InvalidInput("data: has no rows")
            plan, bits = self.plan(len(rows)), bits_from(self.random_state)
            event, promise = plan.event, plan.guarantee(bits.seeded)
        warn_before_spending(self, self.epsilon, delta_of(promise), len(rows), bits.seeded)
        account: LedgerLike = Ledger() if given is None else given
        about = neighbours_of(self.schema)
        with account.reserve(event, label=type(self).__name__, neighbours=about) as entry, unseen():
            with after_the_debit():
                found = self._found({name: table[name][rows] for name in chosen}, plan, entry, bits)
            entry.commit()
        self.schema_ = stating(self.schema, found)
        self.guarantee_, self._origin = promise, origin_now(given)
        return self

    @documented(returns="array or sparse matrix: One row for each row of the table.")
    def transform(self, X: Any) -> Any:
        """Encoded by the schema with what was found."""
        check_is_fitted(self)
        return Encoder(self.schema_, norm=self.norm).transform(X)

    @documented(returns="array of str: One for each encoded column.")
    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the encoded columns."""
        check_is_fitted(self)
        return Encoder(self.schema_).get_feature_names_out()

    @documented(returns="Card: Print it, or take `html()`.")
    def card(self) -> Card:
        """What was promised for what was found; the model fitted afterwards has a card of its own."""
        check_is_fitted(self)
        names, kind = tuple(self._chosen()), type(self).__name__
        return Card(kind, "transformer", len(names), None, self.guarantee_, feature_names=names, origin=self._origin)

    def _together(self) -> int | None:
        """Rows of one person at most; None where the unit is the row."""
        return None if self.schema.person is None else self.schema.person.rows_per_person


def lines_among(schema: Schema, columns: Sequence[str] | None) -> dict[str, Number]:
    """Columns of numbers that are a line without knots, those named or all."""
    every = schema.columns
    names = [name for name in every if _is_line(every[name])] if columns is None else listed(columns)
    found = {name: column for name in names if isinstance(column := every.get(name), Number) and _is_line(column)}
    if not found or len(found) < len(names):
        raise InvalidInput("columns: must be numbers of the schema with shape line and without knots, at least one")
    return found


def listed(columns: object) -> list[str]:
    """The names that a caller gives."""
    flat = isinstance(columns, np.ndarray) and columns.ndim == 0
    names: list[Any] = [None] if isinstance(columns, str) or flat or not isinstance(columns, Iterable) else [*columns]
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"columns={shown(columns)}: must be a list of names of the schema's columns")
    return names


def _is_line(column: object) -> bool:
    return isinstance(column, Number) and column.shape == "line" and not column.knots


def stating(schema: Schema, found: Mapping[str, Column]) -> Schema:
    """The schema with what was found of its columns; of its target, the bounds."""
    target, columns = schema.target, dict(found)
    told = columns.pop(target.column, None) if isinstance(target, Range) else None
    if isinstance(target, Range) and isinstance(told, Number):
        target = replace(target, bounds=told.bounds, source=told.source)
    return replace(schema, columns={**schema.columns, **columns}, target=target)


def with_bounds(column: Number, low: float, high: float, epsilon: float) -> Number:
    """The column with these bounds, and where they are from; as it was where they are too close for a schema."""
    if not high - low >= SMALLEST:
        return column
    missing = column.missing if isinstance(column.missing, str) else min(high, max(low, column.missing))
    return replace(column, bounds=(low, high), missing=missing, source=sourced(column.source, epsilon))


def sourced(source: str, epsilon: float) -> str:
    """Where a fact is from."""
    return f"{source}; found privately for epsilon {float(epsilon):g}".removeprefix("; ")
