"""The real executable, as a shell would start it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
