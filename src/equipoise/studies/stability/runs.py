"""The runs of the stability study: accuracy against the ridge, with noise tuned to it or fixed, and chosen features."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from equipoise.errors import InvalidInput
from equipoise.studies.common import resumable
from equipoise.studies.stability.data import ADULT, Tables
from equipoise.studies.stability.methods import (
    CHOOSING,
    MOST_EPSILON,
    OPEN,
    PRIVATE,
    SELECTED,
    accuracy,
    chosen,
    constant,
    epsilon_of_fixed_noise,
    judged,
    selection_rows,
)
from equipoise.studies.stability.narrowing import AS_IT_IS, narrowed, ways

CACHE = resumable.CACHE
FEWEST_ROWS = 50
TUNED, FIXED, SELECT = "tuned", "fixed", "select"


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run."""

    alphas: tuple[float, ...]
    epsilons: tuple[float, ...]
    select_epsilons: tuple[float, ...]
    repeats: int


FULL = Settings((1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0), (0.1, 0.3, 1.0, 3.0, 10.0), (1.0, 10.0), 20)
QUICK = Settings((1e-3, 0.01, 0.1, 1.0), (0.3, 3.0), (1.0,), 1)


@dataclass(frozen=True, slots=True)
class Task:
    """One fit.  `epsilon` is 0 where none is given: without privacy, or with noise of a fixed size."""

    part: str
    table: str
    way: str
    method: str
    alpha: float
    epsilon: float
    repeat: int

    @property
    def seed(self) -> int:
        """Its own for every task; splits depend on the repeat alone."""
        told = (self.part, self.table, self.way, self.method, f"{self.alpha:g}", f"{self.epsilon:g}", self.repeat)
        return zlib.crc32(" ".join(map(str, told)).encode())


@dataclass(frozen=True, slots=True)
class Point:
    """What one task gave, or the reason for refusing."""

    task: Task
    measures: dict[str, float]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The whole study."""

    settings: Settings
    source: str
    real: bool
    points: tuple[Point, ...]
    unavailable: dict[str, str]
    computed: int


def check(tables: Tables, settings: Settings) -> None:
    """Refuse before anything is fitted."""
    for table in tables.tables.values():
        if table.X.shape[0] < FEWEST_ROWS or len(set(table.y.tolist())) < 2:
            raise InvalidInput(f"data: {table.name} needs at least {FEWEST_ROWS} rows and two classes")


def tasks(settings: Settings, tables: Tables) -> list[Task]:
    """Repeat after repeat, and one narrowed table after the other, since narrowing takes longer than a fit."""
    found = []
    for repeat in range(settings.repeats):
        for name, table in tables.tables.items():
            for way in ways(table):
                for alpha in settings.alphas:
                    found.append(Task(TUNED, name, way, OPEN, alpha, 0.0, repeat))
                    found += [Task(TUNED, name, way, PRIVATE, alpha, level, repeat) for level in settings.epsilons]
                    found.append(Task(FIXED, name, way, PRIVATE, alpha, 0.0, repeat))
        for name in SELECTED:
            found += [
                Task(SELECT, name, AS_IT_IS, method, alpha, level, repeat)
                for method in CHOOSING
                for alpha in settings.alphas
                for level in settings.select_epsilons
            ]
    return found


def run(tables: Tables, settings: Settings, out: Path, jobs: int, progress: Callable[[int, int], None]) -> Outcome:
    """Compute what the file in `out` lacks.  `progress` hears how many points are done, of how many."""
    check(tables, settings)
    mark = fingerprint(tables)
    known = resumable.read_points(out / CACHE, mark, _decoded)
    wanted = tasks(settings, tables)
    points, computed = resumable.complete(wanted, known, measure, tables, out / CACHE, mark, jobs, progress)
    refused = {f"{point.task.method} on {point.task.table}": point.refused for point in points if point.refused}
    return Outcome(settings, tables.source, tables.real, points, refused, computed)


IDLE = (
    "common/look.py",
    "common/claims.py",
    "warfarin/*.py",
    "tuning/*.py",
    "prediction/*.py",
    "dimension/*.py",
    *(f"stability/{name}.py" for name in ("claims", "plots", "report", "summary")),
)
"""Files that no measured number depends on; of the tuning study only how Adult is read, which the rows show."""


def fingerprint(tables: Tables) -> str:
    """Changes with the tables and with the library."""
    parts = []
    for table in tables.tables.values():
        held = table.X.data if isinstance(table.X, sparse.csr_array) else np.asarray(table.X)
        parts += [held.tobytes(), table.y.tobytes()]
    return resumable.fingerprint(parts, IDLE)


def _decoded(record: dict[str, Any]) -> Point:
    return Point(Task(**record["task"]), record["measures"], record["refused"])


def measure(task: Task, tables: Tables) -> Point:
    """Fit on the training rows and measure on the test rows, or compare chosen features with those that matter."""
    if task.part == SELECT:
        return _selected(task, tables)
    parts = narrowed(tables.tables[task.table], task.way, task.repeat)
    epsilon, told = task.epsilon, {"constant": constant(parts)} if task.method == OPEN else {}
    if task.part == FIXED:
        epsilon = epsilon_of_fixed_noise(task.alpha, *parts.train[0].shape)
        told = {"epsilon": epsilon}
        if epsilon > MOST_EPSILON:
            return Point(task, told)
    found = accuracy(task.method, parts, task.alpha, epsilon, task.seed)
    return Point(task, {}, found) if isinstance(found, str) else Point(task, {"accuracy": found} | told)


def _selected(task: Task, tables: Tables) -> Point:
    X, y, matter = selection_rows(task.table, tables.tables[ADULT], task.repeat)
    kept = chosen(task.method, X, y, task.alpha, task.epsilon, task.seed)
    return Point(task, {}, kept) if isinstance(kept, str) else Point(task, judged(kept, matter))
