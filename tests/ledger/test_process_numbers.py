"""A fork is told by its process number: in a child, what the parent reserved or kept in memory buys nothing."""

from __future__ import annotations

import os

import pytest

from equipoise.errors import LedgerFailure
from equipoise.ledger import Ledger
from equipoise.theory.events import PureRelease


def test_an_entry_is_closed_to_a_child_and_open_to_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getpid()
    entry = Ledger(epsilon=1.0).reserve(PureRelease(0.5))
    monkeypatch.setattr(os, "getpid", lambda: parent + 1)
    assert not entry.open
    with pytest.raises(LedgerFailure, match="closed"):
        entry.commit()
    monkeypatch.setattr(os, "getpid", lambda: parent)
    assert entry.open


def test_a_ledger_in_memory_neither_spends_nor_reports_in_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(epsilon=1.0)
    child = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: child)
    for use in (lambda: ledger.reserve(PureRelease(0.5)), ledger.spent, ledger.remaining, ledger.entries):
        with pytest.raises(LedgerFailure, match="between processes"):
            use()
