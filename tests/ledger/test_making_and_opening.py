"""Opening an account and making one are different acts, and no slip makes an account without limit."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import EquipoiseError, InvalidInput, UnreadableFile
from equipoise.ledger import SQLLedger, migrations, rows
from equipoise.theory.adjacency import Adjacency
from equipoise.theory.events import PureRelease


def test_a_path_that_does_not_exist_is_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableFile, match=r"does not exist; check path and folder") as refused:
        SQLLedger("privacy.db")
    assert "\n" not in str(refused.value)
    assert str(tmp_path) in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_server_is_not_made_into_a_ledger_by_opening(postgres: str) -> None:
    with pytest.raises(UnreadableFile, match="does not exist"):
        SQLLedger(postgres)
    assert SQLLedger(postgres, 1.0).limit is not None


@pytest.mark.parametrize("name", ["Default", "default ", "defualt"])
def test_a_slip_in_the_name_is_an_error_and_makes_no_account(place: str, name: str) -> None:
    SQLLedger(place, 1.0)
    with pytest.raises(InvalidInput, match="no such account") as refused:
        SQLLedger(place, name=name)
    assert "\n" not in str(refused.value)
    with pytest.raises(InvalidInput, match="no such account"):
        SQLLedger(place, name=name)


def test_no_limit_is_asked_for_by_name(place: str) -> None:
    ledger = SQLLedger(place, math.inf, 1e-6)
    assert ledger.limit is None
    ledger.reserve(PureRelease(1000.0))
    assert SQLLedger(place).limit is None
    with pytest.raises(InvalidInput, match="made with"):
        SQLLedger(place, 1.0, 1e-6)


@pytest.mark.parametrize(
    "terms",
    [
        {"epsilon": math.inf, "delta": 1e-6},
        {"epsilon": 2.0, "delta": 1e-6},
        {"epsilon": 1.0},
        {"delta": 1e-5},
        {"adjacency": "replace-one"},
        {"unit": "row"},
        {"prices": "adaptive"},
    ],
)
def test_whatever_is_stated_must_agree_with_the_account(place: str, terms: dict[str, Any]) -> None:
    made = {"adjacency": "add-remove", "unit": "person", "prices": "sums"}
    SQLLedger(place, 1.0, 1e-6, **made)
    with pytest.raises(InvalidInput, match=r"made with epsilon=1\.0, delta=1e-06, adjacency='add-remove'"):
        SQLLedger(place, **terms)
    again = SQLLedger(place, 1.0, 1e-6, **made)
    assert again.neighbours.adjacency is Adjacency.ADD_REMOVE
    assert "prices='sums'" in repr(SQLLedger(place))


@pytest.mark.parametrize("terms", [{"delta": 2.0}, {"epsilon": -1.0}, {"epsilon": math.nan}, {"unit": "x"}])
def test_impossible_terms_are_refused_before_a_file_is_made(tmp_path: Path, terms: dict[str, Any]) -> None:
    with pytest.raises(EquipoiseError):
        SQLLedger(tmp_path / "ledger.db", **terms)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As the first schema wrote it: without neighbours, prices, or a checksum over them."""
    file = tmp_path / "old.db"
    with monkeypatch.context() as older:
        older.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:1])
        with closing(sqlite3.connect(file)):
            pass
        from equipoise.ledger.database import Database
        from equipoise.ledger.place import Place

        Database(Place(file, None)).upgrade()
    account = ("a" * 32, "default", 1.0, 0.0, "2026-01-01T00:00:00+00:00")
    event = json.dumps({"kind": "pure", "epsilon": 0.25, "delta_numeric": 0.0, "steps": 1})
    entry = ("a" * 32, 1, "first", event, "2026-01-02T00:00:00+00:00")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "INSERT INTO equipoise_accounts VALUES (?, ?, ?, ?, ?, ?)", (*account, rows._checksum(account))
        )
        connection.execute(
            "INSERT INTO equipoise_entries VALUES (?, ?, ?, ?, 'committed', ?, ?)",
            (*entry[:4], entry[4], rows._checksum(entry)),
        )
    return file


def test_an_old_ledger_stays_readable_and_takes_the_dearer_reading(old_file: Path) -> None:
    """Nobody wrote down whether its rows were replaced or added, so no total may be too small."""
    ledger = SQLLedger(old_file)
    (record,) = ledger.entries()
    assert (record.event, record.neighbours.adjacency) == (PureRelease(0.25), Adjacency.ADD_REMOVE)
    assert ledger.spent().epsilon == 0.5
    ledger.reserve(PureRelease(0.5))
    assert [entry.neighbours.adjacency for entry in SQLLedger(old_file).entries()] == ["add-remove", "replace-one"]
    assert not ledger.fits(PureRelease(0.01))


@pytest.mark.parametrize("column", ["adjacency", "unit"])
def test_neighbours_that_were_tampered_with_are_noticed(tmp_path: Path, column: str) -> None:
    file = tmp_path / "ledger.db"
    SQLLedger(file, 1.0).reserve(PureRelease(0.1))
    for table in ("entries", "accounts"):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(f"UPDATE equipoise_{table} SET {column} = NULL")
        with pytest.raises(UnreadableFile, match="damaged"):
            SQLLedger(file).spent()
