"""Where a ledger may live, and how a wrong place is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from equipoise.errors import InvalidInput, LedgerFailure
from equipoise.ledger import SQLLedger
from equipoise.ledger.place import connect_file
from equipoise.theory.events import PureRelease


def test_path_and_sqlite_url_name_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "a name with spaces, a # and a ?.db"
    SQLLedger(file, 1.0).reserve(PureRelease(0.5))
    assert SQLLedger(str(file)).spent().epsilon == 0.5
    assert SQLLedger(f"sqlite:///{tmp_path}/plain.db", 2.0).limit == SQLLedger(tmp_path / "plain.db").limit


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "sqlite+aiosqlite:///x.db", "sqlite:///x.db?mode=ro"]
)
def test_sqlite_that_would_not_be_a_lasting_file_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="path_or_url"):
        SQLLedger(url)


@pytest.mark.parametrize("start", ["", " ", "\t", "sqlite://", "sqlite:///", "sqlite+pysqlite:///"])
@pytest.mark.parametrize(
    "name",
    [
        ":memory:",
        ":memory: ",
        " :memory:",
        ":MEMORY:",
        "file::memory:",
        "file::memory:?cache=shared",
        "FILE::memory:",
        "file:x.db?mode=memory",
        "file:x.db?mode=memory&cache=shared&uri=true",
        " file:x.db",
        "file:",
        "file:///x.db",
        ":memory:?cache=shared",
        "",
        " ",
    ],
)
def test_no_spelling_of_a_ledger_in_memory_is_taken(
    start: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would forget what was spent, or be a file whose name says that it does."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="path_or_url"):
        SQLLedger(start + name, 1.0)
    if name.strip() and not start.strip():
        with pytest.raises(InvalidInput, match="path_or_url"):
            SQLLedger(Path(start + name), 1.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["", None, 3, "nul\0.db", "://", "postgresql://user:secret@host:port/x"])
def test_what_is_neither_path_nor_url_is_refused_without_quoting_it(place: Any) -> None:
    with pytest.raises(InvalidInput, match="path_or_url") as refused:
        SQLLedger(place)
    assert "secret" not in str(refused.value)


def test_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerFailure, match="cannot be made there"):
        SQLLedger(tmp_path / "no" / "such" / "folder.db", 1.0)


@pytest.mark.parametrize("url", ["nosuchsql://user:secret@host/x", "oracle+oracledb://user:secret@host/x"])
def test_driver_that_is_missing_is_named_and_the_password_is_not(url: str) -> None:
    with pytest.raises(LedgerFailure, match="not installed") as refused:
        SQLLedger(url)
    assert sa.make_url(url).drivername in str(refused.value)
    assert "secret" not in str(refused.value)


def test_server_out_of_reach_fails_in_one_line_without_the_password(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://user:secret@/x?host={tmp_path}"
    with pytest.raises(LedgerFailure, match="nothing was released") as refused:
        SQLLedger(url)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_description_of_a_handle_hides_the_password(postgres: str) -> None:
    url = sa.make_url(postgres).set(password="secret").render_as_string(hide_password=False)
    ledger = SQLLedger(url, 1.0)
    assert "secret" not in repr(ledger)
    assert "epsilon=1.0" in repr(ledger)


@pytest.mark.parametrize("name", ["", "two\nlines", "x" * 201])
def test_name_of_an_account_is_a_short_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        SQLLedger(tmp_path / "ledger.db", name=name)


def test_commits_to_a_file_wait_for_the_disk_and_the_folder(tmp_path: Path) -> None:
    SQLLedger(tmp_path / "ledger.db", 1.0)
    connection = connect_file(tmp_path / "ledger.db")
    assert connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA
    connection.close()


def test_commits_to_a_careless_server_wait_for_the_disk(postgres: str) -> None:
    url = sa.make_url(postgres)
    options = f"{url.query['options']} -csynchronous_commit=off"
    ledger = SQLLedger(url.update_query_dict({"options": options}).render_as_string(), 1.0)
    with ledger._database.transaction(writes=True) as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "on"
