"""Points of the warfarin study put together: mean, standard error and number of runs."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

import numpy as np

from equipoise.studies.warfarin.methods import BY_KEY
from equipoise.studies.warfarin.runs import Outcome

BASELINES = ("mean", "open")
COLUMNS = ("method", "label", "epsilon", "delta", "training_rows", "measure", "mean", "standard_error", "runs")
Place = tuple[str, float, float]
"""Method, ε (0 for those that know none), share of the training rows."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure at one place."""

    mean: float
    error: float
    runs: int

    def told(self, digits: int = 2) -> str:
        error = "" if math.isnan(self.error) else f" ± {self.error:.{digits}f}"
        return f"{self.mean:.{digits}f}{error}"


@dataclass(frozen=True, slots=True)
class Summary:
    """All cells, by place and then by measure; and the training rows that a share stands for."""

    cells: dict[Place, dict[str, Cell]]
    rows: dict[Place, int]

    def get(self, method: str, epsilon: float, measure: str, share: float = 1.0) -> Cell | None:
        """The cell, if it was measured; baselines are the same at every ε."""
        place = (method, 0.0 if method in BASELINES else epsilon, share)
        return self.cells.get(place, {}).get(measure)

    def epsilons(self, method: str, share: float = 1.0) -> list[float]:
        return sorted(epsilon for key, epsilon, part in self.cells if key == method and part == share)

    def shares(self, method: str, epsilon: float) -> list[float]:
        return sorted(part for key, level, part in self.cells if key == method and level == epsilon)


def summarise(outcome: Outcome) -> Summary:
    """Refused points count for nothing here; the report names them."""
    values: dict[Place, dict[str, list[float]]] = {}
    rows: dict[Place, int] = {}
    for point in outcome.points:
        place = (point.task.method, point.task.epsilon, point.task.share)
        for name, value in point.measures.items():
            values.setdefault(place, {}).setdefault(name, []).append(value)
            rows[place] = point.rows
    cells = {place: {name: cell(found) for name, found in held.items()} for place, held in values.items()}
    return Summary(cells, rows)


def cell(values: list[float]) -> Cell:
    """Mean, standard error and number of these values; the error of a single one is not a number."""
    spread = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
    return Cell(float(np.mean(values)), spread, len(values))


def as_csv(summary: Summary) -> str:
    """One line for each measure at each place."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (key, epsilon, share), held in summary.cells.items():
        method = BY_KEY[key]
        level = f"{epsilon:g}" if method.private else ""
        for name, found in held.items():
            numbers = [f"{found.mean:.6g}", "" if math.isnan(found.error) else f"{found.error:.3g}", found.runs]
            rows = summary.rows[key, epsilon, share]
            writer.writerow([key, method.label, level, f"{method.delta:g}", rows, name, *numbers])
    return file.getvalue()
