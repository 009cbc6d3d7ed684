"""What a stranger puts in the place of a module's attributes is taken away again; what another thread puts there stays.

`warnings.catch_warnings` and `contextlib.redirect_stdout` exchange attributes of modules that belong to all threads.  A
stranger that leaves without putting them back would be seen, for it may have done so because of a record; putting back
whatever stood there at the beginning would undo what other threads did meanwhile.  So it is noted who did what, and in
the end everything stands as if the others had been alone.  Except for another thread that remembers what the stranger
had put there and puts it back after the stranger is gone: docs/known-limits.md, 7.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final, cast

from equipoise.rows.unseen import PRESENCE, stay_unseen

_LOCK = threading.RLock()
_NOTHING: Final = object()


class _Exchanged:
    """One attribute that somebody exchanged while a stranger was there."""

    def __init__(self, now: Any) -> None:
        self.others = [now]
        """Every value that was there or came from another thread; the last is how it would be without the stranger."""
        self.strangers: list[tuple[Any, Any]] = []
        """Values that came from the stranger, each with what it took the place of."""
        self.contents: list[tuple[list[Any], list[Any]]] = []
        """Lists that came from another thread, each with what was in it."""

    def by_stranger(self, value: Any) -> Any:
        if not any(value is each for each in self.others):
            self.strangers.append((value, self.others[-1]))
        return value

    def by_another(self, value: Any) -> Any:
        """Who remembered a stranger's value, to put it back later, means the one that it took the place of."""
        meant = next((before for put, before in self.strangers if put is value), value)
        self.others.append(meant)
        if isinstance(meant, list):
            self.contents.append((meant, list(meant)))
        return meant

    def forget(self) -> Any:
        """How it would be without the stranger, who may also have changed what is in a list of filters."""
        for put, inside in reversed(self.contents):  # what came first was the least touched
            put[:] = inside
        for put, before in self.strangers:
            if isinstance(put, list) and isinstance(before, list):  # another thread may still put it back
                put[:] = before
        return self.others[-1]


_NOTES: dict[str, dict[str, _Exchanged]] = {}
"""By module and attribute."""
_KINDS: list[tuple[ModuleType, type[ModuleType]]] = []
"""The modules that are watched, with their own classes."""


class _Noting:
    """Beside the class of a module that is watched, which may get its own class back while a thread waits here."""

    def __setattr__(self, name: str, value: Any) -> None:
        with _LOCK:
            ModuleType.__setattr__(cast("ModuleType", self), name, _noted(self, name, value))

    def __delattr__(self, name: str) -> None:
        with _LOCK:
            _noted(self, name, _NOTHING)
            ModuleType.__delattr__(cast("ModuleType", self), name)


def _noted(place: Any, name: str, value: Any) -> Any:
    """What to set, once it is known who asked for it."""
    notes, stranger = _NOTES.get(place.__name__), PRESENCE.stranger()
    if notes is None:
        return value
    if name not in notes:
        notes[name] = _Exchanged(vars(place).get(name, _NOTHING))
    return notes[name].by_stranger(value) if stranger else notes[name].by_another(value)


@functools.cache
def _noting(kind: Any) -> Any:
    return type(kind.__name__, (_Noting, kind), {})


@contextmanager
def watched(*places: ModuleType) -> Iterator[None]:
    """For one caller at a time, before strangers come in."""
    with _LOCK:
        for place in places:
            _NOTES[place.__name__] = {}
            kind: Any = type(place)
            _KINDS.append((place, kind))
            place.__class__ = _noting(kind)
    try:
        yield
    finally:
        with _LOCK:
            _end()
        stay_unseen()


def _end() -> None:
    while _KINDS:
        place, kind = _KINDS.pop()
        ModuleType.__setattr__(place, "__class__", kind)  # past our own notes
        for name, exchanged in _NOTES.pop(place.__name__).items():
            _put(place, name, exchanged.forget())


def _put(place: ModuleType, name: str, value: Any) -> None:
    if value is not _NOTHING:
        setattr(place, name, value)
    elif hasattr(place, name):
        delattr(place, name)


def _forget() -> None:
    """A forked child has no stranger, and nobody who holds the lock."""
    global _LOCK
    _LOCK = threading.RLock()
    _end()


os.register_at_fork(after_in_child=_forget)
