"""Time of every contender, alternated with its baseline in one process, as quotients; by one of two clocks."""

from __future__ import annotations

import gc
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped,unused-ignore]

from benchmarks.speed.diffprivlib import Elsewhere
from benchmarks.speed.problem import Problem, Size, Table, Work
from equipoise.errors import EquipoiseError
from equipoise.inside.threads import allowed, at_most

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the results file."""

    problem: str
    n: int
    d: int
    filled: int | None
    contender: str
    baseline: str
    repeats: int
    ratio: float
    low: float
    high: float
    """A quarter of the quotients lies below `low`, a quarter above `high`."""
    seconds: float
    """Median time of the contender; of this machine, on this day."""
    gap: float | None
    failed: str
    configuration: str
    clock: str = "processor"
    threads: int = 1
    """What each contender could take, the baseline among them."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How time is told, and with how many threads contenders work meanwhile."""

    name: str
    now: Callable[[], float]
    threads: int

    @contextmanager
    def running(self) -> Iterator[None]:
        """Everybody has the threads that everybody else has; with more than one as many as each takes by itself."""
        with threadpool_limits(1) if self.threads == 1 else nullcontext(), at_most(self.threads):
            yield


def spent() -> float:
    """Processor time of this process and of children that ended."""
    now = os.times()
    return time.process_time() + now.children_user + now.children_system


PROCESSOR = Clock("processor", spent, 1)
WALL = Clock("wall", time.perf_counter, allowed())


def configuration(threads: int) -> str:
    """What made the figures."""
    packages = " ".join(f"{name}-{version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    machine = f"{platform.machine()} {os.cpu_count()} cores, {threads} thread{'s' if threads > 1 else ''}"
    return f"{machine}; python-{platform.python_version()} {packages}"


def seconds(work: Work, clock: Clock) -> tuple[float, Any]:
    """And what came out."""
    if isinstance(work, Elsewhere):
        processor, wall = work()
        return wall if clock is WALL else processor, None
    gc.collect()
    start = clock.now()
    made = work()
    return clock.now() - start, made


def measure(
    problem: Problem, size: Size, names: list[str] | None, repeats: int, told: Told, clock: Clock = PROCESSOR
) -> Iterator[Row]:
    """A row for each contender of this problem at this size; the baseline against itself comes first."""
    table = problem.make(size)
    known = problem.contenders(table)
    with warnings.catch_warnings(), clock.running():
        warnings.simplefilter("ignore")
        baseline = known[problem.baseline]()
        for name, prepare in known.items():
            if name == problem.baseline or names is None or name in names:
                told(f"{problem.name}, {size.n} x {size.d}: {name}")
                yield _row(problem, size, table, baseline, name, prepare, repeats, clock)


def _row(
    problem: Problem,
    size: Size,
    table: Table,
    baseline: Work,
    name: str,
    prepare: Callable[[], Work],
    repeats: int,
    clock: Clock,
) -> Row:
    asked = (problem.name, size.n, size.d, size.filled, name, problem.baseline)
    made_by = configuration(clock.threads), clock.name, clock.threads
    try:
        work = prepare()
        quotients, taken, made = _alternated(work, baseline, repeats, clock)
    except (EquipoiseError, ImportError, MemoryError, RuntimeError, ValueError) as error:
        nothing = float("nan")
        return Row(*asked, 0, nothing, nothing, nothing, nothing, None, type(error).__name__, *made_by)
    if isinstance(work, Elsewhere):
        work.close()
    low, middle, high = (float(each) for each in np.quantile(quotients, [0.25, 0.5, 0.75]))
    gap = None if problem.gap is None or made is None else problem.gap(table, made)
    return Row(*asked, repeats, middle, low, high, float(np.median(taken)), gap, "", *made_by)


def _alternated(work: Work, baseline: Work, repeats: int, clock: Clock) -> tuple[list[float], list[float], Any]:
    """Each beside the other, which of the two goes first changing; the first of each warms up."""
    _, made = seconds(work, clock)
    seconds(baseline, clock)
    quotients, taken = [], []
    for turn in range(repeats):
        if turn % 2:
            ours, (theirs, _) = seconds(work, clock)[0], seconds(baseline, clock)
        else:
            (theirs, _), ours = seconds(baseline, clock), seconds(work, clock)[0]
        quotients.append(ours / max(theirs, 1e-6))
        taken.append(ours)
    return quotients, taken, made
