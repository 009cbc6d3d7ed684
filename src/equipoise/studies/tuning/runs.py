"""The runs of the tuning study: every (table, fold, ε, method) once, kept in a file and resumed from there."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold

from equipoise._checks import shown
from equipoise.errors import InvalidInput
from equipoise.studies.common import resumable
from equipoise.studies.tuning import histogram as tuning_histogram
from equipoise.studies.tuning.data import COLUMNS, Tables
from equipoise.studies.tuning.methods import BY_KEY, fit

Array = npt.NDArray[np.float64]

CACHE = resumable.CACHE
FOLDS = 10
FEWEST_ROWS = 400
"""Below, some part of a split would be next to empty."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run: `folds` of the ten folds of each of `repeats` partitions."""

    epsilons: tuple[float, ...]
    repeats: int
    folds: int
    histogram_runs: int
    delta_repeats: int = 1
    """Partitions on which methods with δ > 0 run: they are beside the paper's question and take long."""
    methods: tuple[str, ...] = tuple(BY_KEY)
    bins: tuple[str, ...] = tuning_histogram.BINS


FULL = Settings((0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0), 10, FOLDS, 25, 2)
QUICK = Settings((0.1, 1.0, 5.0), 1, 3, 5, 0)


@dataclass(frozen=True, slots=True)
class Task:
    """One fit and what is measured of it.  `table` may also be a column of the histogram study, `method` its bins.

    ε = 0 stands for methods that know none.
    """

    table: str
    method: str
    epsilon: float
    repeat: int
    fold: int

    @property
    def noise_seed(self) -> int:
        """Its own for every task; folds depend on the repeat alone, so methods are compared on the same rows."""
        return zlib.crc32(f"{self.table} {self.method} {self.epsilon:g} {self.repeat} {self.fold}".encode())


@dataclass(frozen=True, slots=True)
class Point:
    """What one task gave: numbers by name, or the reason for refusing."""

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
        if len(table.X) < FEWEST_ROWS:
            raise InvalidInput(f"data: {table.name} has {len(table.X)} rows, the study needs at least {FEWEST_ROWS}")
    if not 1 <= settings.folds <= FOLDS:
        raise InvalidInput(f"folds={shown(settings.folds)}: must be from 1 to {FOLDS}")


def tasks(settings: Settings, tables: Tables) -> list[Task]:
    """Every fit of the study, fold after fold, so that what an interrupted run has is balanced."""
    found = []
    for repeat in range(settings.repeats):
        for fold in range(settings.folds):
            for key in settings.methods:
                if BY_KEY[key].delta > 0 and repeat >= settings.delta_repeats:
                    continue
                levels = settings.epsilons if BY_KEY[key].knows_epsilon else (0.0,)
                found += [Task(name, key, epsilon, repeat, fold) for name in tables.tables for epsilon in levels]
    for run_number in range(settings.histogram_runs):
        pairs = [(column.name, bins) for column in COLUMNS for bins in settings.bins]
        found += [Task(name, bins, level, run_number, 0) for name, bins in pairs for level in settings.epsilons]
    return found


def run(tables: Tables, settings: Settings, out: Path, jobs: int, progress: Callable[[int, int], None]) -> Outcome:
    """Compute what the file in `out` lacks.  `progress` hears how many points are done, of how many."""
    check(tables, settings)
    mark = fingerprint(tables)
    known = read_points(out / CACHE, mark)
    wanted = tasks(settings, tables)
    points, computed = resumable.complete(wanted, known, measure, tables, out / CACHE, mark, jobs, progress)
    refused = {_label(point.task): point.refused for point in points if point.refused}
    return Outcome(settings, tables.source, tables.real, points, refused, computed)


def _label(task: Task) -> str:
    return f"{task.method} on {task.table} at ε = {task.epsilon:g}"


IDLE = (
    "common/look.py",
    "common/claims.py",
    "warfarin/*.py",
    *(f"tuning/{name}.py" for name in ("claims", "plots", "report", "summary")),
)
"""Files that no measured number depends on."""


def fingerprint(tables: Tables) -> str:
    """Changes with the tables and with the library."""
    parts = [part.tobytes() for table in tables.tables.values() for part in (table.X, table.y)]
    return resumable.fingerprint(parts, IDLE)


def read_points(path: Path, mark: str) -> dict[Task, Point]:
    """Points of this very study."""
    return resumable.read_points(path, mark, _decoded)


def _decoded(record: dict[str, Any]) -> Point:
    return Point(Task(**record["task"]), record["measures"], record["refused"])


def measure(task: Task, tables: Tables) -> Point:
    """Fit on nine folds and measure on the tenth; a histogram is judged by its distance from the reference."""
    for column in COLUMNS:
        if column.name == task.table:
            values = tables.tables[column.table].columns[column.column]
            found = tuning_histogram.measure(column, values, task.method, task.epsilon, task.noise_seed)
            return Point(task, {}, found) if isinstance(found, str) else Point(task, found)
    table = tables.tables[task.table]
    split = KFold(FOLDS, shuffle=True, random_state=task.repeat).split(table.X)
    train, test = list(split)[task.fold]
    fitted = fit(BY_KEY[task.method], task.epsilon, table.X[train], table.y[train], task.noise_seed)
    if isinstance(fitted, str):
        return Point(task, {}, fitted)
    measures = judged(fitted.probability(table.X[test]), table.y[test])
    if fitted.chosen >= 0:
        measures["chosen"] = float(fitted.chosen)
    return Point(task, measures)


def judged(probability: Array, y: npt.NDArray[np.int_]) -> dict[str, float]:
    """Area under the curve, mean squared error of the probability (Brier), and per cent of right classes."""
    return {
        "auc": float(roc_auc_score(y, probability)),
        "mse": float(np.mean((probability - y) ** 2)),
        "accuracy": 100 * float(np.mean((probability > 0.5) == (y == 1))),
    }
