"""Accounts and entries as rows: the few statements the SQL ledger runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from equipoise.errors import InvalidInput, LedgerFailure, UnreadableFile
from equipoise.ledger.ledger import Record, State
from equipoise.ledger.limits import Terms
from equipoise.theory.events import Event, from_dict, to_dict

_ACCOUNTS = sa.table("equipoise_accounts", *map(sa.column, ("key", "name", "epsilon", "delta", "opened")))
_ENTRIES = sa.table(
    "equipoise_entries", *map(sa.column, ("account", "number", "label", "event", "state", "time"))
)
_STATES: dict[str, State] = {"reserved": "reserved", "committed": "committed"}


@dataclass(frozen=True, slots=True)
class Account:
    """`key` is drawn once: a file put in another's place is not mistaken for it."""

    key: str
    terms: Terms


def find_account(connection: sa.Connection, name: str) -> Account | None:
    row = connection.execute(sa.select(_ACCOUNTS).where(_ACCOUNTS.c.name == name)).one_or_none()
    return None if row is None else Account(row.key, _terms(row))


def insert_account(connection: sa.Connection, name: str, terms: Terms) -> Account:
    account = Account(uuid4().hex, terms)
    opened = datetime.now(UTC).isoformat()
    values = {"key": account.key, "name": name, "epsilon": terms.epsilon, "delta": terms.delta, "opened": opened}
    connection.execute(_ACCOUNTS.insert().values(values))
    return account


def check_account(connection: sa.Connection, account: Account, *, lock: bool) -> None:
    """Still there, on the same terms.  `lock` holds its row to the end (SQLite holds the whole file instead)."""
    query = sa.select(_ACCOUNTS).where(_ACCOUNTS.c.key == account.key)
    row = connection.execute(query.with_for_update() if lock else query).one_or_none()
    if row is None or _terms(row) != account.terms:
        raise UnreadableFile("the account is no longer in it, restore the ledger that was opened")


def newer_events(connection: sa.Connection, key: str, known: Sequence[Event]) -> tuple[Event, ...]:
    """All events of the account, reading only what follows those already `known`."""
    start = max(1, len(known))  # read the last known one again: if it is gone, the ledger went backwards
    query = _of(key).where(_ENTRIES.c.number >= start).order_by(_ENTRIES.c.number)
    rows = connection.execute(query).all()
    _check_numbers([row.number for row in rows], start, at_least=len(known))
    fresh = rows[1:] if known else rows
    return (*known, *(_event(row) for row in fresh))


def read_records(connection: sa.Connection, key: str) -> tuple[Record, ...]:
    rows = connection.execute(_of(key).order_by(_ENTRIES.c.number)).all()
    _check_numbers([row.number for row in rows], 1, at_least=0)
    return tuple(_record(row) for row in rows)


def insert_record(connection: sa.Connection, key: str, record: Record) -> None:
    connection.execute(
        _ENTRIES.insert().values(
            account=key,
            number=record.id,
            label=record.label,
            event=json.dumps(to_dict(record.event), allow_nan=False),
            state=record.state,
            time=record.time.isoformat(),
        )
    )


def mark_committed(connection: sa.Connection, key: str, number: int) -> None:
    mine = (_ENTRIES.c.account == key) & (_ENTRIES.c.number == number) & (_ENTRIES.c.state == "reserved")
    if connection.execute(_ENTRIES.update().where(mine).values(state="committed")).rowcount != 1:
        raise LedgerFailure(f"entry={number}: its reservation is no longer in the ledger, nothing was released")


def _of(key: str) -> sa.Select[Any]:
    return sa.select(_ENTRIES).where(_ENTRIES.c.account == key)


def _check_numbers(numbers: list[int], start: int, at_least: int) -> None:
    whole = numbers == list(range(start, start + len(numbers)))
    if not whole or start + len(numbers) - 1 < at_least:
        raise UnreadableFile("entries are missing from it, restore the newest copy")


def _terms(row: sa.Row[Any]) -> Terms:
    try:
        return Terms(row.epsilon, row.delta)
    except InvalidInput:
        raise _damaged() from None


def _event(row: sa.Row[Any]) -> Event:
    try:
        data = json.loads(row.event)
    except (ValueError, TypeError):
        raise _damaged() from None
    if not isinstance(data, dict):
        raise _damaged()
    try:
        return from_dict(data)
    except InvalidInput:
        raise UnreadableFile(
            f"entry {row.number} is damaged or was written by a newer version, update equipoise"
        ) from None


def _record(row: sa.Row[Any]) -> Record:
    try:
        state, time = _STATES[row.state], datetime.fromisoformat(row.time)
    except (KeyError, ValueError, TypeError):
        raise _damaged() from None
    if not isinstance(row.label, str):
        raise _damaged()
    return Record(row.number, row.label, _event(row), state, time)


def _damaged() -> UnreadableFile:
    return UnreadableFile("damaged, restore the newest copy")
