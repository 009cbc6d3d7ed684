"""`equipoise reproduce`: published studies run again; progress, a table of the claims, and a folder of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from equipoise.cli import screen
from equipoise.cli.places import refuse_replacing_in
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS, Claim
from equipoise.studies.common.resumable import CACHE
from equipoise.studies.dimension import data as dimension_data
from equipoise.studies.dimension import report as dimension_report
from equipoise.studies.dimension import runs as dimension
from equipoise.studies.prediction import data as prediction_data
from equipoise.studies.prediction import report as prediction_report
from equipoise.studies.prediction import runs as prediction
from equipoise.studies.stability import data as stability_data
from equipoise.studies.stability import report as stability_report
from equipoise.studies.stability import runs as stability
from equipoise.studies.tuning import data as tuning_data
from equipoise.studies.tuning import report as tuning_report
from equipoise.studies.tuning import runs as tuning
from equipoise.studies.warfarin import data as warfarin_data
from equipoise.studies.warfarin import report as warfarin_report
from equipoise.studies.warfarin import runs as warfarin


@dataclass(frozen=True, slots=True)
class Study:
    """What a study must offer; its data know `source` and `real`, its outcome what was `unavailable`."""

    load: Callable[[Path | None, bool], Any]
    without_data: Callable[[Any], str]
    settings: Callable[[bool], Any]
    check: Callable[[Any, Any], None]
    run: Callable[[Any, Any, Path, int, Callable[[int, int], None]], Any]
    write: Callable[[Path, Any], tuple[Any, tuple[Claim, ...]]]
    files: str


WARFARIN = Study(
    load=warfarin_data.load,
    without_data=lambda _: f"No {warfarin_data.FILE} found: using simulated patients. {warfarin_data.HOW_TO_GET}",
    settings=lambda quick: warfarin.QUICK if quick else warfarin.FULL,
    check=warfarin.check,
    run=warfarin.run,
    write=warfarin_report.write_all,
    files="report.html, points.csv, five pictures",
)
TUNING = Study(
    load=tuning_data.load,
    without_data=lambda tables: f"Using {tables.source}. {tuning_data.HOW_TO_GET}",
    settings=lambda quick: tuning.QUICK if quick else tuning.FULL,
    check=tuning.check,
    run=tuning.run,
    write=tuning_report.write_all,
    files="report.html, points.csv, four pictures",
)
PREDICTION = Study(
    load=prediction_data.load,
    without_data=lambda tables: f"Using {tables.source}. {prediction_data.HOW_TO_GET}",
    settings=lambda quick: prediction.QUICK if quick else prediction.FULL,
    check=prediction.check,
    run=prediction.run,
    write=prediction_report.write_all,
    files="report.html, points.csv, five pictures",
)


DIMENSION = Study(
    load=dimension_data.load,
    without_data=lambda tables: f"Using {tables.source}. {dimension_data.HOW_TO_GET}",
    settings=lambda quick: dimension.QUICK if quick else dimension.FULL,
    check=dimension.check,
    run=dimension.run,
    write=dimension_report.write_all,
    files="report.html, points.csv, three pictures",
)

STABILITY = Study(
    load=stability_data.load,
    without_data=lambda tables: f"Using {tables.source}. {stability_data.HOW_TO_GET}",
    settings=lambda quick: stability.QUICK if quick else stability.FULL,
    check=stability.check,
    run=stability.run,
    write=stability_report.write_all,
    files="report.html, points.csv, four pictures",
)


def reproduce(
    study: Study, out: Path, folder: Path | None, quick: bool, simulated: bool, as_json: bool = False
) -> None:
    """Everything the command does; what it writes is listed at the end."""
    again = (out / CACHE).is_file()  # its own folder, which it goes on from
    refuse_replacing_in("out", out, ("report.html", "points.csv"), again, forced=False)
    console = Console(stderr=as_json)
    if simulated and folder is not None:
        raise InvalidInput("data, simulated: give --data for real tables or --simulated for made-up ones, not both")
    data = study.load(folder, simulated)
    if not data.real:
        console.print(study.without_data(data))
    settings = study.settings(quick)
    study.check(data, settings)
    out.mkdir(parents=True, exist_ok=True)
    outcome = run(study, data, settings, out)
    claims = study.write(out, outcome)[1]
    for key, reason in outcome.unavailable.items():
        console.print(f"Not available: {key} ({reason})", soft_wrap=True)
    if as_json:
        screen.tell_json({"folder": str(out), "data": data.source, "claims": [asdict(claim) for claim in claims]})
        return
    console.print(table(claims))
    console.print(f"Written to {out}/: {study.files}; {CACHE} to resume from")


def run(study: Study, data: Any, settings: Any, out: Path) -> Any:
    """All cores, behind a progress bar that leaves when it is done."""
    with screen.counting(f"Fitting {data.source}") as tick:
        return study.run(data, settings, out, screen.cores(), tick)


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
