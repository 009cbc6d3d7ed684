"""`equipoise bench`: measurements of the project that anybody can repeat, from a checkout of its source."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import equipoise
from equipoise.errors import InvalidInput

HARNESS = Path("benchmarks") / "utility" / "command.py"


def accuracy(
    place: str | None,
    problems: list[str] | None,
    contenders: list[str] | None,
    jobs: int,
    quick: bool,
    draw: bool,
    out: Path | None,
    data: Path | None,
) -> None:
    """The standing comparison of accuracy; peers' environments and tables of other packages are fetched by pip."""
    if jobs < 1:
        raise InvalidInput(f"jobs={jobs}: must be at least 1")
    if data is not None:
        os.environ["EQUIPOISE_DATA"] = str(data)
    sys.path.insert(0, str(checkout()))
    harness = importlib.import_module("benchmarks.utility.command")
    harness.accuracy(place, problems, contenders, jobs, quick, draw, out)


def checkout() -> Path:
    """Where the harness is: here, above, or beside an installation for development.  A wheel does not carry it."""
    here, library = Path.cwd(), Path(equipoise.__file__).parent
    for folder in (here, *here.parents, *library.parents):
        if (folder / HARNESS).is_file():
            return folder
    raise InvalidInput("bench: needs a checkout of the project's source, run it there: it is in benchmarks/utility")
