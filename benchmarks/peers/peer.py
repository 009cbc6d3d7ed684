"""The peer's own environment, made once with pip, and a running process in it that fits its models when asked."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

HERE = Path(__file__).parent
PINS = HERE / "requirements-diffprivlib.txt"
DOOR = HERE / "diffprivlib_door.py"


class PeerRaised(RuntimeError):
    """The peer's fit raised; only the type of its error is known."""


def environment() -> Path:
    """The peer's interpreter, in a folder of the system's temporary directory named after the pins."""
    text = PINS.read_text() + sys.version
    folder = Path(tempfile.gettempdir()) / f"equipoise-peers-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        print(f"building {folder} from {PINS.name}", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(PINS)]
        subprocess.run(install, check=True)
        ready.touch()
    return python


class Door:
    """Asks the peer's process; use it in a `with` block, which ends the process."""

    def __init__(self) -> None:
        # Fits this small only lose time to threads.
        quiet = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [str(environment()), str(DOOR)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=quiet
        )

    def ask(self, what: str, **request: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"ask": what, **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise OSError("the peer's process ended; run its door by hand to see why")
        reply = json.loads(line)
        if "raised" in reply:
            raise PeerRaised(reply["raised"])
        return reply["answer"]

    def fit(self, what: str, estimator: str, settings: Mapping[str, Any], data: tuple[Any, Any]) -> Any:
        """One fit on (X, y); `what` says which released numbers are wanted."""
        X, y = (part.tolist() for part in data)
        return self.ask(what, estimator=estimator, settings=dict(settings), X=X, y=y)

    def __enter__(self) -> Door:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
