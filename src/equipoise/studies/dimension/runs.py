"""The runs of the dimension study: accuracy against ε and against width, regret against rounds and experts."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import train_test_split

from equipoise.errors import InvalidInput
from equipoise.estimators import SimplexFTRL
from equipoise.studies.common import resumable
from equipoise.studies.dimension.data import FILES, PLANTED, Tables, widened
from equipoise.studies.dimension.methods import BY_KEY, accuracy

CACHE = resumable.CACHE
FEWEST_ROWS = 100
EPSILON, WIDENED, WIDEN_EPSILON = "epsilon", "width", 10.0
WIDE_TABLES = ("Cod-RNA", PLANTED)
ROUNDS, EXPERTS = "rounds", "experts"
LEADERS = {"leader": (1.0, 1e-6), "bold leader": (10.0, 1e-3)}
"""ε and δ: a usual budget, and that of the wide tables."""
USUAL_ROUNDS, USUAL_EXPERTS = 1000, 10
GAP = 0.25
"""By how much one expert is better on average; costs are otherwise uniform on [−1, 1]."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run."""

    epsilons: tuple[float, ...]
    widths: tuple[int, ...]
    rounds: tuple[int, ...]
    experts: tuple[int, ...]
    repeats: int
    methods: tuple[str, ...] = tuple(BY_KEY)


FULL = Settings((0.1, 0.3, 1.0, 3.0, 10.0), (8, 1000, 100_000, 1_000_000), (250, 1000, 4000), (2, 10, 100, 1000), 3)
QUICK = Settings((1.0, 10.0), (8, 1000, 100_000), (250, 1000), (2, 100), 1)


@dataclass(frozen=True, slots=True)
class Task:
    """One fit, or one horizon.  `level` is ε, a number of columns, of rounds or of experts, by `part`."""

    part: str
    table: str
    method: str
    level: float
    repeat: int

    @property
    def seed(self) -> int:
        """Its own for every task; splits and costs depend on the repeat alone."""
        return zlib.crc32(f"{self.part} {self.table} {self.method} {self.level:g} {self.repeat}".encode())


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
        if table.X.shape[0] < FEWEST_ROWS:
            raise InvalidInput(f"data: {table.name} has too few rows, the study needs at least {FEWEST_ROWS}")


def tasks(settings: Settings, tables: Tables) -> list[Task]:
    """Repeat after repeat, so that what an interrupted run has is balanced."""
    found = []
    for repeat in range(settings.repeats):
        for key in settings.methods:
            levels = settings.epsilons if BY_KEY[key].knows_epsilon else (0.0,)
            levels = () if BY_KEY[key].only_widened else levels
            found += [Task(EPSILON, name, key, level, repeat) for name in FILES for level in levels]
            found += [
                Task(WIDENED, name, key, float(width), repeat) for name in WIDE_TABLES for width in settings.widths
            ]
        for key in LEADERS:
            found += [Task(ROUNDS, "experts", key, float(count), repeat) for count in settings.rounds]
            found += [Task(EXPERTS, "experts", key, float(count), repeat) for count in settings.experts]
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
    *(f"dimension/{name}.py" for name in ("claims", "plots", "report", "summary")),
)
"""Files that no measured number depends on."""


def fingerprint(tables: Tables) -> str:
    """Changes with the tables and with the library."""
    parts = [part.tobytes() for each in tables.tables.values() for part in (each.X.data, each.X.indices, each.y)]
    return resumable.fingerprint(parts, IDLE)


def _decoded(record: dict[str, Any]) -> Point:
    return Point(Task(**record["task"]), record["measures"], record["refused"])


def measure(task: Task, tables: Tables) -> Point:
    """Fit on four fifths and measure on the rest, or play a horizon."""
    if task.part in (ROUNDS, EXPERTS):
        return Point(task, played(task))
    table = tables.tables[task.table]
    wide = task.part == WIDENED
    X = widened(table.X, int(task.level)) if wide else table.X
    rows = np.arange(len(table.y))
    train, test = train_test_split(rows, test_size=0.2, random_state=task.repeat, stratify=table.y)
    epsilon = WIDEN_EPSILON if wide else task.level
    fitted, held = ((X[part], table.y[part]) for part in (train, test))
    found = accuracy(BY_KEY[task.method], epsilon, fitted, held, task.seed)
    return Point(task, {}, found) if isinstance(found, str) else Point(task, {"accuracy": found})


def played(task: Task) -> dict[str, float]:
    """Regret of one horizon against the best expert, and the bound on its expectation."""
    rounds = int(task.level) if task.part == ROUNDS else USUAL_ROUNDS
    experts = int(task.level) if task.part == EXPERTS else USUAL_EXPERTS
    costs = stats.uniform(-1, 2).rvs(size=(rounds, experts), random_state=task.repeat)
    costs[:, 0] = np.clip(costs[:, 0] - GAP, -1, 1)
    learner = SimplexFTRL(*LEADERS[task.method], experts=experts, horizon=rounds, random_state=task.seed)
    for cost in costs:
        learner.partial_fit(cost)
    report = learner.regret(costs)
    return {"regret": float(report.regret or 0.0), "bound": report.bound}
