"""OPENS PRIVATE VALUES, for synthetic data only: taps on the gate's functions, for as long as a `with` block lasts.

Every module that holds one of the tapped functions is given the tap in its place, in this thread alone; other threads
pass straight through.  When the block ends everything is put back, and a tap that somebody kept does nothing more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from equipoise.errors import InvalidInput

Function = Callable[..., Any]
Tap = Callable[..., Any]
"""Called with the original function first, then with its arguments."""

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
    try:
        _swap(replaced)
        for (owner, name), tap in methods.items():
            setattr(owner, name, switch.tap(kept[owner, name], tap))
        yield
    finally:
        switch.on = False
        for (owner, name), original in kept.items():
            setattr(owner, name, original)
        _swap({tap: original for original, tap in replaced.items()})
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


def _swap(instead: dict[Function, Function]) -> None:
    """In every module of the library, also in those imported since, and in functions that somebody wrapped around."""
    put_in = set(instead.values())
    for name, module in list(sys.modules.items()):
        if name.split(".", 1)[0] != "equipoise":
            continue
        for attribute, value in list(vars(module).items()):
            if not isinstance(value, FunctionType):
                continue
            if value in instead:
                setattr(module, attribute, instead[value])
            if value.__closure__ and value not in put_in:
                _swap_inside(value, instead)


def _swap_inside(wrapper: FunctionType, instead: dict[Function, Function]) -> None:
    for cell in wrapper.__closure__ or ():
        try:
            inner = cell.cell_contents
        except ValueError:  # not filled yet
            continue
        if isinstance(inner, FunctionType) and inner in instead:
            cell.cell_contents = instead[inner]
