"""`equipoise reproduce`: published studies run again; progress, a table of the claims, and a folder of files."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from equipoise.errors import InvalidInput
from equipoise.studies import warfarin, warfarin_data
from equipoise.studies.warfarin_claims import FAILS, HOLDS, Claim
from equipoise.studies.warfarin_report import write_all


def reproduce_warfarin(out: Path, folder: Path | None, quick: bool) -> None:
    """Everything the command does; what it writes is listed at the end."""
    if out.exists() and not out.is_dir():
        raise InvalidInput(f"out={str(out)!r}: is a file, give a folder")
    console = Console()
    patients = warfarin_data.load(folder)
    if not patients.real:
        console.print(f"No {warfarin_data.FILE} found: using simulated patients. {warfarin_data.HOW_TO_GET}")
    settings = warfarin.QUICK if quick else warfarin.FULL
    warfarin.check(patients, settings)
    out.mkdir(parents=True, exist_ok=True)
    outcome = run(patients, settings, out, console)
    claims = write_all(out, outcome)[1]
    for key, reason in outcome.unavailable.items():
        console.print(f"Not available: {key} ({reason})", soft_wrap=True)
    console.print(table(claims))
    console.print(f"Written to {out}/: report.html, points.csv, five pictures; {warfarin.CACHE} to resume from")


def run(patients: warfarin_data.Patients, settings: warfarin.Settings, out: Path, console: Console) -> warfarin.Outcome:
    """Both cores, behind a progress bar that leaves when it is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(f"Fitting {patients.source}", total=None)
        return warfarin.run(
            patients, settings, out, cores(), lambda done, total: bar.update(task, completed=done, total=total)
        )


def cores() -> int:
    return os.cpu_count() or 1


def table(claims: tuple[Claim, ...]) -> Table:
    """Claim, figures, verdict."""
    colours = {HOLDS: "green", FAILS: "red"}
    result = Table(title="The paper's claims, checked", show_lines=True)
    for name in ("claim", "measured", "verdict"):
        result.add_column(name)
    for claim in claims:
        colour = colours.get(claim.verdict, "dim")
        result.add_row(claim.statement, claim.measured, f"[{colour}]{claim.verdict}[/{colour}]")
    return result
