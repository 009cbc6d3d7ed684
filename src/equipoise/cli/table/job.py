"""What plan, fit and tune have in common: a schema, a table, an estimator, an account."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise._checks import quoted, whole
from equipoise.cli import screen
from equipoise.cli.ledger import file_of, opened
from equipoise.cli.table import words
from equipoise.errors import BoundsRequired, BudgetExhausted, InvalidInput
from equipoise.estimators._spent import before_the_debit
from equipoise.estimators.linear.base import PrivateLinear
from equipoise.estimators.table.people import people_of
from equipoise.estimators.table.planning import Prospect, plan_fit
from equipoise.ledger import SQLLedger
from equipoise.outside.pages import readable
from equipoise.schema import Schema
from equipoise.schema.tables import Table, read_table
from equipoise.schema.tables.parquet import ParquetFiles, is_parquet, open_parquet
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import Event


@dataclass(frozen=True, slots=True)
class Job:
    """What the command line said."""

    schema: Path
    epsilon: float
    delta: float = 0.0
    data: Path | None = None
    rows: int | None = None
    estimator: str | None = None
    settings: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str = "utf-8"
    ledger: str | None = None
    account: str = "default"
    no_ledger: bool = False
    as_json: bool = False
    kind: str = "linear"
    """Of model: linear or additive."""
    decimal: str | None = None

    def facts(self) -> Schema:
        """The schema in the file."""
        return Schema.load(self.schema)

    @property
    def written(self) -> dict[str, Any]:
        """What a CSV file does not say of itself."""
        return {"delimiter": self.delimiter, "encoding": self.encoding, "decimal": self.decimal}

    @property
    def reads(self) -> tuple[Path | None, ...]:
        """The files it is about, which nothing that is written may replace."""
        return self.data, self.schema, None if self.ledger is None else file_of(self.ledger)

    def table(self, facts: Schema) -> Table | ParquetFiles:
        """The columns that the schema names, after names and types were compared; of Parquet no row is read yet, unless
        the rows of persons must be counted."""
        with before_the_debit():
            found = facts.check(self.data, **self.written)
        fatal = [each for each in found.found if each.fatal]
        if fatal:
            raise InvalidInput(f"{self.data}: {fatal[0]}; nothing was spent, see: equipoise schema check")
        with before_the_debit():
            if is_parquet(self.data) and facts.person is None:
                return open_parquet(self.data)
            return read_table(self.data, facts.needed, **self.written, numbers=facts.numbers)

    def filled(self, facts: Schema) -> Table | ParquetFiles:
        """The same, of at least two rows, where their number is public."""
        table = self.table(facts)
        screen.note_of_commas(self.data, facts, self.delimiter, self.decimal)
        if len(table) < 2 and not is_secret(self.model()):
            held = "one row, at least two are needed" if len(table) else "no rows"
            raise InvalidInput(f"{self.data}: holds {held} to learn from; nothing was spent")
        return table

    def used(self, facts: Schema, table: Table | ParquetFiles) -> int:
        """Rows that a fit learns from: of each person, those that the schema's cap leaves."""
        people = people_of(facts, table) if isinstance(table, Table) else None
        return len(table) if people is None else len(people.rows)

    def model(self) -> PrivateLinear | None:
        """The estimator by its name with its settings; None for the usual one as it is."""
        if self.estimator is None and not self.settings:
            return None
        if self.estimator is None:
            raise InvalidInput("set: name the estimator these settings are for with --estimator")
        return made(self.estimator, words.settings(self.settings))

    def how(self) -> dict[str, Any]:
        """What `fit` and a plan are told of the model."""
        return {"model": self.kind, "estimator": self.model()}

    def debtor(self) -> SQLLedger | None:
        """The account, which must exist; none only if that was asked for by name."""
        if (self.ledger is None) != self.no_ledger:
            raise InvalidInput(
                "ledger: give --ledger with a ledger that exists (equipoise ledger new makes one), or --no-ledger"
            )
        return None if self.ledger is None else opened(self.ledger, self.account)

    def prospect(self, facts: Schema, rows: int) -> Prospect:
        """What a fit on so many rows would be."""
        return plan_fit(facts, public_size(self.model(), rows), self.epsilon, self.delta, **self.how())


def made(name: str, settings: dict[str, Any]) -> PrivateLinear:
    """One of our estimators."""
    import equipoise

    found: Any = getattr(equipoise, name, None) if name in equipoise.__all__ else None
    if not _is_estimator(found):
        known = [each for each in equipoise.__all__ if _is_estimator(getattr(equipoise, each))]
        raise InvalidInput(f"estimator={quoted(name)}: must be one of {', '.join(known)}")
    try:
        model: PrivateLinear = found(**settings)
    except TypeError:
        options = ", ".join(sorted(found().get_params()))
        raise InvalidInput(f"set: {name} has the settings {options}") from None
    return model


def _is_estimator(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, PrivateLinear) and value._by_schema


def is_secret(model: PrivateLinear | None) -> bool:
    """Whether nobody may be told the number of rows."""
    return model is not None and model._adjacency() is not Adjacency.REPLACE_ONE


def public_size(model: PrivateLinear | None, rows: int) -> int:
    """The number of rows where that is public; under add-remove the size the caller states."""
    if model is None or not is_secret(model):
        return rows
    if model.public_n is None:
        raise BoundsRequired("public_n: add-remove keeps the number of rows secret, give --set public_n=a nominal size")
    return whole(public_n=model.public_n)


def neighbours_of(prospect: Prospect) -> Neighbours:
    """What the plan is about: one row, or all rows of a person."""
    unit = Unit.ROW if prospect.encoding.schema.person is None else Unit.PERSON
    return Neighbours(prospect.plan.facts.adjacency, unit)


def refuse_too_dear(account: SQLLedger | None, prospect: Prospect) -> None:
    """Before the question, so that nobody says yes to what cannot be paid."""
    refuse_event(account, prospect.plan.event, neighbours_of(prospect), prospect.plan.budget.epsilon)


def refuse_event(account: SQLLedger | None, event: Event, about: Neighbours, epsilon: float) -> None:
    """What an account has no room for, or is not about."""
    with before_the_debit():
        if account is None or account.fits(event, about):
            return
        left = account.remaining()
        room = "" if left is None else f" (ε = {readable(left.epsilon, 4)} is left)"
        raise BudgetExhausted(f"epsilon={epsilon:g}: exceeds what the ledger has left{room}")
