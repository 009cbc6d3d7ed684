"""`equipoise bench`: measurements of the project that anybody can repeat, from a checkout of its source."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import equipoise
from equipoise.errors import InvalidInput

HARNESS = Path("benchmarks") / "utility" / "command.py"

app = typer.Typer(help="Measure the library against its peers, from a checkout of its source.", no_args_is_help=True)


@app.callback()
def measurements() -> None:
    """Measure the library against its peers, from a checkout of its source."""


@app.command()
def accuracy(
    place: Annotated[str | None, typer.Option("--set", help="Only tables of this set: design, seen or fresh.")] = None,
    problems: Annotated[str | None, typer.Option(help="Only these, with commas between.")] = None,
    contenders: Annotated[
        str | None, typer.Option(help="Only these, with commas between; `ours` and `peers` name groups.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 1,
    seeds: Annotated[int | None, typer.Option(help="At most so many, where time is short.", min=1)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Six tables, two ε, three seeds, into out/bench.")] = False,
    draw: Annotated[bool, typer.Option("--draw", help="Measure nothing; write page and pictures again.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for all files; without it the committed ones.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder with the tables; EQUIPOISE_DATA names it as well.")] = None,
) -> None:
    """The standing comparison: every contender on every table, resumed from its results file.

    Peers' environments and tables of other packages are fetched with pip into the temporary directory, once.
    """
    if jobs < 1:
        raise InvalidInput(f"jobs={jobs}: must be at least 1")
    if data is not None:
        os.environ["EQUIPOISE_DATA"] = str(data)
    sys.path.insert(0, str(checkout()))
    harness = importlib.import_module("benchmarks.utility.command")
    harness.accuracy(place, _listed(problems), _listed(contenders), jobs, quick, draw, out, seeds)


@app.command()
def speed(
    problems: Annotated[str | None, typer.Option(help="Only these, with semicolons between.")] = None,
    contenders: Annotated[
        str | None, typer.Option(help="Only these and the baseline, with semicolons between.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(help="Quotients for each figure; 7, or 2 with --quick.")] = None,
    most_rows: Annotated[int | None, typer.Option(help="Leave larger tables out.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Tiny tables, into out/bench.")] = False,
    draw: Annotated[bool, typer.Option("--draw", help="Measure nothing; draw the picture again.")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for all files; without it the committed ones.")] = None,
    wall: Annotated[
        bool, typer.Option("--wall", help="By the clock on the wall, everybody with as many threads as they take.")
    ] = False,
) -> None:
    """Time of every mechanism beside scikit-learn, diffprivlib and OpenDP, as quotients in one run."""
    repeats = (2 if quick else 7) if repeats is None else repeats
    if repeats < 1:
        raise InvalidInput(f"repeats={repeats}: must be at least 1")
    sys.path.insert(0, str(checkout()))
    harness = importlib.import_module("benchmarks.speed.command")
    harness.speed(_listed(problems, ";"), _listed(contenders, ";"), repeats, most_rows, quick, draw, out, wall)


def checkout() -> Path:
    """Where the harness is: here, above, or beside an installation for development.  A wheel does not carry it."""
    here, library = Path.cwd(), Path(equipoise.__file__).parent
    for folder in (here, *here.parents, *library.parents):
        if (folder / HARNESS).is_file():
            return folder
    raise InvalidInput("bench: needs a checkout of the project's source, run it there: it is in benchmarks/utility")


def _listed(text: str | None, between: str = ",") -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(between)]
