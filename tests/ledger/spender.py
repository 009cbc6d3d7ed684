"""Spends from a ledger in forked children that the tests may kill.  Jobs come as JSON lines on stdin.

A job names the place, how many children, and for `pause` the point at which a child stops and waits to be killed.
Children announce on stdout what they have been told, so a test knows what must be in the ledger.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import psycopg  # noqa: F401 - imported here once, so that children start at once
import sqlalchemy.dialects.postgresql
import sqlalchemy.dialects.sqlite  # noqa: F401

from equipoise.errors import BudgetExhausted
from equipoise.ledger import SQLLedger, database, rows  # noqa: F401
from equipoise.theory.events import PureRelease

HOURS = 3600.0


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # one write: lines of several children never mix


def pause(point: str) -> None:
    say("paused", point)
    time.sleep(HOURS)


def paused_before(step: Callable[..., Any], point: str) -> Callable[..., Any]:
    def instead(*arguments: Any) -> Any:
        pause(point)
        return step(*arguments)

    return instead


def paused_after(step: Callable[..., Any], point: str) -> Callable[..., Any]:
    def instead(*arguments: Any) -> Any:
        step(*arguments)
        pause(point)

    return instead


def set_trap(point: str) -> None:
    """Stop inside a transaction: the row is about to be written, or written but not yet committed."""
    if point == "before the reservation is written":
        rows.insert_record = paused_before(rows.insert_record, point)
    elif point == "after the reservation is written":
        rows.insert_record = paused_after(rows.insert_record, point)
    elif point == "before the release is written":
        rows.mark_committed = paused_before(rows.mark_committed, point)
    elif point == "after the release is written":
        rows.mark_committed = paused_after(rows.mark_committed, point)


def spend(job: dict[str, Any]) -> None:
    point = job.get("pause", "never")
    set_trap(point)
    ledger = SQLLedger(job["place"], job.get("limit"))
    while True:
        label = f"{os.getpid()}"
        with ledger.reserve(PureRelease(job["epsilon"]), label=label) as entry:
            say("reserved", entry.id, label)
            if point == "between reserve and commit":
                pause(point)
            entry.commit()
            say("committed", entry.id, label)
            if point == "after commit":
                pause(point)


def child(job: dict[str, Any]) -> None:
    say("pid", os.getpid())
    try:
        spend(job)
    except BudgetExhausted:
        say("exhausted", os.getpid())
        os._exit(0)
    finally:
        os._exit(1)


def start(job: dict[str, Any]) -> int:
    process = os.fork()
    if process == 0:
        child(job)
    return process


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        for process in [start(job) for _ in range(job["children"])]:
            os.waitpid(process, 0)
        say("done")


if __name__ == "__main__":
    main()
