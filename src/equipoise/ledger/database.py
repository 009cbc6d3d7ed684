"""Transactions on the ledger's database, and its failures said in one line."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import sqlalchemy as sa

from equipoise.errors import LedgerFailure, UnreadableFile, UnreadableLedger
from equipoise.ledger import migrations
from equipoise.ledger.place import Place, connect_file, sync_folder

# SQLite's troubles that say nothing against the file itself: busy, locked, read-only, disk full, and the like.
_PASSING = frozenset(
    (
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
    )
)


_UPGRADING = 0x65715F6C6564  # any number will do, as long as every version of this library takes the same


class NumberTaken(Exception):
    """Another process wrote this row first: read again and retry."""


class Database:
    """One database as this process sees it.

    Every transaction opens its own connection.  Nothing is pooled, so nothing can be inherited by a forked child
    or go stale; reserving waits for a disk anyway.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._process = os.getpid()
        self._engine = self._make_engine()

    def prepare(self, *, create: bool) -> None:
        """Check what is there and bring it up to date; make what is missing only if told to."""
        file = self.place.file
        if file is not None and not file.exists():
            if not create:
                raise self._absent()
            _create(file)
        with self.transaction(writes=False) as connection:
            if file is not None:
                _check_file(connection)
            there = migrations.exists(connection)
            if there and migrations.is_current(connection):
                return
        if not there and not create:
            raise self._absent()
        self.upgrade()

    def _absent(self) -> UnreadableFile:
        return UnreadableFile(
            f"ledger {self.place}: does not exist; check path and folder, or give epsilon to make it"
            " (epsilon=math.inf for an account without limit)"
        )

    def upgrade(self) -> None:
        with self.transaction(writes=True) as connection:
            if connection.dialect.name == "postgresql":  # else two processes might create the same table at once
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_UPGRADING})")
            migrations.upgrade(connection)

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[sa.Connection]:
        """All or nothing.  On a normal end what was written is on disk; on any exception nothing was written."""
        with self._one_line(), self._here().connect() as connection:
            connection = connection.execution_options(equipoise_writes=writes)
            with connection.begin():
                yield connection

    def _here(self) -> sa.Engine:
        if self._process != os.getpid():
            self._process = os.getpid()
            self._engine = self._make_engine()
        return self._engine

    def _make_engine(self) -> sa.Engine:
        file = self.place.file
        if file is not None:
            engine = sa.create_engine("sqlite://", creator=lambda: connect_file(file), poolclass=sa.NullPool)
            sa.event.listen(engine, "begin", _begin_sqlite)
            return engine
        engine = _server_engine(self.place)
        if engine.dialect.name == "postgresql":
            sa.event.listen(engine, "begin", _begin_postgresql)
        return engine

    @contextmanager
    def _one_line(self) -> Iterator[None]:
        try:
            yield
        except UnreadableFile as error:
            raise UnreadableLedger(f"ledger {self.place}: {error}") from None
        except UnicodeDecodeError:  # sqlite3 lets it through when names or texts in the file are damaged
            raise UnreadableLedger(f"ledger {self.place}: damaged, restore the newest copy") from None
        except sa.exc.IntegrityError as error:
            raise NumberTaken from error
        except sa.exc.DBAPIError as error:
            raise _translated(error, self.place) from error
        except sa.exc.SQLAlchemyError as error:
            raise LedgerFailure(f"ledger {self.place}: {type(error).__name__}, nothing was released") from error


def _create(file: Path) -> None:
    """Make the whole file under another name first, so that nobody ever sees it half made.

    An empty file is therefore a damaged ledger, never a new one.
    """
    draft = file.with_name(f".{file.name[:100]}.{uuid4().hex}.new")
    try:
        draft.touch()
        _fill(draft, file)
        os.link(draft, file)
        sync_folder(file.parent)
    except FileExistsError:
        pass  # another process was first, and its file is as good
    except OSError as error:
        raise LedgerFailure(
            f"ledger {file}: cannot be made there ({error.strerror}), choose a folder on a local disk"
        ) from error
    finally:
        draft.unlink(missing_ok=True)


def _fill(draft: Path, file: Path) -> None:
    """What goes wrong is told of the file that was asked for."""
    try:
        Database(Place(draft, None)).upgrade()
    except LedgerFailure as error:
        raise type(error)(str(error).replace(str(draft), str(file))) from error


def _server_engine(place: Place) -> sa.Engine:
    assert place.url is not None
    try:
        return sa.create_engine(place.url, poolclass=sa.NullPool)
    except (sa.exc.ArgumentError, sa.exc.InvalidRequestError, ImportError) as error:
        raise LedgerFailure(
            f"ledger {place}: the driver {place.url.drivername} is not installed or not usable, install it"
        ) from error


def _begin_sqlite(connection: sa.Connection) -> None:
    """A writer takes the file's write lock before it reads, so that what it read is still true when it writes."""
    writes = connection.get_execution_options().get("equipoise_writes", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: sa.Connection) -> None:
    """Server or role settings may allow a commit to return before it is on disk; ours may not."""
    connection.exec_driver_sql("SET LOCAL synchronous_commit = on")


def _check_file(connection: sa.Connection) -> None:
    """An existing SQLite file must be a sound ledger; we never add ours to another program's file."""
    if connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one() != "ok":
        raise UnreadableFile("damaged, restore the newest copy")
    if not migrations.exists(connection):
        raise UnreadableFile("empty or not a ledger, restore the newest copy or give another path")


def _translated(error: sa.exc.DBAPIError, place: Place) -> LedgerFailure:
    reason = (str(error.orig).splitlines() or [type(error.orig).__name__])[0]
    if _says_damaged(error):
        return UnreadableLedger(f"ledger {place}: {reason}, restore the newest copy or give another path")
    return LedgerFailure(f"ledger {place}: {reason}, nothing was released")


def _says_damaged(error: sa.exc.DBAPIError) -> bool:
    if not isinstance(error.orig, sqlite3.Error):
        return isinstance(error, sa.exc.ProgrammingError)  # a server that lacks our tables
    code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or code & 0xFF not in _PASSING
