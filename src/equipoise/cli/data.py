"""`equipoise data`: which tables the studies use, and which of them are there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import screen
from equipoise.cli.options import Json

TABLES = (
    ("adult.parquet", "tuning, prediction", "UCI Adult, train and test part together"),
    ("magic04.parquet", "tuning, prediction", "UCI MAGIC Gamma Telescope"),
    ("cod_rna.parquet", "prediction", "LIBSVM cod-rna"),
    ("warfarin_iwpc.parquet", "warfarin, prediction", "PharmGKB (ClinPGx), accession PS206767"),
)
"""File, the studies that read it, where it comes from."""


def data(
    folder: Annotated[
        Path | None, typer.Option("--data", help="Folder to look in; EQUIPOISE_DATA names it as well.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the tables of the studies, where they come from, and whether they are there.  Nothing is fetched.

    \b
    Example:
      equipoise data --data ~/tables
    """
    named = os.environ.get("EQUIPOISE_DATA")
    place = folder or Path(named or Path("..") / "shared" / "data")
    found = [
        {"file": file, "studies": studies, "source": source, "there": (place / file).is_file()}
        for file, studies, source in TABLES
    ]
    if as_json:
        screen.tell_json({"folder": str(place), "tables": found})
        return
    rows = [tuple("yes" if each[key] is True else str(each[key] or "no") for key in each) for each in found]
    screen.results().print(screen.table(f"Looked for in {place}", ("file", "studies", "source", "there"), rows))
    screen.tell("Without a file a study makes its table up and says so.  Name the folder by --data or EQUIPOISE_DATA.")
