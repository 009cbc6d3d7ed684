"""Points of the dimension study put together: means with bootstrap intervals over the repeats."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from equipoise.studies.dimension.methods import BY_KEY
from equipoise.studies.dimension.runs import EPSILON, Outcome
from equipoise.studies.tuning.summary import Cell, interval

Place = tuple[str, str, str, float]
"""Part, table, method, level (0 for those that know no ε)."""

HEAD = ("part", "table", "method", "level", "measure", "mean", "low", "high", "repeats")


@dataclass(frozen=True, slots=True)
class Summary:
    """Every number by place, measure and repeat."""

    values: dict[Place, dict[str, dict[int, float]]]

    def get(self, part: str, table: str, method: str, level: float, measure: str = "accuracy") -> Cell | None:
        """The cell, if it was measured; methods that know no ε are the same at every one."""
        free = part == EPSILON and not BY_KEY[method].knows_epsilon
        held = self.values.get((part, table, method, 0.0 if free else level), {}).get(measure, {})
        return interval(np.array([held[repeat] for repeat in sorted(held)])) if held else None

    def levels(self, part: str) -> list[float]:
        return sorted({level for name, _, _, level in self.values if name == part and level > 0})

    def tables(self) -> list[str]:
        """Those measured against ε, in their order."""
        return list(dict.fromkeys(table for part, table, _, _ in self.values if part == EPSILON))


def summarise(outcome: Outcome) -> Summary:
    """Refused points count for nothing here; the report names them."""
    values: dict[Place, dict[str, dict[int, float]]] = {}
    for point in outcome.points:
        task = point.task
        held = values.setdefault((task.part, task.table, task.method, task.level), {})
        for name, value in point.measures.items():
            held.setdefault(name, {})[task.repeat] = value
    return Summary(values)


def as_csv(summary: Summary) -> str:
    """One line for each measure at each place."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for (part, table, key, level), held in summary.values.items():
        for name, numbers in held.items():
            cell = interval(np.array([numbers[repeat] for repeat in sorted(numbers)]))
            told = [f"{number:.6g}" for number in (cell.mean, cell.low, cell.high)]
            writer.writerow([part, table, key, f"{level:g}" if level > 0 else "", name, *told, cell.count])
    return file.getvalue()
