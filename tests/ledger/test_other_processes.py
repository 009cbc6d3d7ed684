"""Handles that travel: into forked children, and through pickle into processes that never saw the ledger."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import InvalidInput, LedgerFailure, UnreadableFile
from equipoise.ledger import Ledger, SQLLedger, memory
from equipoise.ledger.terms import Terms
from equipoise.theory.events import PureRelease

FORK = """
import json, os, sys
from equipoise.errors import LedgerFailure
from equipoise.ledger import Ledger, SQLLedger
from equipoise.theory.events import PureRelease

def in_child(action):
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            answer = str(action())
        except LedgerFailure as error:
            answer = "refused: " + str(error)
        os.write(write, answer.encode())
        os._exit(0)
    os.wait()
    return os.read(read, 1000).decode()

memory, shared = Ledger(1.0), SQLLedger(sys.argv[1], 1.0)
entry = shared.reserve(PureRelease(0.25))
print(json.dumps({
    "reserve in memory": in_child(lambda: memory.reserve(PureRelease(0.5)).id),
    "read memory": in_child(memory.spent),
    "inherited entry is open": in_child(lambda: entry.open),
    "commit inherited entry": in_child(entry.commit),
    "reserve in shared": in_child(lambda: shared.reserve(PureRelease(0.5)).id),
    "entry is open": str(entry.open),
    "parent sees": str(shared.spent().epsilon),
}))
"""

UNPICKLE = """
import pickle, sys
from equipoise.theory.events import PureRelease
ledger = pickle.load(sys.stdin.buffer)
print(ledger.limit.epsilon)
try:
    print(ledger.reserve(PureRelease(0.5)).id, ledger.spent().epsilon)
except Exception as error:
    print(type(error).__name__, error)
"""


def run(code: str, *arguments: str, given: bytes = b"", folder: Path | None = None) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, input=given, stdout=-1, check=True, cwd=folder).stdout.decode()


@pytest.fixture(scope="module")
def after_fork(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return json.loads(run(FORK, str(tmp_path_factory.mktemp("fork") / "ledger.db")))


def test_memory_ledger_refuses_to_spend_in_a_forked_child(after_fork: Any) -> None:
    assert after_fork["reserve in memory"].startswith("refused: ")
    assert "SQLLedger" in after_fork["reserve in memory"]


def test_memory_ledger_shows_no_stale_total_in_a_forked_child(after_fork: Any) -> None:
    assert after_fork["read memory"].startswith("refused: ")


def test_forked_child_cannot_release_under_its_parents_entry(after_fork: Any) -> None:
    assert after_fork["inherited entry is open"] == "False"
    assert after_fork["commit inherited entry"].startswith("refused: ")
    assert after_fork["entry is open"] == "True"


def test_forked_child_spends_from_the_shared_ledger(after_fork: Any) -> None:
    assert after_fork["reserve in shared"] == "2"
    assert after_fork["parent sees"] == "0.75"


def test_memory_ledger_refuses_to_spend_where_it_was_unpickled_elsewhere() -> None:
    ledger = Ledger(1.0)
    limit, answer = run(UNPICKLE, given=pickle.dumps(ledger)).splitlines()
    assert limit == "1.0"  # a model that carries a ledger can still be loaded and shown
    assert answer.startswith("LedgerFailure")
    assert "SQLLedger" in answer
    assert ledger.spent().epsilon == 0.0


def test_memory_ledger_that_comes_home_is_itself_again() -> None:
    ledger = Ledger(1.0)
    away = pickle.dumps(ledger)
    there = memory._unpickle("key of a ledger in another process", Terms(1.0, 0.0))
    with pytest.raises(LedgerFailure):
        there.reserve(PureRelease(0.1))
    with pytest.raises(LedgerFailure):
        pickle.loads(pickle.dumps(there)).reserve(PureRelease(0.1))  # noqa: S301 - our own bytes
    assert pickle.loads(away) is ledger  # noqa: S301 - our own bytes


def test_shared_ledger_spends_where_it_was_unpickled(place: str, tmp_path: Path) -> None:
    ledger = SQLLedger(place, 1.0)
    ledger.reserve(PureRelease(0.25))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run(UNPICKLE, given=pickle.dumps(ledger), folder=elsewhere).split() == ["1.0", "2", "0.75"]
    assert ledger.spent().epsilon == 0.75


def test_relative_path_means_the_same_file_in_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = SQLLedger("income.db", 1.0)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    ledger.reserve(PureRelease(0.5))
    assert list(Path().iterdir()) == []
    assert SQLLedger(tmp_path / "income.db").spent().epsilon == 0.5


def test_limit_is_remembered_by_the_account(place: str) -> None:
    SQLLedger(place, 1.0, 1e-6).reserve(PureRelease(0.5))
    again = SQLLedger(place)
    assert again.limit is not None
    assert (again.limit.epsilon, again.limit.delta) == (1.0, 1e-6)
    assert len(SQLLedger(place, 1.0, 1e-6).entries()) == 1


@pytest.mark.parametrize(("epsilon", "delta"), [(2.0, 1e-6), (0.5, 1e-6), (1.0, 0.0), (1.0, 1e-5), (None, 1e-5)])
def test_nobody_changes_a_limit_by_opening_again(place: str, epsilon: float | None, delta: float) -> None:
    SQLLedger(place, 1.0, 1e-6)
    with pytest.raises(InvalidInput, match=r"made with epsilon=1\.0, delta=1e-06"):
        SQLLedger(place, epsilon, delta)


def test_accounts_of_one_database_do_not_mix(place: str) -> None:
    north, south = SQLLedger(place, 1.0, name="north"), SQLLedger(place, 2.0, name="south")
    north.reserve(PureRelease(0.9))
    south.reserve(PureRelease(1.9))
    assert (north.spent().epsilon, south.spent().epsilon) == (0.9, 1.9)
    assert [record.id for record in south.entries()] == [1]


def test_handle_of_a_deleted_file_misses_it_and_never_starts_anew(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    ledger = SQLLedger(file, 1.0)
    ledger.reserve(PureRelease(0.9))
    handle = pickle.dumps(ledger)
    file.unlink()
    for it in (ledger, pickle.loads(handle)):  # noqa: S301 - our own bytes
        with pytest.raises(UnreadableFile):
            it.reserve(PureRelease(0.9))
    assert not file.exists()


def test_handle_is_not_taken_in_by_another_ledger_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    ledger = SQLLedger(file, 1.0)
    file.unlink()
    SQLLedger(file, 1.0)
    with pytest.raises(UnreadableFile, match="no longer"):
        ledger.reserve(PureRelease(0.1))
