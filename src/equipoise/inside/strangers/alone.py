"""Running a stranger's work alone: with generators of its own, silently, and whatever it raises is one failure.

One thread of the process at a time: numpy's and Python's global generators, the streams and the warning filters belong
to all threads, and a stranger may use any of them.  Afterwards they stand where they stood, so that neither the next
stranger nor the caller can tell what the last one drew.  docs/proofs/voting.md, section 1.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final, TypeVar

from equipoise.inside.strangers.generators import (
    Holder,
    Reach,
    global_generators,
    kept_globals,
    put_back,
    renew,
    state_of,
    with_key,
)
from equipoise.inside.strangers.interrupts import INTERRUPTS, told_apart
from equipoise.inside.strangers.muted import muted
from equipoise.inside.strangers.watched import watched
from equipoise.rows.unseen import PRESENCE, kept_filters, unseen

Result = TypeVar("Result")


class Failed:
    """What a stranger's work comes to when it raises: nothing is said about why."""

    __slots__ = ()


FAILED: Final = Failed()


class _Room:
    """One stranger's caller at a time; the same thread may come in again."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        self.reach = Reach()
        """For as long as strangers are let in: classes are looked through once."""


_ROOM = _Room()


@contextmanager
def apart() -> Iterator[None]:
    """Let strangers in.  Around several of them it saves putting the process's state back after each."""
    with _ROOM.lock:
        _ROOM.depth += 1
        try:
            if _ROOM.depth > 1:
                yield
            else:
                _ROOM.reach = Reach()
                with (
                    told_apart(),
                    kept_globals(),
                    kept_filters(),
                    muted(),
                    watched(sys, warnings),
                    unseen(),
                    _hosting(),
                ):
                    yield
        finally:
            _ROOM.depth -= 1


def alone(work: Callable[[], Result], seed: int, *roots: Any, key: int = 0) -> Result | Failed:
    """The work's result, or FAILED.  While it runs, each generator in reach of `roots` and each global one is in a
    state that depends on the seed and the key; afterwards each of them is put back.

    An interrupt by the user is raised again, without what it interrupted.
    """
    with apart(), ExitStack() as after:
        result: Result | Failed = FAILED
        try:
            _give_states(_ROOM.reach.of(*roots), seed, key, after)
            INTERRUPTS.working = True
            result = work()
        except BaseException:  # noqa: BLE001 - what a stranger raises may speak of records, SystemExit included
            result = FAILED
        finally:
            INTERRUPTS.working = False
    INTERRUPTS.raise_if_asked()
    return result


def _give_states(holders: list[Holder], seed: int, key: int, after: ExitStack) -> None:
    for holder in holders:
        after.callback(put_back, holder, state_of(holder))
    for place, holder in enumerate([*global_generators(), *holders]):
        renew(holder, with_key(seed, 1, key, place))


@contextmanager
def _hosting() -> Iterator[None]:
    PRESENCE.host = threading.get_ident()
    PRESENCE.before = frozenset(thread.ident or 0 for thread in threading.enumerate())
    try:
        yield
    finally:
        PRESENCE.before = None


def _forget() -> None:
    """A forked child waits for nobody."""
    _ROOM.__init__()  # type: ignore[misc]


os.register_at_fork(after_in_child=_forget)
