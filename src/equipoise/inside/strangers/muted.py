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

from equipoise.rows.unseen import PRESENCE


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

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def write(self, text: str) -> int:
        return len(text) if PRESENCE.here() else int(self.usual.write(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        if not PRESENCE.here():
            self.usual.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(_NOWHERE.open() if PRESENCE.here() else self.usual, name)


class _Show:
    """Shows the warnings of threads that are not inside."""

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def __call__(
        self, message: Any, category: Any, filename: Any, line: Any, file: Any = None, text: Any = None
    ) -> None:
        if PRESENCE.here():
            return
        if self.usual is not warnings._showwarning_orig:  # type: ignore[attr-defined]
            self.usual(message, category, filename, line, file, text)
            return
        # Python's own way to show a warning looks up where recorders want it.
        told = warnings.WarningMessage(message, category, filename, line, file, text)
        warnings._showwarnmsg_impl(told)  # type: ignore[attr-defined]


@contextmanager
def muted() -> Iterator[None]:
    """For one caller at a time, around `watched`: what has taken the place of ours by then is another thread's."""
    hands = logging.Logger.callHandlers
    logging.Logger.callHandlers = _unless_inside(hands)  # type: ignore[method-assign]
    try:
        with (
            _exchanged(sys, "stdout", _Stream),
            _exchanged(sys, "stderr", _Stream),
            _exchanged(warnings, "showwarning", _Show),
        ):
            yield
    finally:
        logging.Logger.callHandlers = hands  # type: ignore[method-assign]


@contextmanager
def _exchanged(place: Any, name: str, kind: type[_Stream] | type[_Show]) -> Iterator[None]:
    before = getattr(place, name)
    while isinstance(before, kind):  # one of ours, which another thread took for the usual one and put back later
        before = before.usual
    ours = kind(before)
    setattr(place, name, ours)
    try:
        yield
    finally:
        if getattr(place, name) is ours:
            setattr(place, name, before)


def _unless_inside(work: Callable[..., Any]) -> Callable[..., None]:
    def quiet(*given: Any) -> None:
        if not PRESENCE.here():
            work(*given)

    return quiet
