"""A study's points: computed by several processes, kept in a file as they come, and resumed from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol, TypeVar

import joblib

import equipoise

CACHE = "points.jsonl"
IDLE_FOLDERS = ("cli", "ledger")
"""No measured number depends on these."""

T = TypeVar("T", bound=Hashable)
D = TypeVar("D")


class Measured(Protocol):
    """A dataclass that knows which task it answers."""

    @property
    def task(self) -> Any: ...


P = TypeVar("P", bound=Measured)


def complete(
    wanted: Sequence[T],
    known: dict[T, P],
    measure: Callable[[T, D], P],
    data: D,
    path: Path,
    mark: str,
    jobs: int,
    progress: Callable[[int, int], None],
) -> tuple[tuple[P, ...], int]:
    """Every point that is wanted, and how many had to be computed; each is written down as soon as it is known."""
    todo = [task for task in wanted if task not in known]
    found = dict(known)
    progress(len(wanted) - len(todo), len(wanted))
    with path.open("a", encoding="utf-8") as file:
        for count, point in enumerate(_measured(todo, measure, data, jobs), start=1):
            file.write(json.dumps({"study": mark, **asdict(point)}) + "\n")  # type: ignore[call-overload]
            file.flush()
            found[point.task] = point
            progress(len(wanted) - len(todo) + count, len(wanted))
    return tuple(found[task] for task in wanted), len(todo)


def _measured(todo: Sequence[T], measure: Callable[[T, D], P], data: D, jobs: int) -> Iterator[P]:
    """As they come, in no order."""
    if jobs == 1:
        return (measure(task, data) for task in todo)
    pool = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered")
    found: Iterator[P] = pool(joblib.delayed(measure)(task, data) for task in todo)
    return found


def read_points(path: Path, mark: str, decode: Callable[[dict[str, Any]], P]) -> dict[Any, P]:
    """Points of this very study; a line cut off by a crash is passed over."""
    found: dict[Any, P] = {}
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            point = decode(record)
        except (ValueError, TypeError, KeyError):
            continue
        if record.get("study") == mark:
            found[point.task] = point
    return found


def fingerprint(data: Iterable[bytes], idle: Sequence[str]) -> str:
    """Changes with the data and with the library, so that no old point is taken for a new one.

    `idle` lists patterns of the studies' files that no number of this one depends on.
    """
    digest = hashlib.sha256()
    for part in data:
        digest.update(part)
    folder = Path(equipoise.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        place = path.relative_to(folder)
        passed = any(fnmatch(place.as_posix(), f"studies/{pattern}") for pattern in idle)
        if place.parts[0] not in IDLE_FOLDERS and not passed:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
