"""What `equipoise bench accuracy` does: run what is missing behind a progress bar, then draw and write everything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from benchmarks.utility import plan, plot, run
from benchmarks.utility.claims import SENTENCES
from benchmarks.utility.compare import Results
from benchmarks.utility.page import PLACES, page
from benchmarks.utility.results import Cell, read, tidy
from equipoise.errors import InvalidInput
from equipoise.studies.common.claims import FAILS, HOLDS

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Files:
    """Where things are written."""

    csv: Path
    page: Path
    figures: Path
    readme: Path

    @property
    def csv_link(self) -> tuple[str, str]:
        """Its name, and the way to it from the page."""
        inside = self.csv.is_relative_to(ROOT) and self.page.is_relative_to(ROOT)
        name = self.csv.relative_to(ROOT).as_posix() if inside else self.csv.name
        up = "../" * (len(self.page.relative_to(ROOT).parts) - 1) if inside else ""
        return name, f"{up}{name}"


COMMITTED = Files(
    ROOT / "benchmarks" / "results" / "utility.csv",
    ROOT / "docs" / "explanation" / "accuracy.md",
    ROOT / "docs" / "explanation" / "figures",
    ROOT / "docs" / "accuracy.png",
)


def files(out: Path | None) -> Files:
    """The committed ones, or a folder."""
    if out is None:
        return COMMITTED
    if out.exists() and not out.is_dir():
        raise InvalidInput(f"out={str(out)!r}: is a file, give a folder")
    return Files(out / "utility.csv", out / "accuracy.md", out, out / "accuracy.png")


def accuracy(
    place: str | None,
    names: list[str] | None,
    contenders: list[str] | None,
    jobs: int,
    quick: bool,
    draw: bool,
    out: Path | None,
    seeds: int | None = None,
) -> None:
    """Measure, unless only drawing is asked for; then write the page and the pictures and show the claims."""
    if place not in (None, *PLACES):
        raise InvalidInput(f"set={place!r}: must be {', '.join(PLACES)}")
    console = Console()
    written = files(Path("out/bench") if quick and out is None else out)
    if not draw:
        measure(written, plan.cells(place, names, contenders, quick), jobs, quick, console, seeds)
    results = Results(read(written.csv))
    tidy(written.csv, results.cells.values())  # lines of two runs may have been put together
    write(results, written)
    console.print(table(results))
    console.print(f"Written: {written.csv}, {written.page}, {written.readme}", soft_wrap=True)


def measure(
    written: Files,
    cells: list[tuple[str, list[Cell]]],
    jobs: int,
    quick: bool,
    console: Console,
    seeds: int | None = None,
) -> None:
    """Behind a bar that leaves when it is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        run.complete(
            cells,
            written.csv,
            jobs,
            quick,
            lambda name, done, total: bar.update(task, description=name, completed=done, total=total),
            seeds,
        )


def write(results: Results, written: Files) -> None:
    """The page and its pictures."""
    written.page.parent.mkdir(parents=True, exist_ok=True)
    written.figures.mkdir(parents=True, exist_ok=True)
    shown = []
    for name, picture in (("accuracy-excess.png", plot.excess(results)), ("accuracy.png", plot.tables(results))):
        path = written.readme if name == "accuracy.png" else written.figures / name
        if picture:
            path.write_bytes(picture)
            shown.append(_link(path, written.page.parent))
    written.page.write_text(page(results, written.csv_link, tuple(shown)), encoding="utf-8")


def _link(path: Path, start: Path) -> str:
    return path.relative_to(start).as_posix() if path.is_relative_to(start) else f"../{path.name}"


def table(results: Results) -> Table:
    """The claims, for a terminal."""
    colours = {HOLDS: "green", FAILS: "red"}
    shown = Table(title="What was to be shown", show_lines=True)
    for name in ("claim", *(f"tables {words}" for words in PLACES.values())):
        shown.add_column(name)
    for sentence in SENTENCES:
        cells = []
        for place in PLACES:
            measured, verdict = sentence.find(results, place)
            colour = colours.get(verdict, "dim")
            cells.append(f"{measured} [{colour}]{verdict}[/{colour}]".strip())
        shown.add_row(sentence.statement, *cells)
    return shown
