"""Many processes spend at once: never over the limit, and no room is wasted."""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa

from equipoise.errors import BudgetExhausted
from equipoise.ledger import SQLLedger, rows
from equipoise.ledger.tally import Tally
from equipoise.theory.events import PureRelease

CHILDREN = 4


def with_setting(url: str, setting: str) -> str:
    parts = sa.make_url(url)
    return parts.update_query_dict({"options": f"{parts.query['options']} -c{setting}"}).render_as_string()


def race(spender: Any, place: str) -> None:
    ledger = SQLLedger(place, epsilon=5.0)
    spender.start(place, 0.1, children=CHILDREN)
    heard = Counter(line[0] for line in spender.hear_until("done"))
    assert heard["reserved"] == heard["committed"] == 50
    assert heard["exhausted"] == CHILDREN
    records = ledger.entries()
    assert [record.id for record in records] == list(range(1, 51))
    assert len({record.label for record in records}) > 1  # it was a race
    assert ledger.spent().epsilon == pytest.approx(5.0, rel=1e-12)


def test_processes_never_overspend_together_and_use_all_the_room(place: str, spender: Any) -> None:
    race(spender, place)


def test_server_with_snapshots_that_lag_cannot_overspend(postgres: str, spender: Any) -> None:
    """Under repeatable read a transaction keeps seeing the past; the unique number then refuses it."""
    race(spender, with_setting(postgres, r"default_transaction_isolation=repeatable\ read"))


def test_even_without_locks_two_reservations_cannot_share_a_number(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another process reserves between our reading and our writing makes us read again."""
    ledger, rival = SQLLedger(postgres, epsilon=1.0), SQLLedger(postgres)
    check, read = rows.check_account, rows.newer_events
    rivals = iter([rival])

    def check_without_lock(connection: sa.Connection, account: rows.Account, *, lock: bool) -> None:
        check(connection, account, lock=False)

    def read_then_lose_the_race(connection: sa.Connection, account: rows.Account, known: Tally) -> Tally:
        events = read(connection, account, known)
        for other in rivals:
            other.reserve(PureRelease(0.6))
        return events

    monkeypatch.setattr(rows, "check_account", check_without_lock)
    monkeypatch.setattr(rows, "newer_events", read_then_lose_the_race)
    with pytest.raises(BudgetExhausted):
        ledger.reserve(PureRelease(0.6))
    assert len(ledger.entries()) == 1


def test_processes_that_open_a_new_ledger_at_once_agree_on_one_account(place: str, spender: Any) -> None:
    spender.start(place, 0.1, children=CHILDREN, pause="between reserve and commit", limit=9.0)
    pids = []
    for _ in range(CHILDREN):
        heard = spender.hear_until("paused")
        pids += [int(line[1]) for line in heard if line[0] == "pid"]
    records = SQLLedger(place).entries()
    assert {record.label for record in records} == {str(pid) for pid in pids}
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    spender.hear_until("done")
