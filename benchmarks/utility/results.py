"""The results file: a line for each cell (problem, contender, ε, δ), appended as it comes, tidied at the end."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

MEASURES = ("accuracy", "auc", "log_loss", "brier", "r2", "mse")


@dataclass(frozen=True, slots=True)
class Cell:
    """What was asked."""

    problem: str
    contender: str
    epsilon: float
    delta: float


@dataclass(frozen=True, slots=True)
class Result:
    """What came out: means and standard errors over seeds, and the primary score of each seed."""

    problem: str
    place: str
    task: str
    n: int
    d: int
    contender: str
    kind: str
    family: str
    epsilon: float
    delta: float
    seeds: int
    setting: str
    mechanism: str
    accuracy: float | None
    accuracy_se: float | None
    auc: float | None
    auc_se: float | None
    log_loss: float | None
    log_loss_se: float | None
    brier: float | None
    brier_se: float | None
    r2: float | None
    r2_se: float | None
    mse: float | None
    mse_se: float | None
    scores: str
    seconds: float
    failed: str
    configuration: str

    @property
    def cell(self) -> Cell:
        return Cell(self.problem, self.contender, self.epsilon, self.delta)

    @property
    def by_seed(self) -> list[float]:
        """The primary score of seed 0, 1, …"""
        return [float(score) for score in self.scores.split()]


NAMES = [field.name for field in fields(Result)]
TEXTS = {"problem", "place", "task", "contender", "kind", "family", "setting", "mechanism", "scores", "failed",
         "configuration"}  # fmt: skip
WHOLE = {"n", "d", "seeds"}


def read(path: Path) -> dict[Cell, Result]:
    """The newest line of each cell; a line cut off by a crash is passed over."""
    found: dict[Cell, Result] = {}
    if not path.exists():
        return found
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            try:
                result = Result(**{name: _decoded(name, row[name]) for name in NAMES})
            except (TypeError, ValueError, KeyError):
                continue
            found[result.cell] = result
    return found


def append(path: Path, result: Result) -> None:
    """One line in one write, so that two runs may share the file."""
    new = not path.exists() or path.stat().st_size == 0
    line = ",".join(_encoded(getattr(result, name)) for name in NAMES) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, ((",".join(NAMES) + "\n" if new else "") + line).encode())
    finally:
        os.close(handle)


def tidy(path: Path, results: Iterable[Result]) -> None:
    """Sorted, one line for each cell."""
    ordered = sorted(results, key=lambda each: (each.problem, each.contender, each.delta, each.epsilon))
    beside = path.with_suffix(".new")
    beside.unlink(missing_ok=True)
    for result in ordered:
        append(beside, result)
    if ordered:
        beside.replace(path)


def _encoded(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _decoded(name: str, text: str) -> Any:
    if name in TEXTS:
        return text
    if name in WHOLE:
        return int(text)
    return float(text) if text else None
