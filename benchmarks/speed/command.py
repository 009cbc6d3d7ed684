"""What `equipoise bench speed` does: measure, write the file, draw, show."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table as Shown

from benchmarks.speed import additive, logistic, others, plot, sparse
from benchmarks.speed.measure import PROCESSOR, WALL, Row, measure
from benchmarks.speed.problem import Problem
from benchmarks.speed.results import read, write
from equipoise.errors import InvalidInput

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "benchmarks" / "results" / "speed.csv", ROOT / "docs" / "explanation" / "figures" / "speed.png"
PROBLEMS: tuple[Problem, ...] = (*logistic.PROBLEMS, *sparse.PROBLEMS, *additive.PROBLEMS, *others.PROBLEMS)
ABROAD = ("diffprivlib",)
"""Needs an environment of its own, which the short form does not build, and tells processor time alone."""


def speed(
    names: list[str] | None,
    contenders: list[str] | None,
    repeats: int,
    most_rows: int | None,
    quick: bool,
    draw: bool,
    out: Path | None,
    wall: bool = False,
) -> None:
    """Everything, or what is named; rows that were measured before stay in the file."""
    chosen, clock = _chosen(names), WALL if wall else PROCESSOR
    console = Console()
    folder = Path("out/bench") if quick and out is None else out
    csv, picture = COMMITTED if folder is None else (folder / "speed.csv", folder / "speed.png")
    rows = read(csv)
    if not draw:
        with console.status("") as status:
            for problem in chosen:
                for size in (problem.quick,) if quick else problem.sizes:
                    if most_rows is not None and size.n > most_rows:
                        continue
                    wanted = _wanted(problem, size, contenders, quick or wall)
                    rows += measure(problem, size, wanted, repeats, status.update, clock)
                    write(csv, rows)
    kept = read(csv)  # where something was measured again, the last alone
    plot.draw(kept, picture)
    console.print(table(kept))
    for name, axis, contender, power in plot.powers(kept):
        console.print(f"{name}, {contender}: time ~ {axis}^{power:.2f}")
    console.print(f"Written: {csv}", soft_wrap=True)


def _chosen(names: list[str] | None) -> list[Problem]:
    known = {problem.name: problem for problem in PROBLEMS}
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise InvalidInput(f"problems={unknown[0]!r}: must be of {', '.join(known)}")
    return [problem for problem in PROBLEMS if names is None or problem.name in names]


def _wanted(problem: Problem, size: object, contenders: list[str] | None, here: bool) -> list[str] | None:
    if contenders is not None or not here:
        return contenders
    return [name for name in problem.contenders(problem.make(problem.quick)) if name not in ABROAD]


def table(rows: list[Row]) -> Shown:
    """For a terminal."""
    shown = Shown(title="Time over that of the baseline in the same run")
    for name in ("problem", "size", "contender", "clock", "ratio", "quarters", "seconds", "gap"):
        shown.add_column(name)
    for row in rows:
        gap = "" if row.gap is None else f"{row.gap:.1e}"
        mark = " (baseline)" if row.contender == row.baseline else ""
        told = row.failed or f"{row.ratio:.2f}"
        size = f"{row.n:,} x {row.d}" + ("" if row.filled is None else f", {row.filled} filled")
        quarters = "" if row.failed else f"{row.low:.2f} {row.high:.2f}"
        clock = f"{row.clock}, {row.threads}"
        shown.add_row(row.problem, size, row.contender + mark, clock, told, quarters, f"{row.seconds:.3f}", gap)
    return shown
