"""Where a SQL ledger lives: a SQLite file, or a database server named by a URL."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from equipoise.errors import InvalidInput

BUSY_SECONDS = 60.0

IN_MEMORY = ":memory:"
LOST = "path_or_url: SQLite in memory is lost with its connection, use Ledger() or give a file"


@dataclass(frozen=True, slots=True)
class Place:
    """Either `file` (absolute, so that a worker in another folder finds it) or `url` is set."""

    file: Path | None
    url: sa.URL | None

    def __str__(self) -> str:
        """For messages: without the password."""
        return str(self.file) if self.url is None else self.url.render_as_string(hide_password=True)


def find_place(path_or_url: str | Path) -> Place:
    """A path is a SQLite file; anything with `://` is a SQLAlchemy URL."""
    if not isinstance(path_or_url, (str, os.PathLike)) or not str(path_or_url):
        raise InvalidInput("path_or_url: must be a file path or a SQLAlchemy URL")
    _refuse_lost(str(path_or_url))
    if isinstance(path_or_url, str) and "://" in path_or_url:
        return _from_url(path_or_url)
    return Place(_absolute(str(path_or_url)), None)


def _refuse_lost(path: str) -> None:
    """Whatever spelling SQLite, or somebody who knows it, reads as a database in memory; a file may be called so in a
    folder that is named with it."""
    plain = path.strip().lower()
    if not plain or plain.startswith(IN_MEMORY):
        raise InvalidInput(LOST)
    if plain.startswith("file:"):
        raise InvalidInput("path_or_url: give a SQLite ledger as a plain path, without file: and options")


def _from_url(text: str) -> Place:
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise InvalidInput("path_or_url: is not a URL that SQLAlchemy can read") from None  # may hold a password
    if url.get_backend_name() != "sqlite":
        return Place(None, url)
    if url.drivername not in ("sqlite", "sqlite+pysqlite") or url.query:
        raise InvalidInput("path_or_url: give a SQLite ledger as a plain path, without driver or options")
    _refuse_lost(url.database or "")
    return Place(_absolute(str(url.database)), None)


def _absolute(path: str) -> Path:
    try:
        found = Path(path).resolve()
        found.exists()  # a name may be too long, a folder closed
        return found
    except (OSError, ValueError, RuntimeError):
        raise InvalidInput("path_or_url: is not a path this system can follow") from None


def connect_file(file: Path) -> sqlite3.Connection:
    """A connection that never creates the file by accident, and whose commits are on disk when they return.

    EXTRA, because FULL leaves a moment in which a power cut undoes a commit: the rollback journal is deleted,
    but the deletion itself is not yet on disk.
    """
    uri = f"{file.as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous=EXTRA")
    except (sqlite3.Error, UnicodeDecodeError):
        connection.close()
        raise
    return connection


def sync_folder(folder: Path) -> None:
    """Put the folder's list of names on disk; a file without its name is lost."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
