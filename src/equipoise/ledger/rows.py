"""Accounts and entries as rows: the few statements the SQL ledger runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from equipoise.errors import InvalidInput, LedgerFailure, MechanismRefused, UnreadableFile
from equipoise.ledger.ledger import Record, State
from equipoise.ledger.tally import Tally
from equipoise.ledger.terms import Terms
from equipoise.theory.accounting.filters import Prices
from equipoise.theory.accounting.neighbours import as_charged
from equipoise.theory.adjacency import Adjacency, Neighbours, Unit
from equipoise.theory.events import Event, from_dict, to_dict

# Columns in the order in which the checksum takes them; an entry's state is left out because it changes.
# Columns that came later are empty in older rows, and were no part of their checksum.
_ACCOUNT = ("key", "name", "epsilon", "delta", "opened", "adjacency", "unit", "prices")
_ENTRY = ("account", "number", "label", "event", "time", "adjacency", "unit")
_FIRST = 5
_ACCOUNTS = sa.table("equipoise_accounts", *map(sa.column, (*_ACCOUNT, "checksum")))
_ENTRIES = sa.table("equipoise_entries", *map(sa.column, (*_ENTRY, "state", "checksum")))
_STATES: dict[str, State] = {"reserved": "reserved", "committed": "committed"}


@dataclass(frozen=True, slots=True)
class Account:
    """`key` is drawn once: a file put in another's place is not mistaken for it."""

    key: str
    terms: Terms


def find_account(connection: sa.Connection, name: str) -> Account | None:
    """Every account is checked: one whose name is damaged must not be opened anew beside its old self."""
    return read_accounts(connection).get(name)


def read_accounts(connection: sa.Connection) -> dict[str, Account]:
    """Every account by its name, oldest first."""
    return {row.name: _account(row) for row in connection.execute(sa.select(_ACCOUNTS).order_by(_ACCOUNTS.c.opened))}


def insert_account(connection: sa.Connection, name: str, terms: Terms) -> Account:
    """Write a new account with its terms, and a checksum over them."""
    key, opened = uuid4().hex, datetime.now(UTC).isoformat()
    about = terms.neighbours
    values = (key, name, terms.epsilon, terms.delta, opened, str(about.adjacency), str(about.unit), str(terms.prices))
    row = dict(zip(_ACCOUNT, values, strict=True))
    connection.execute(_ACCOUNTS.insert().values(**row, checksum=_checksum(values)))
    return Account(key, terms)


def check_account(connection: sa.Connection, account: Account, *, lock: bool) -> None:
    """Still there, on the same terms.  `lock` holds its row to the end (SQLite holds the whole file instead)."""
    query = sa.select(_ACCOUNTS).where(_ACCOUNTS.c.key == account.key)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None or _account(row) != account:
        raise UnreadableFile("the account is no longer in it, restore the ledger that was opened")


def newer_events(connection: sa.Connection, account: Account, known: Tally) -> Tally:
    """All events as the account counts them, reading only what follows those already `known`."""
    start = max(1, known.entries)  # the last known one is read again: if it is gone, the ledger went backwards
    rows = _rows_from(connection, account.key, start)
    if known.entries > start - 1 + len(rows):
        raise _missing()
    fresh = rows[1:] if known.entries else rows
    return known.plus(_charged(row, account.terms.neighbours) for row in fresh)


def read_records(connection: sa.Connection, key: str) -> tuple[Record, ...]:
    """Every entry of the account in order, each checked against its checksum."""
    return tuple(_record(row) for row in _rows_from(connection, key, 1))


def insert_record(connection: sa.Connection, key: str, record: Record) -> None:
    """Write one entry, with a checksum over everything but its state."""
    event = json.dumps(to_dict(record.event), allow_nan=False)
    about = record.neighbours
    values = (key, record.id, record.label, event, record.time.isoformat(), str(about.adjacency), str(about.unit))
    row = dict(zip(_ENTRY, values, strict=True))
    connection.execute(_ENTRIES.insert().values(**row, state=record.state, checksum=_checksum(values)))


def mark_committed(connection: sa.Connection, key: str, number: int) -> None:
    """Turn a reservation into a debit; refused unless exactly that reservation is there."""
    mine = (_ENTRIES.c.account == key) & (_ENTRIES.c.number == number) & (_ENTRIES.c.state == "reserved")
    if connection.execute(_ENTRIES.update().where(mine).values(state="committed")).rowcount != 1:
        raise LedgerFailure(f"entry={number}: its reservation is no longer in the ledger, nothing was released")


def _rows_from(connection: sa.Connection, key: str, start: int) -> Sequence[sa.Row[Any]]:
    """The entries numbered `start` and up: no gap, no damage."""
    mine = (_ENTRIES.c.account == key) & (_ENTRIES.c.number >= start)
    rows = connection.execute(sa.select(_ENTRIES).where(mine).order_by(_ENTRIES.c.number)).all()
    if [row.number for row in rows] != list(range(start, start + len(rows))):
        raise _missing()
    for row in rows:
        _check(row, _ENTRY)
    return rows


def _checksum(values: Sequence[object]) -> str:
    """Of a row's own public facts; it notices accidents, it does not stop a forger."""
    if all(value is None for value in values[_FIRST:]):  # a row of schema 1
        values = values[:_FIRST]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _check(row: sa.Row[Any], columns: Sequence[str]) -> None:
    try:
        sound = row.checksum == _checksum([getattr(row, column) for column in columns])
    except TypeError:  # SQLite may hold bytes anywhere
        sound = False
    if not sound:
        raise _damaged()


def _account(row: sa.Row[Any]) -> Account:
    _check(row, _ACCOUNT)
    if row.prices is None:  # of schema 1, which knew neither: the safe rule, for the neighbours it was documented for
        return Account(row.key, Terms(row.epsilon, row.delta))
    try:
        return Account(row.key, Terms(row.epsilon, row.delta, _neighbours(row), Prices(row.prices)))
    except ValueError:
        raise UnreadableFile("its rule was written by a newer version, update equipoise") from None


def _neighbours(row: sa.Row[Any]) -> Neighbours:
    """Schema 1 did not note them: the dearer reading is taken, so that no total is too small."""
    if row.adjacency is None:
        return Neighbours(Adjacency.ADD_REMOVE)
    return Neighbours(Adjacency(row.adjacency), Unit(row.unit))


def _charged(row: sa.Row[Any], account: Neighbours) -> Event:
    try:
        return as_charged(_event(row), _neighbours(row), account)
    except MechanismRefused:
        raise UnreadableFile(
            f"entry {row.number} was written by an older version and cannot be converted, make a new account"
        ) from None


def _event(row: sa.Row[Any]) -> Event:
    try:
        return from_dict(json.loads(row.event))
    except (InvalidInput, TypeError, ValueError):
        raise UnreadableFile(f"entry {row.number} was written by a newer version, update equipoise") from None


def _record(row: sa.Row[Any]) -> Record:
    if row.state not in _STATES:
        raise _damaged()
    time = datetime.fromisoformat(row.time)
    return Record(row.number, row.label, _event(row), _STATES[row.state], time, _neighbours(row))


def _missing() -> UnreadableFile:
    return UnreadableFile("entries are missing from it, restore the newest copy")


def _damaged() -> UnreadableFile:
    return UnreadableFile("damaged, restore the newest copy")
