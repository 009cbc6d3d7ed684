"""Nothing of what happens inside is shown: neither warnings nor numpy's complaints.  For any number of threads.

`warnings.catch_warnings` replaces the process's list of filters and puts the old one back, so two threads that do it at
once may leave the wrong one behind.  Here a single filter is put in front of whatever list there is, one that matches
only what is warned of by a thread that is inside: beside other threads, or left behind in a copy of the list that
somebody made meanwhile, it does nothing.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Presence:
    """Which threads are inside."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depths: dict[int, int] = {}
        self.lists: list[list[Any]] = []
        """Of filters, in which ours stands."""
        self.before: frozenset[int] | None = None
        """Threads that ran when a stranger was let in: any other was started by the stranger, and is inside too."""
        self.host = 0
        """The thread that let the stranger in."""

    def here(self) -> bool:
        """Whether this thread is."""
        return threading.get_ident() in self.depths or self.stranger()

    def stranger(self) -> bool:
        """Whether what this thread does is a stranger's doing, and not that of our own code."""
        me, before = threading.get_ident(), self.before
        return before is not None and (me == self.host or me not in before)

    def enter(self) -> None:
        me = threading.get_ident()
        self.depths[me] = self.depths.get(me, 0) + 1

    def leave(self) -> None:
        me = threading.get_ident()
        self.depths[me] -= 1
        if self.depths[me] == 0:
            del self.depths[me]


PRESENCE = Presence()


NEVER = "(?!)"
"""Some libraries make a filter of their own from the pattern of each that they find: it should match nothing."""


class _Inside:
    """Stands where a filter has its pattern for messages."""

    pattern = NEVER

    def match(self, text: str) -> bool:
        return PRESENCE.here()


class _Outside:
    """The pattern of somebody's filter, for threads that are not inside."""

    pattern = NEVER

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern

    def match(self, text: str) -> bool:
        if PRESENCE.here():
            return False
        pattern = self._pattern
        if pattern is None or isinstance(pattern, str):
            return pattern in (None, text)
        return bool(pattern.match(text))


FILTER: Any = ("ignore", _Inside(), Warning, None, 0)


@contextmanager
def unseen() -> Iterator[None]:
    """Warnings of this thread go nowhere, and no setting of numpy's turns a special value into an error."""
    with PRESENCE.lock:
        PRESENCE.enter()
        _put_in(warnings.filters)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        with PRESENCE.lock:
            PRESENCE.leave()
            if not PRESENCE.depths:
                _take_out()


@contextmanager
def kept_filters() -> Iterator[None]:
    """Put back what is in the list of filters, whatever a stranger does to it (for another list: watched.py).

    Meanwhile filters that turn warnings into errors are for other threads: a stranger works the same with and without.
    """
    filters: Any = warnings.filters
    with PRESENCE.lock:
        kept = [each for each in filters if each is not FILTER]
        filters[:] = [each if each[0] != "error" else (each[0], _Outside(each[1]), *each[2:]) for each in kept]
        if PRESENCE.depths:
            _put_in(filters)
    try:
        yield
    finally:
        with PRESENCE.lock:
            filters[:] = kept
            if PRESENCE.depths:
                _put_in(filters)


def stay_unseen() -> None:
    """For whoever is inside still, after lists of filters were exchanged."""
    with PRESENCE.lock:
        if PRESENCE.depths:
            _put_in(warnings.filters)
        else:
            _take_out()


def _put_in(filters: Any) -> None:
    if not filters or filters[0] is not FILTER:
        filters.insert(0, FILTER)
    if not any(each is filters for each in PRESENCE.lists):
        PRESENCE.lists.append(filters)


def _take_out() -> None:
    """From every list it was put in, and from a copy of one, should that be in use now."""
    for filters in (*PRESENCE.lists, warnings.filters):
        filters[:] = [each for each in filters if each is not FILTER]  # type: ignore[index]
    PRESENCE.lists.clear()


def _forget() -> None:
    """A forked child has one thread, and none of its parent's is inside."""
    PRESENCE.__init__()  # type: ignore[misc]


os.register_at_fork(after_in_child=_forget)
