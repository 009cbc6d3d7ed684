"""`equipoise ledger`: a slip makes no account, and what is told is what the ledger holds.

One test starts the real executable; the others call its entry point here, which spares a second for each call.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import equipoise, here

from equipoise.cli.exit_codes import Code
from equipoise.ledger import SQLLedger
from equipoise.theory.events import PureRelease


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "q.db"
    made = here("ledger", "new", str(path), "--epsilon", "3", "--delta", "1e-5", folder=tmp_path)
    assert made.returncode == Code.DONE, made.stderr
    return path


def test_an_account_is_made_with_its_limit_and_tells_it(tmp_path: Path) -> None:
    made = equipoise("ledger", "new", "q.db", "--epsilon", "3", "--delta", "1e-5", folder=tmp_path)
    assert made.returncode == Code.DONE, made.stderr
    told = json.loads(here("ledger", "show", "q.db", "--json", folder=tmp_path).stdout)
    assert told["limit"] == {"epsilon": 3.0, "delta": 1e-5}
    assert told["spent"]["epsilon"] == 0
    assert told["left"] == {"epsilon": 3.0, "delta": 1e-5}
    assert "one row (replace-one)" in here("ledger", "show", "q.db", folder=tmp_path).stdout


@pytest.mark.parametrize("what", ["show", "entries", "limits"])
def test_looking_in_the_wrong_folder_makes_nothing(what: str, tmp_path: Path) -> None:
    found = here("ledger", what, "q.db", folder=tmp_path)
    assert found.returncode == Code.BAD_INPUT
    assert found.stderr.count("\n") == 1
    assert "does not exist" in found.stderr
    assert "equipoise ledger new" in found.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["show", "entries"])
def test_a_slip_in_the_name_makes_no_account(what: str, ledger: Path) -> None:
    found = here("ledger", what, str(ledger), "--name", "Default", folder=ledger.parent)
    assert found.returncode == Code.BAD_INPUT
    assert "no such account" in found.stderr
    limits = json.loads(here("ledger", "limits", str(ledger), "--json", folder=ledger.parent).stdout)
    assert [each["account"] for each in limits] == ["default"]


def test_an_account_is_not_made_twice(ledger: Path) -> None:
    again = here("ledger", "new", str(ledger), "--epsilon", "3", "--delta", "1e-5", folder=ledger.parent)
    assert again.returncode == Code.BAD_INPUT
    assert "already there" in again.stderr


@pytest.mark.parametrize("options", [(), ("--epsilon", "1", "--unlimited"), ("--epsilon", "-1"), ("--epsilon", "nan")])
def test_a_limit_is_stated_or_refused_by_name(options: tuple[str, ...], tmp_path: Path) -> None:
    found = here("ledger", "new", "q.db", *options, folder=tmp_path)
    assert found.returncode == Code.BAD_INPUT
    assert "epsilon" in found.stderr
    assert not (tmp_path / "q.db").exists()


def test_no_limit_is_asked_for_by_name(tmp_path: Path) -> None:
    assert here("ledger", "new", "q.db", "--unlimited", folder=tmp_path).returncode == Code.DONE
    assert json.loads(here("ledger", "show", "q.db", "--json", folder=tmp_path).stdout)["limit"] is None


def test_entries_tell_what_was_spent_and_what_is_left(ledger: Path) -> None:
    account = SQLLedger(ledger)
    with account.reserve(PureRelease(1.0), "LogisticRegression") as entry:
        entry.commit()
    account.reserve(PureRelease(0.5), "interrupted")
    first, second = json.loads(here("ledger", "entries", str(ledger), "--json", folder=ledger.parent).stdout)
    assert (first["label"], first["state"], second["state"]) == ("LogisticRegression", "committed", "reserved")
    shown = here("ledger", "entries", str(ledger), folder=ledger.parent, columns=80).stdout
    assert all(word in shown for word in ("LogisticRegression", first["time"][:10], "(reserved)", "epsilon=0.5"))
    told = json.loads(here("ledger", "show", str(ledger), "--json", folder=ledger.parent).stdout)
    assert told["entries"] == 2
    assert told["spent"]["epsilon"] > 1.4999
    assert 0 < told["left"]["epsilon"] < 1.5001


def test_a_ledger_that_cannot_be_opened_has_the_code_of_ledgers(tmp_path: Path) -> None:
    (tmp_path / "q.db").mkdir()
    found = here("ledger", "show", "q.db", folder=tmp_path)
    assert found.returncode == Code.LEDGER, found.stderr
    assert found.stderr.count("\n") == 1


def test_a_file_that_is_no_ledger_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "q.db").write_text("not a ledger\n" * 100, encoding="utf-8")
    for command in (("show",), ("new", "--epsilon", "1")):
        found = here("ledger", command[0], "q.db", *command[1:], folder=tmp_path)
        assert found.returncode == Code.LEDGER
        assert found.stderr.count("\n") == 1
    assert (tmp_path / "q.db").read_text(encoding="utf-8").startswith("not a ledger")
