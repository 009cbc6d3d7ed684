"""Tables that a study reads if they are there: where they are looked for, and how a bad file is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from equipoise._checks import quoted
from equipoise.errors import InvalidInput


def find(folder: Path | None, name: str) -> Path | None:
    """The file in the folder given, named by EQUIPOISE_DATA, or beside the project.

    Who names a folder means it: a file that is not in a folder given is an error, not a reason to simulate.
    """
    named = os.environ.get("EQUIPOISE_DATA")
    path = (folder or Path(named or Path("..") / "shared" / "data")) / name
    if path.is_file():
        return path
    if folder is not None:
        raise InvalidInput(
            f"data={quoted(str(folder))}: has no {name}; give the folder that has it, or leave --data out"
        )
    if named and not path.parent.is_dir():
        raise InvalidInput(
            f"EQUIPOISE_DATA={quoted(named)}: is no folder; correct it, or unset it for simulated tables"
        )
    return None


def read_parquet(path: Path) -> Any:
    """A pandas frame."""
    try:
        import pandas as pd

        return pd.read_parquet(path)
    except ImportError:
        raise InvalidInput(f"{path.name}: reading it needs pandas and pyarrow, pip install pandas pyarrow") from None
    except ValueError:  # pyarrow's complaints quote bytes of the file
        raise InvalidInput(f"{path.name}: is no Parquet file, fetch it again") from None


def refuse_missing(table: Any, needed: tuple[str, ...], name: str) -> None:
    """Names the columns that a table lacks."""
    missing = [column for column in needed if column not in table.columns]
    if missing:
        raise InvalidInput(f"{name}: lacks the columns {', '.join(missing)}; use the table as published")
