"""The tables, as a list of named steps.  Steps are only ever added; the database remembers which were taken.

The schema number is the number of steps taken.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import sqlalchemy as sa

from equipoise.errors import UnreadableFile

_TAKEN = "equipoise_migrations"


def _accounts_and_entries(connection: sa.Connection) -> None:
    """An entry's number is unique in its account: this alone makes two overlapping reservations impossible."""
    tables = sa.MetaData()
    sa.Table(
        "equipoise_accounts",
        tables,
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("epsilon", sa.Double),
        sa.Column("delta", sa.Double, nullable=False),
        sa.Column("opened", sa.String(40), nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False),
    )
    sa.Table(
        "equipoise_entries",
        tables,
        sa.Column("account", sa.String(32), sa.ForeignKey("equipoise_accounts.key"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("time", sa.String(40), nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False),
    )
    tables.create_all(connection)


def _neighbours_and_prices(connection: sa.Connection) -> None:
    """Whom an account protects, how it adds up, and for whom each event was planned; empty in older rows."""
    for table, columns in (("accounts", ("adjacency", "unit", "prices")), ("entries", ("adjacency", "unit"))):
        for column in columns:
            connection.exec_driver_sql(f"ALTER TABLE equipoise_{table} ADD COLUMN {column} VARCHAR(40)")


MIGRATIONS: tuple[tuple[str, Callable[[sa.Connection], None]], ...] = (
    ("0001 accounts and entries", _accounts_and_entries),
    ("0002 neighbours and prices", _neighbours_and_prices),
)


def exists(connection: sa.Connection) -> bool:
    """Has this database ever held a ledger?"""
    return sa.inspect(connection).has_table(_TAKEN)


def is_current(connection: sa.Connection) -> bool:
    """False when steps are missing; raises UnreadableFile when there are steps this version does not know."""
    taken = connection.execute(_select_names()).scalars().all()
    known = [name for name, _ in MIGRATIONS]
    if list(taken) != known[: len(taken)]:
        raise UnreadableFile(
            f"schema {len(taken)} was written by a newer version (this one reads up to {len(known)}), update equipoise"
        )
    return len(taken) == len(known)


def refuse_other(connection: sa.Connection) -> None:
    """The database may have been changed by another version since it was opened."""
    if not is_current(connection):
        raise UnreadableFile("an older schema, open it again with SQLLedger(path) to bring it up to date")


def upgrade(connection: sa.Connection) -> None:
    """Take every step that has not been taken, within the caller's transaction."""
    _table().create(connection, checkfirst=True)
    is_current(connection)
    taken = set(connection.execute(_select_names()).scalars())
    for name, step in MIGRATIONS:
        if name not in taken:
            step(connection)
            connection.execute(_table().insert().values(name=name, time=datetime.now(UTC).isoformat()))


def _table() -> sa.Table:
    return sa.Table(
        _TAKEN,
        sa.MetaData(),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("time", sa.String(40), nullable=False),
    )


def _select_names() -> sa.Select[str]:
    table = _table()
    return sa.select(table.c.name).order_by(table.c.name)
