"""Points of the prediction study put together: means with bootstrap intervals over the repeats, paired differences."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

import numpy as np

from equipoise.studies.prediction.attacks import BY_VICTIM
from equipoise.studies.prediction.methods import BY_KEY
from equipoise.studies.prediction.runs import Outcome
from equipoise.studies.tuning.summary import Cell, interval

Place = tuple[str, str, str, float, int]
"""Part, table, method, ε, size."""

HEAD = ("part", "table", "method", "label", "epsilon", "size", "measure", "mean", "low", "high", "repeats")


@dataclass(frozen=True, slots=True)
class Summary:
    """Every number by place, measure and repeat."""

    values: dict[Place, dict[str, dict[int, float]]]

    def held(self, place: Place, measure: str) -> dict[int, float]:
        return self.values.get(place, {}).get(measure, {})

    def get(self, place: Place, measure: str = "error") -> Cell | None:
        """The cell, if it was measured."""
        held = self.held(place, measure)
        return interval(np.array([held[repeat] for repeat in sorted(held)])) if held else None

    def gain(self, place: Place, other: Place, measure: str = "error") -> Cell | None:
        """How much the first is above the second, repeat by repeat."""
        mine, theirs = self.held(place, measure), self.held(other, measure)
        shared = sorted(mine.keys() & theirs.keys())
        return interval(np.array([mine[repeat] - theirs[repeat] for repeat in shared])) if shared else None

    def places(self, part: str) -> list[Place]:
        return [place for place in self.values if place[0] == part and self.values[place]]

    def tables(self, part: str = "answer") -> list[str]:
        return list(dict.fromkeys(place[1] for place in self.places(part)))

    def methods(self, part: str, table: str) -> list[str]:
        found = {place[2] for place in self.places(part) if place[1] == table}
        return [key for key in dict.fromkeys((*BY_KEY, *BY_VICTIM)) if key in found]

    def epsilons(self, part: str, table: str) -> list[float]:
        return sorted({place[3] for place in self.places(part) if place[1] == table and place[3] > 0})

    def sizes(self, part: str, table: str) -> list[int]:
        """In order; 0, which stands for all rows, comes last."""
        found = {place[4] for place in self.places(part) if place[1] == table}
        return sorted(found, key=lambda size: size or math.inf)

    def answer(self, table: str, key: str, epsilon: float, rows: int = 0) -> Cell | None:
        return self.get(answer_place(table, key, epsilon, rows))

    def rows_epsilon(self, table: str) -> float:
        """The ε at which fewer rows were tried."""
        levels = [place[3] for place in self.places("answer") if place[1] == table and place[4] > 0 and place[3] > 0]
        return levels[0] if levels else math.nan


def answer_place(table: str, key: str, epsilon: float, rows: int = 0) -> Place:
    """Methods that know no ε are the same at every one."""
    return ("answer", table, key, epsilon if BY_KEY[key].private else 0.0, rows)


def budget_place(table: str, key: str, total: float, questions: int) -> Place:
    """A released model is the same for any number of questions; what protects nobody knows no budget either."""
    method = BY_KEY[key]
    if not method.private:
        return ("answer", table, key, 0.0, 0)
    return ("budget", table, key, total, questions if method.predicts else 0)


def summarise(outcome: Outcome) -> Summary:
    """Refused points count for nothing here; the report names them."""
    values: dict[Place, dict[str, dict[int, float]]] = {}
    for point in outcome.points:
        task = point.task
        held = values.setdefault((task.part, task.table, task.method, task.epsilon, task.size), {})
        for name, value in point.measures.items():
            held.setdefault(name, {})[task.repeat] = value
    return Summary(values)


def as_csv(summary: Summary) -> str:
    """One line for each measure at each place."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for (part, table, key, epsilon, size), held in summary.values.items():
        for name in held:
            cell = summary.get((part, table, key, epsilon, size), name)
            if cell is not None:
                numbers = [f"{number:.6g}" for number in (cell.mean, cell.low, cell.high)]
                level = f"{epsilon:g}" if epsilon > 0 else ""
                writer.writerow([part, table, key, label(part, key), level, size or "all", name, *numbers, cell.count])
    return file.getvalue()


def label(part: str, key: str) -> str:
    """In words."""
    if part == "walk":
        return f"{key} interval{'s' if key != '1' else ''}"
    if part == "attack":
        return BY_VICTIM[key].label
    return BY_KEY[key].label
