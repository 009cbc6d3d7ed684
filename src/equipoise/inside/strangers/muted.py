"""Prints, log records and warnings of strangers go nowhere; those of other threads pass.

What compiled code writes straight to the terminal does not come by here.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from equipoise.inside.strangers.unseen import PRESENCE


class _Stream:
    """A stream that takes nothing from threads inside."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if PRESENCE.here() else int(self._stream.write(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if not PRESENCE.here():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def muted(crowded: bool) -> Iterator[None]:
    """For one caller at a time.  What a stranger puts in the place of streams and hooks is taken away again.

    In a crowded process what came in the place of ours may be another thread's: then it stays.
    """
    hands = logging.Logger.callHandlers
    logging.Logger.callHandlers = _unless_inside(hands)  # type: ignore[method-assign]
    shows = warnings.showwarning
    try:
        with (
            _exchanged(sys, "stdout", _Stream(sys.stdout), crowded),
            _exchanged(sys, "stderr", _Stream(sys.stderr), crowded),
            _exchanged(warnings, "showwarning", _unless_inside(_shown_by(shows)), crowded),
        ):
            yield
    finally:
        logging.Logger.callHandlers = hands  # type: ignore[method-assign]


@contextmanager
def _exchanged(place: Any, name: str, ours: Any, crowded: bool) -> Iterator[None]:
    before = getattr(place, name)
    setattr(place, name, ours)
    try:
        yield
    finally:
        if not crowded or getattr(place, name) is ours:
            setattr(place, name, before)


def _unless_inside(work: Callable[..., Any]) -> Callable[..., None]:
    def quiet(*given: Any) -> None:
        if not PRESENCE.here():
            work(*given)

    return quiet


def _shown_by(shows: Callable[..., Any]) -> Callable[..., Any]:
    """Python's own way to show a warning looks up where recorders want it; one that replaced it is called."""
    if shows is not warnings._showwarning_orig:  # type: ignore[attr-defined]
        return shows

    def usual(message: Any, category: Any, filename: Any, line: Any, file: Any = None, text: Any = None) -> None:
        told = warnings.WarningMessage(message, category, filename, line, file, text)
        warnings._showwarnmsg_impl(told)  # type: ignore[attr-defined]

    return usual
