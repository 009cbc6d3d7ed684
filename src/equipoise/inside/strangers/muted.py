"""Prints, log records and warnings of strangers go nowhere; those of other threads pass.

What compiled code writes straight to the terminal does not come by here.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from equipoise.inside.strangers.unseen import PRESENCE


class _Nowhere:
    """A stream that leads nowhere, in order for every stranger, though the last one closed it or took it apart."""

    def __init__(self) -> None:
        self._file = -1
        self._stream: Any = None

    def open(self) -> Any:
        try:
            shut = self._stream is None or self._stream.closed
        except ValueError:  # taken apart
            shut = True
        if shut:
            self._file = self._file if self._file >= 0 else os.open(os.devnull, os.O_WRONLY)
            self._stream = open(self._file, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
        return self._stream


_NOWHERE = _Nowhere()


class _Stream:
    """A stream that takes nothing from threads inside: what they close, take apart or write below leads nowhere."""

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
        return getattr(_NOWHERE.open() if PRESENCE.here() else self._stream, name)


def _bare(stream: Any) -> Any:
    """One of ours that another thread took for the usual stream, and put back later, does not pile up."""
    return stream._stream if isinstance(stream, _Stream) else stream


@contextmanager
def muted() -> Iterator[None]:
    """For one caller at a time.  What a stranger puts in the place of streams and hooks is taken away again.

    What came in the place of ours may be another thread's, whose `redirect_stdout` is not made for threads.  A
    stranger's must not stay, for what it depends on, so the old ones always come back.
    """
    hands = logging.Logger.callHandlers
    logging.Logger.callHandlers = _unless_inside(hands)  # type: ignore[method-assign]
    try:
        with (
            _exchanged(sys, "stdout", _bare(sys.stdout), _Stream),
            _exchanged(sys, "stderr", _bare(sys.stderr), _Stream),
            _exchanged(warnings, "showwarning", warnings.showwarning, lambda shows: _unless_inside(_shown_by(shows))),
        ):
            yield
    finally:
        logging.Logger.callHandlers = hands  # type: ignore[method-assign]


@contextmanager
def _exchanged(place: Any, name: str, before: Any, made: Callable[[Any], Any]) -> Iterator[None]:
    setattr(place, name, made(before))
    try:
        yield
    finally:
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
