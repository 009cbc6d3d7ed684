"""A ledger that cannot be trusted is refused in one line; it is never read as if less had been spent."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import EquipoiseError, LedgerFailure, UnreadableFile
from equipoise.ledger import SQLLedger, place, rows
from equipoise.theory.events import PureRelease

FLIPS = 150


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A ledger with three entries."""
    path = tmp_path / "ledger.db"
    ledger = SQLLedger(path, 1.0)
    for _ in range(3):
        with ledger.reserve(PureRelease(0.25)) as entry:
            entry.commit()
    return path


def change(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        assert connection.execute(statement).rowcount != 0


def refusal(file: Path) -> str:
    """The one line with which the file is refused, on opening or on first use."""
    with pytest.raises(UnreadableFile) as refused:
        SQLLedger(file).reserve(PureRelease(0.01))
    message = str(refused.value)
    assert "\n" not in message
    assert str(file) in message
    return message


@pytest.mark.parametrize("kept", [0.0, 0.001, 0.1, 0.34, 0.5, 0.75, 0.9, 0.99])
def test_truncated_file_is_unreadable(file: Path, kept: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * kept)])
    refusal(file)


def test_file_truncated_while_in_use_is_unreadable(file: Path) -> None:
    ledger = SQLLedger(file)
    file.write_bytes(file.read_bytes()[:4096])
    with pytest.raises(UnreadableFile):
        ledger.reserve(PureRelease(0.01))
    with pytest.raises(UnreadableFile):
        ledger.spent()


def test_text_file_is_unreadable(file: Path) -> None:
    file.write_text("epsilon;delta\n" * 1000)
    assert "not a database" in refusal(file)


def test_folder_is_unreadable(tmp_path: Path) -> None:
    refusal(tmp_path)


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "cookies.db"
    change(file, "CREATE TABLE cookies (taste TEXT)")
    before = file.read_bytes()
    assert "not a ledger" in refusal(file)
    assert file.read_bytes() == before


def test_newer_schema_is_unreadable(file: Path) -> None:
    change(file, "INSERT INTO equipoise_migrations VALUES ('9999 from the future', '')")
    assert "newer version" in refusal(file)


def test_open_handle_notices_a_newer_schema(file: Path) -> None:
    ledger = SQLLedger(file)
    change(file, "INSERT INTO equipoise_migrations VALUES ('9999 from the future', '')")
    with pytest.raises(UnreadableFile, match="newer version"):
        ledger.reserve(PureRelease(0.01))


DAMAGES = {
    "event that is not JSON": "UPDATE equipoise_entries SET event = substr(event, 1, 9) WHERE number = 2",
    "event that is a number": "UPDATE equipoise_entries SET event = '7' WHERE number = 2",
    "event that costs less": "UPDATE equipoise_entries SET event = replace(event, '0.25', '0.24')",
    "event that is missing": "UPDATE equipoise_entries SET event = x'ff00' WHERE number = 2",
    "entry that is missing": "DELETE FROM equipoise_entries WHERE number = 2",
    "first entry missing": "DELETE FROM equipoise_entries WHERE number = 1",
    "limit that is text": "UPDATE equipoise_accounts SET epsilon = 'much'",
    "limit that is wider": "UPDATE equipoise_accounts SET epsilon = 2.0",
    "account under another name": "UPDATE equipoise_accounts SET name = 'default' || char(8203)",
    "table that is missing": "DROP TABLE equipoise_entries",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_content_is_unreadable(file: Path, damage: str) -> None:
    change(file, DAMAGES[damage])
    refusal(file)


@pytest.mark.parametrize(
    "event", ['{"kind": "quantum"}', '{"kind": "pure", "epsilon": 0.25, "colour": "red"}', "7", '{"kind": "pure']
)
def test_event_of_a_newer_version_is_unreadable(file: Path, event: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        row = list(connection.execute(f"SELECT {', '.join(rows._ENTRY)} FROM equipoise_entries").fetchone())
        row[3] = event
        change = "UPDATE equipoise_entries SET event = ?, checksum = ? WHERE number = 1"
        connection.execute(change, (event, rows._checksum(row)))
    assert "newer version" in refusal(file)


@pytest.mark.parametrize("column", ["state", "time", "label"])
def test_damaged_record_is_unreadable(file: Path, column: str) -> None:
    change(file, f"UPDATE equipoise_entries SET {column} = x'ff' WHERE number = 3")
    with pytest.raises(UnreadableFile):
        SQLLedger(file).entries()


def test_ledger_that_goes_backwards_is_noticed(file: Path) -> None:
    ledger = SQLLedger(file)
    older = file.read_bytes()
    ledger.reserve(PureRelease(0.25))
    file.write_bytes(older)
    with pytest.raises(UnreadableFile, match="missing"):
        ledger.reserve(PureRelease(0.25))


def test_limit_changed_behind_our_back_is_noticed(file: Path) -> None:
    ledger = SQLLedger(file)
    change(file, "UPDATE equipoise_accounts SET epsilon = 100.0")
    with pytest.raises(UnreadableFile):
        ledger.reserve(PureRelease(5.0))


def test_any_flipped_bit_gives_an_answer_or_one_of_our_errors(file: Path) -> None:
    """A flip in unused space may go unseen; none may hide a cost or surface as a stranger's exception."""
    whole, chance = file.read_bytes(), np.random.default_rng(5)
    refused: list[str] = []
    used = [position for position, byte in enumerate(whole) if byte]
    for _ in range(FLIPS):
        content = bytearray(whole)
        content[chance.choice(used)] ^= 1 << int(chance.integers(8))
        file.write_bytes(content)
        try:
            ledger = SQLLedger(file)
            assert sum(record.event.costs == PureRelease(0.25).costs for record in ledger.entries()) == 3
            ledger.reserve(PureRelease(0.01))
        except EquipoiseError as error:
            refused.append(str(error))
    assert len(refused) > FLIPS // 4
    assert not any("\n" in message for message in refused)


def test_crowded_ledger_fails_closed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "BUSY_SECONDS", 0.05)
    ledger = SQLLedger(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerFailure, match="locked, nothing was released"):
            ledger.reserve(PureRelease(0.01))
        assert len(ledger.entries()) == 3  # readers need not wait
    assert ledger.reserve(PureRelease(0.01)).id == 4


def test_failed_commit_closes_the_entry_and_leaves_it_spent(file: Path) -> None:
    ledger = SQLLedger(file)
    entry = ledger.reserve(PureRelease(0.1))
    change(file, "UPDATE equipoise_entries SET state = 'committed'")
    with pytest.raises(LedgerFailure, match="entry=4"):
        entry.commit()
    assert not entry.open
    assert ledger.spent().epsilon == pytest.approx(0.85)
