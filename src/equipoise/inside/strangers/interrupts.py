"""Whose KeyboardInterrupt it is: the user's comes through the signal handler, a stranger's does not.

Python runs signal handlers in the main thread alone, so in any other a KeyboardInterrupt is the stranger's.  One that
sends itself the signal is taken for the user.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """What the user asked for since strangers were let in."""

    def __init__(self) -> None:
        self.stop = False
        """The handler raised within a stranger's work, which may have swallowed it."""
        self.late = False
        """The signal came while a stranger's traces were cleared away: it is handled afterwards."""
        self.working = False

    def raise_if_asked(self) -> None:
        if self.stop:
            self.stop = False
            raise KeyboardInterrupt


INTERRUPTS = Interrupts()


@contextmanager
def told_apart() -> Iterator[None]:
    """For one caller at a time: watch the signal, and afterwards put back whatever handled it."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return

    def watch(number: int, frame: Any) -> None:
        if not INTERRUPTS.working:
            INTERRUPTS.late = True
            return
        INTERRUPTS.stop = True
        usual(number, frame)
        INTERRUPTS.stop = False  # a handler that does not raise has dealt with it

    INTERRUPTS.stop = INTERRUPTS.late = False
    signal.signal(signal.SIGINT, watch)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    INTERRUPTS.raise_if_asked()
    if INTERRUPTS.late:
        usual(signal.SIGINT, None)
