"""A peer's own environment, made once with pip, and a running process in it that fits its models when asked.

Tables go through files in the temporary directory, requests and answers as one line of JSON each.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.utility.problem import Array
from equipoise.errors import InvalidInput

HERE = Path(__file__).parent


class PeerRaised(RuntimeError):
    """The peer's fit raised; only the type of its error is told."""


def environment(name: str) -> Path:
    """The peer's interpreter, in a folder of the system's temporary directory named after its pins."""
    pins = HERE / f"{name}.txt"
    text = pins.read_text() + sys.version
    folder = Path(tempfile.gettempdir()) / f"equipoise-{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        print(f"building {folder} from {pins.name}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(pins)]
        if subprocess.run(install, check=False).returncode:
            raise InvalidInput(f"{pins.name}: pip cannot install it; leave {name} out with --contenders")
        ready.touch()
    return python


class Door:
    """Asks the peer's process, which ends when its input does."""

    def __init__(self, name: str) -> None:
        self._folder = tempfile.TemporaryDirectory()
        quiet = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        quiet.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [str(environment(name)), str(HERE / f"{name}_door.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=quiet,
        )

    def answers(self, tables: dict[str, Array], **request: Any) -> Array:
        """Of the held-out rows, `X_test` of the tables."""
        asked, told = (Path(self._folder.name) / name for name in ("asked.npz", "told.npy"))
        np.savez(asked, allow_pickle=False, **tables)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"tables": str(asked), "answers": str(told), **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise PeerRaised("process ended")
        reply = json.loads(line)
        if "raised" in reply:
            raise PeerRaised(reply["raised"])
        return np.asarray(np.load(told))


@lru_cache(maxsize=4)
def open_door(name: str) -> Door:
    """One process for each peer."""
    return Door(name)
