"""Whatever ends the block of a reservation early says that it stays spent: once, and nothing of what was read."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import equipoise as eq
from equipoise.errors import SPENT, LedgerFailure, told_spent
from equipoise.ledger import LedgerLike
from equipoise.theory.events import PureRelease

ERRORS = (KeyboardInterrupt, MemoryError, SystemExit, ValueError, eq.BudgetExhausted, GeneratorExit)


def ended(ledger: LedgerLike, error: type[BaseException], committed: bool) -> None:
    with ledger.reserve(PureRelease(1.0)) as outer, ledger.reserve(PureRelease(1.0)):
        if committed:
            outer.commit()
        raise error("in between")


@pytest.mark.parametrize("kind", ["in memory", "in a file"])
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("committed", [False, True])
def test_every_error_carries_the_note_once(
    kind: str, error: type[BaseException], committed: bool, tmp_path: Path
) -> None:
    ledger: LedgerLike = eq.Ledger() if kind == "in memory" else eq.SQLLedger(tmp_path / "a.db", math.inf)
    with pytest.raises(error) as told:
        ended(ledger, error, committed)
    assert told.value.__notes__ == [SPENT]
    told_spent(told.value)
    assert told.value.__notes__ == [SPENT]
    assert str(told.value) == "in between"
    assert ledger.spent().epsilon == 2.0


def twice() -> None:
    with eq.Ledger().reserve(PureRelease(1.0)) as entry:
        entry.commit()
        entry.commit()


def test_a_debit_that_cannot_be_committed_says_so_too() -> None:
    with pytest.raises(LedgerFailure) as told:
        twice()
    assert told.value.__notes__ == [SPENT]
