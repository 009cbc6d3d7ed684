"""The real executable, as a shell would start it."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from unittest import mock

import typer

from equipoise.cli import main

PROGRAM = [sys.executable, "-c", "from equipoise.cli.main import run; run()"]
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONIOENCODING": "utf-8",
    "COLUMNS": "160",
    "TERM": "dumb",
}


def equipoise(
    *arguments: str, folder: Path | None = None, answer: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """What it printed and its exit code; `answer` is its standard input."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=folder,
        input=answer,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**ENVIRONMENT, **settings},
    )


_tree = cache(typer.main.get_command)
"""Of an app, once: to read all signatures again takes longer than most commands do."""


def here(*arguments: str, folder: Path, columns: int = 160, answer: str = "") -> subprocess.CompletedProcess[str]:
    """The same entry point in this process, which has imported everything already: seconds less for each call.
    Nobody is at a terminal; `answer` is its standard input."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))  # no half a character
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(mock.patch.object(typer.main, "get_command", _tree))
        stack.enter_context(mock.patch.object(sys, "argv", ["equipoise", *arguments]))
        stack.enter_context(mock.patch.object(sys, "stdin", io.StringIO(answer)))
        stack.enter_context(mock.patch.dict(os.environ, {"COLUMNS": str(columns), "TERM": "dumb"}))
        try:
            main.run()
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 0
        else:
            code = 0
    printed = [each.buffer.getvalue().decode() for each in (out, err)]
    return subprocess.CompletedProcess(list(arguments), code, *printed)
