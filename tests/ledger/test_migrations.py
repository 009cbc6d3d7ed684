"""Steps are taken once, in order, and a version never touches a schema it does not know."""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from equipoise.errors import UnreadableFile
from equipoise.ledger import SQLLedger, migrations
from equipoise.theory.events import PureRelease


def add_remarks(connection: sa.Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE remarks (text VARCHAR(10))")


def fail_half_way(connection: sa.Connection) -> None:
    add_remarks(connection)
    raise ZeroDivisionError


NEXT = (*migrations.MIGRATIONS, ("9999 remarks", add_remarks))


def test_blank_database_gets_every_step_once(place: str) -> None:
    SQLLedger(place, 1.0)
    ledger = SQLLedger(place, 1.0)
    with ledger._database.transaction(writes=False) as connection:
        taken = connection.exec_driver_sql("SELECT name FROM equipoise_migrations").scalars().all()
    assert taken == [name for name, _ in migrations.MIGRATIONS]


def test_names_of_steps_sort_in_the_order_they_are_taken() -> None:
    names = [name for name, _ in migrations.MIGRATIONS]
    assert names == sorted(set(names))


def test_newer_version_brings_an_old_ledger_up_to_date(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    SQLLedger(place, 1.0).reserve(PureRelease(0.75))
    monkeypatch.setattr(migrations, "MIGRATIONS", NEXT)
    assert SQLLedger(place).spent().epsilon == 0.75


def test_old_version_refuses_what_a_newer_one_wrote(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = SQLLedger(place, 1.0)
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "MIGRATIONS", NEXT)
        SQLLedger(place)
    with pytest.raises(UnreadableFile, match=r"schema 3 .* newer version .* update equipoise"):
        old.reserve(PureRelease(0.1))
    with pytest.raises(UnreadableFile, match="update equipoise"):
        SQLLedger(place)


def test_step_that_fails_leaves_the_old_schema_whole(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = SQLLedger(place, 1.0)
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, ("9999 broken", fail_half_way)))
        with pytest.raises(ZeroDivisionError):
            SQLLedger(place)
    assert old.reserve(PureRelease(0.1)).id == 1


def test_new_file_appears_whole_and_alone(tmp_path: Path) -> None:
    SQLLedger(tmp_path / "ledger.db", math.inf)
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.db"]


def test_ledger_file_keeps_nothing_beside_it(tmp_path: Path) -> None:
    """One file is the whole ledger, so that a copy of it is whole too."""
    file = tmp_path / "ledger.db"
    SQLLedger(file, 1.0).reserve(PureRelease(0.1))
    assert list(tmp_path.iterdir()) == [file]
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
