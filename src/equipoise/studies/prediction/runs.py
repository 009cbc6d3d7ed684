"""The runs of the prediction study: five parts, every point once, kept in a file and resumed from there.

- "answer": the error of one answer (or of a released model) at ε, over ε and the number of rows.
- "budget": the error of each of k answers that share one total budget.
- "walk": thresholds and intervals on simulated lines, against Theorem 5.3.
- "width": how noise grows with the number of columns.
- "attack": how well members are told from others.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise._checks import shown
from equipoise.errors import InvalidInput
from equipoise.studies.common import resumable
from equipoise.studies.prediction import answers as prediction_answers
from equipoise.studies.prediction import attacks as prediction_attacks
from equipoise.studies.prediction import walks as prediction_walks
from equipoise.studies.prediction import width as prediction_width
from equipoise.studies.prediction.data import Tables
from equipoise.studies.prediction.methods import METHODS

CACHE = resumable.CACHE
FEWEST_ROWS = 400
"""Below, some shards would hold next to nothing."""

PARTS = ("answer", "budget", "walk", "width", "attack")


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is run."""

    epsilons: tuple[float, ...]
    rows: tuple[int, ...]
    rows_epsilon: float
    totals: tuple[float, ...]
    queries: tuple[int, ...]
    walk_epsilons: tuple[float, ...]
    walk_rows: tuple[int, ...]
    intervals: tuple[int, ...]
    widths: tuple[int, ...]
    attack_epsilons: tuple[float, ...]
    repeats: int
    walk_repeats: int
    attack_repeats: int
    tables: tuple[str, ...] = ("Adult", "Magic", "Cod-RNA", "Warfarin")
    methods: tuple[str, ...] = tuple(method.key for method in METHODS)


FULL = Settings(
    epsilons=(0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    rows=(500, 1000, 2000, 4000, 8000, 16000),
    rows_epsilon=0.3,
    totals=(0.3, 1.0, 3.0),
    queries=(1, 10, 100, 1000),
    walk_epsilons=(0.1, 0.3, 1.0, 3.0),
    walk_rows=(300, 1000, 3000, 10_000, 30_000),
    intervals=(1, 2, 5),
    widths=(5, 20, 80, 320),
    attack_epsilons=(0.3, 1.0, 3.0),
    repeats=8,
    walk_repeats=20,
    attack_repeats=8,
)
QUICK = Settings(
    epsilons=(0.1, 1.0),
    rows=(2000,),
    rows_epsilon=1.0,
    totals=(1.0,),
    queries=(1, 10, 300),
    walk_epsilons=(0.3, 1.0),
    walk_rows=(1000, 10_000),
    intervals=(1, 5),
    widths=(5, 80),
    attack_epsilons=(1.0,),
    repeats=2,
    walk_repeats=5,
    attack_repeats=2,
)


@dataclass(frozen=True, slots=True)
class Task:
    """One point.  `size` is rows (0: all there are), questions, columns or members, as the part has it.

    ε = 0 stands for methods that know none; `table` and `method` are those of the part.
    """

    part: str
    table: str
    method: str
    epsilon: float
    size: int
    repeat: int

    @property
    def noise_seed(self) -> int:
        """Its own for every task; rows depend on the repeat alone, so methods are compared on the same ones."""
        words = f"{self.part} {self.table} {self.method} {self.epsilon:g} {self.size} {self.repeat}"
        return zlib.crc32(words.encode())


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
    if settings.repeats < 1:
        raise InvalidInput(f"repeats={shown(settings.repeats)}: must be at least 1")


def tasks(settings: Settings, tables: Tables) -> list[Task]:
    """Every point, repeat after repeat, so that what an interrupted run has is balanced."""
    found: list[Task] = []
    for repeat in range(max(settings.repeats, settings.walk_repeats, settings.attack_repeats)):
        places: list[tuple[str, str, str, float, int]] = []
        if repeat < settings.repeats:
            for name in settings.tables:
                table = tables.tables[name]
                served = [method for method in METHODS if method.key in settings.methods and method.serves(table)]
                places += [
                    ("answer", name, *rest) for rest in prediction_answers.single_places(served, table, settings)
                ]
                places += [("budget", name, *rest) for rest in prediction_answers.budget_places(served, settings)]
            places += [("width", *rest) for rest in prediction_width.places(settings.widths)]
        if repeat < settings.walk_repeats:
            places += [("walk", *rest) for rest in prediction_walks.places(settings)]
        if repeat < settings.attack_repeats:
            places += [("attack", *rest) for rest in prediction_attacks.places(settings.attack_epsilons)]
        found += [Task(*place, repeat) for place in places]
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
    return f"{task.method} on {task.table} at ε = {task.epsilon:g} ({task.part}, {task.size or 'all rows'})"


IDLE = (
    "common/look.py",
    "common/claims.py",
    "warfarin/[!d]*.py",  # all but its data
    "tuning/[!d]*.py",
    *(f"prediction/{name}.py" for name in ("claims", "plots", "report", "sections", "summary")),
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
    """By the part the task belongs to."""
    found: dict[str, float] | str
    match task.part:
        case "walk":
            found = prediction_walks.measure(task)
        case "width":
            found = prediction_width.measure(task)
        case "attack":
            found = prediction_attacks.measure(task, tables.tables[task.table])
        case "budget":
            found = prediction_answers.measure_budget(task, tables.tables[task.table])
        case _:
            found = prediction_answers.measure_single(task, tables.tables[task.table])
    return Point(task, {}, found) if isinstance(found, str) else Point(task, found)
