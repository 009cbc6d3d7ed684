"""A process killed at any point never leaves the ledger under-counting."""

from __future__ import annotations

import math
import os
import signal
import time
from typing import Any

import numpy as np
import pytest

from equipoise.ledger import SQLLedger
from equipoise.theory.events import PureRelease

INSIDE_A_TRANSACTION = ("before the reservation is written", "after the reservation is written")
AFTER_RESERVE = (
    "between reserve and commit",
    "before the release is written",
    "after the release is written",
    "after commit",
)
KILLS = 30


def announced(heard: list[list[str]], word: str) -> set[tuple[int, str]]:
    """(number, label) of what children say they were told."""
    return {(int(line[1]), line[2]) for line in heard if line[0] == word}


def kill_at(spender: Any, place: str, point: str) -> list[list[str]]:
    spender.start(place, 0.25, pause=point)
    heard: list[list[str]] = spender.hear_until("paused")
    os.kill(int(heard[0][1]), signal.SIGKILL)
    return heard + list(spender.hear_until("done"))


@pytest.mark.parametrize("point", AFTER_RESERVE)
def test_crash_after_reserve_counts_as_spent(place: str, spender: Any, point: str) -> None:
    ledger = SQLLedger(place, epsilon=1.0)
    heard = kill_at(spender, place, point)
    (record,) = ledger.entries()
    assert {(record.id, record.label)} == announced(heard, "reserved")
    assert record.state == ("committed" if announced(heard, "committed") else "reserved")
    assert ledger.spent().epsilon == 0.25
    ledger.reserve(PureRelease(0.75))  # the dead process holds no lock


@pytest.mark.parametrize("point", INSIDE_A_TRANSACTION)
def test_crash_inside_reserve_leaves_a_sound_ledger(place: str, spender: Any, point: str) -> None:
    ledger = SQLLedger(place, epsilon=1.0)
    heard = kill_at(spender, place, point)
    assert announced(heard, "reserved") == set()  # it never got as far as looking at a record
    assert ledger.entries() == ()
    ledger.reserve(PureRelease(1.0))


def test_killed_at_random_moments_everything_announced_is_in_the_ledger(place: str, spender: Any) -> None:
    moments = np.random.default_rng(20)
    ledger = SQLLedger(place, math.inf)
    promised: set[tuple[int, str]] = set()
    released: set[tuple[int, str]] = set()
    for kill in range(KILLS):
        spender.start(place, 0.001)
        heard = spender.hear_until("pid" if kill % 2 else "reserved")
        time.sleep(moments.uniform(0.0, 0.1))
        os.kill(int(heard[0][1]), signal.SIGKILL)
        heard += spender.hear_until("done")
        promised |= announced(heard, "reserved")
        released |= announced(heard, "committed")
    records = ledger.entries()
    assert promised <= {(record.id, record.label) for record in records}
    assert released <= {(record.id, record.label) for record in records if record.state == "committed"}
    assert len(promised) >= KILLS // 2  # the children did get to spend
    assert len(records) <= len(promised) + KILLS  # at most one reservation per kill was written but not announced
    assert ledger.spent().epsilon == pytest.approx(0.001 * len(records))
