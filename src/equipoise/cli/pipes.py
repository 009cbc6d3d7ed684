"""The end of a command whose output nobody reads any more, as in `equipoise predict new.csv | head`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from equipoise.cli.exit_codes import Code


def flushed(command: Callable[[], object]) -> None:
    """The command, and what it printed on its way: else a closed pipe is noticed after everything has ended."""
    try:
        command()
    except SystemExit as ending:
        if isinstance(ending.__context__, BrokenPipeError):  # typer took it, and says 1 as for any answer that is no
            _leave()
        raise
    finally:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _leave()


def _leave() -> NoReturn:
    """With the code of the signal that ends other tools.  Ours ignores it: it would end a fit in the middle."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more when it ends
    raise SystemExit(int(Code.CLOSED_PIPE)) from None
