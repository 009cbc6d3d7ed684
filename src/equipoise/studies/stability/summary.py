"""Points of the stability study put together: means with bootstrap intervals over the repeats."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from equipoise.studies.stability.runs import SELECT, TUNED, Outcome
from equipoise.studies.tuning.summary import Cell, interval

Line = tuple[str, str, str, str, float]
"""Part, table, way, method, ε (0 where none is given): what is drawn as one line."""

HEAD = ("part", "table", "way", "method", "epsilon", "alpha", "measure", "mean", "low", "high", "repeats")


@dataclass(frozen=True, slots=True)
class Summary:
    """Every number by line, alpha, measure and repeat."""

    values: dict[Line, dict[float, dict[str, dict[int, float]]]]

    def get(self, line: Line, alpha: float, measure: str = "accuracy") -> Cell | None:
        """The cell, if it was measured."""
        held = self.values.get(line, {}).get(alpha, {}).get(measure, {})
        return interval(np.array([held[repeat] for repeat in sorted(held)])) if held else None

    def means(self, line: Line, measure: str = "accuracy") -> dict[float, float]:
        """By alpha, in their order."""
        found = {alpha: self.get(line, alpha, measure) for alpha in sorted(self.values.get(line, {}))}
        return {alpha: cell.mean for alpha, cell in found.items() if cell is not None}

    def best(self, line: Line, measure: str = "accuracy") -> tuple[float, float] | None:
        """The alpha whose mean is largest, and that mean."""
        means = self.means(line, measure)
        return max(means.items(), key=lambda each: each[1]) if means else None

    def epsilons(self, part: str = TUNED) -> list[float]:
        return sorted({line[4] for line in self.values if line[0] == part and line[4] > 0})

    def tables(self, part: str = TUNED) -> list[str]:
        return list(dict.fromkeys(line[1] for line in self.values if line[0] == part))

    def ways(self, table: str) -> list[str]:
        return list(dict.fromkeys(line[2] for line in self.values if line[1] == table and line[0] != SELECT))


def summarise(outcome: Outcome) -> Summary:
    """Refused points count for nothing here; the report names them."""
    values: dict[Line, dict[float, dict[str, dict[int, float]]]] = {}
    for point in outcome.points:
        task = point.task
        line = values.setdefault((task.part, task.table, task.way, task.method, task.epsilon), {})
        for name, value in point.measures.items():
            line.setdefault(task.alpha, {}).setdefault(name, {})[task.repeat] = value
    return Summary(values)


def as_csv(summary: Summary) -> str:
    """One line for each measure at each alpha."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for line, by_alpha in summary.values.items():
        part, table, way, method, epsilon = line
        level = f"{epsilon:g}" if epsilon > 0 else ""
        for alpha, held in sorted(by_alpha.items()):
            for name in held:
                cell = summary.get(line, alpha, name)
                if cell is not None:
                    told = [f"{number:.6g}" for number in (cell.mean, cell.low, cell.high)]
                    writer.writerow([part, table, way, method, level, f"{alpha:g}", name, *told, cell.count])
    return file.getvalue()
