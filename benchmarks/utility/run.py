"""Runs what is missing, in several processes if asked, and keeps every cell as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import joblib

from benchmarks.utility import plan, problems
from benchmarks.utility.contenders import CONTENDERS
from benchmarks.utility.measure import configuration, measure
from benchmarks.utility.results import Cell, Result, append, read, tidy

Progress = Callable[[str, int, int], None]


def complete(
    wanted: list[tuple[str, list[Cell]]],
    path: Path,
    jobs: int,
    quick: bool,
    progress: Progress,
    at_most: int | None = None,
) -> dict[Cell, Result]:
    """Every result in the file after all wanted cells are there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = read(path)
    total, done = sum(len(own) for _, own in wanted), 0
    for name, own in wanted:
        progress(name, done, total)
        missing = todo(name, own, known, quick, at_most)
        for count, result in enumerate(_measured(missing, jobs), start=1):
            append(path, result)
            known[result.cell] = result
            progress(name, done + len(own) - len(missing) + count, total)
        done += len(own)
    known = read(path)
    tidy(path, known.values())
    return known


def todo(
    name: str, own: list[Cell], known: dict[Cell, Result], quick: bool, at_most: int | None = None
) -> list[tuple[Cell, int]]:
    """Cells that are served, and are not known with this configuration and as many seeds."""
    problem = problems.load(name)
    found = []
    for cell in own:
        contender = CONTENDERS[cell.contender]
        if contender.applies(problem):
            count = plan.seeds(problem, contender, quick, at_most)
            if cell not in known or not _current(known[cell], count):
                found.append((cell, count))
    return found


def _current(result: Result, seeds: int) -> bool:
    """A failure is kept: it would fail again."""
    same = result.configuration == configuration(CONTENDERS[result.contender])
    return same and (bool(result.failed) or result.seeds >= seeds)


def _measured(missing: list[tuple[Cell, int]], jobs: int) -> Iterator[Result]:
    """As they come."""
    if jobs == 1 or len(missing) < 2:
        return (measure(cell, count) for cell, count in missing)
    pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    found: Iterator[Result] = pool(joblib.delayed(measure)(cell, count) for cell, count in missing)
    return found
