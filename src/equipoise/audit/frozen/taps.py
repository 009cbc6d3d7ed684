"""OPENS PRIVATE VALUES, for synthetic data only: taps on the gate's functions, for as long as a `with` block lasts.

Every module that holds one of the tapped functions is given the tap in its place, in this thread alone; other threads
pass straight through.  When the block ends everything is put back, and a tap that somebody kept does nothing more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from equipoise.errors import InvalidInput

Function = Callable[..., Any]
Tap = Callable[..., Any]
"""Called with the original function first, then with its arguments."""

_Place = tuple[Any, str]
"""A module and a name in it, or a cell of a closure."""

_busy = threading.Lock()


def look(private: Any) -> Any:
    """The bare value of a Private.  Nothing else in this package opens one."""
    return private.reveal()


def held(module: ModuleType, name: str) -> Any:
    """What a module of the gate uses under this name, exported or not."""
    return vars(module)[name]


@contextmanager
def tapped(functions: dict[Function, Tap], methods: dict[tuple[type, str], Tap]) -> Iterator[None]:
    """Put the taps on, and take them off whatever happens.  One block at a time."""
    if not _busy.acquire(blocking=False):
        raise InvalidInput("replay: another one is running in this process, wait for it to end")
    switch = _Switch(threading.get_ident())
    replaced = {original: switch.tap(original, tap) for original, tap in functions.items()}
    kept = {place: vars(place[0])[place[1]] for place in methods}
    before, put_in = _modules(), list[_Place]()
    try:
        put_in.extend(_swap(replaced, before))
        for (owner, name), tap in methods.items():
            setattr(owner, name, switch.tap(kept[owner, name], tap))
        yield
    finally:
        switch.on = False
        for (owner, name), original in kept.items():
            setattr(owner, name, original)
        taken_out = {tap: original for original, tap in replaced.items()}
        for holder, attribute in put_in:
            if (tap := _there(holder, attribute)) in taken_out:
                setattr(holder, attribute, taken_out[tap])
        since = [name for name, names in _modules().items() if before.get(name) != names]  # imported, or given names
        put_in.extend(_swap(taken_out, since))
        _busy.release()


class _Switch:
    """Whether taps act, and in which thread."""

    __slots__ = ("on", "thread")

    def __init__(self, thread: int) -> None:
        self.on, self.thread = True, thread

    def tap(self, original: Function, tap: Tap) -> Function:
        def tapping(*args: Any, **kwargs: Any) -> Any:
            if self.on and threading.get_ident() == self.thread:
                return tap(original, *args, **kwargs)
            return original(*args, **kwargs)

        return tapping


def _modules() -> dict[str, int]:
    """Those of the library that are there, and how many names each has."""
    ours = [name for name in list(sys.modules) if name.startswith("equipoise") and name.split(".", 1)[0] == "equipoise"]
    return {name: len(vars(sys.modules[name])) for name in ours}


def _swap(instead: dict[Function, Function], names: Iterable[str]) -> Iterator[_Place]:
    """In these modules, and in functions that somebody wrapped around; tells where."""
    put_in = set(instead.values())
    for name in names:
        module, found = sys.modules[name], list[_Place]()
        for attribute, value in list(vars(module).items()):  # twenty thousand in all, most of them no functions
            if type(value) is FunctionType:
                if value in instead:
                    found.append((module, attribute))
                if value.__closure__ and value not in put_in:
                    cells = [(cell, "cell_contents") for cell in value.__closure__]
                    found += [cell for cell in cells if _there(*cell) in instead]
        for holder, attribute in found:
            setattr(holder, attribute, instead[getattr(holder, attribute)])
            yield holder, attribute


def _there(holder: Any, attribute: str) -> Any:
    """The function at a place; nothing where it is gone, and in a cell that is not filled yet."""
    try:
        value = getattr(holder, attribute)
    except (AttributeError, ValueError):
        return None
    return value if isinstance(value, FunctionType) else None
