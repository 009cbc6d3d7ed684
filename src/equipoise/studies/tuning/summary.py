"""Points of the tuning study put together: means with bootstrap intervals over the folds, and paired differences."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise.studies.tuning.methods import BY_KEY
from equipoise.studies.tuning.runs import Outcome

Array = npt.NDArray[np.float64]
Fold = tuple[int, int]
Place = tuple[str, str, float]
"""Table or column, method or bins, ε (0 for those that know none)."""

RESAMPLES = 4000
LEVEL = 0.95
HEAD = ("table", "method", "label", "epsilon", "delta", "measure", "mean", "low", "high", "folds")


@dataclass(frozen=True, slots=True)
class Cell:
    """A mean and its interval."""

    mean: float
    low: float
    high: float
    count: int

    def told(self, digits: int = 3) -> str:
        return f"{self.mean:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


@lru_cache
def _shares(count: int) -> Array:
    """How often each of so many numbers is drawn, with replacement, as shares; the same draws every time."""
    drawn = stats.multinomial.rvs(count, np.full(count, 1 / count), size=RESAMPLES, random_state=count)
    return np.asarray(drawn / count)


def interval(values: Array) -> Cell:
    """Percentile bootstrap of the mean.  Folds share rows, so it is somewhat too narrow."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Cell(mean, float("-inf"), float("inf"), len(values))
    low, high = np.quantile(_shares(len(values)) @ values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Cell(mean, float(low), float(high), len(values))


@dataclass(frozen=True, slots=True)
class Summary:
    """Every number by place, measure and fold."""

    values: dict[Place, dict[str, dict[Fold, float]]]

    def _held(self, table: str, method: str, epsilon: float, measure: str) -> dict[Fold, float]:
        known = method not in BY_KEY or BY_KEY[method].knows_epsilon
        return self.values.get((table, method, epsilon if known else 0.0), {}).get(measure, {})

    def get(self, table: str, method: str, epsilon: float, measure: str) -> Cell | None:
        """The cell, if it was measured; methods that know no ε are the same at every one."""
        held = self._held(table, method, epsilon, measure)
        return interval(np.array([held[fold] for fold in sorted(held)])) if held else None

    def numbers(self, table: str, method: str, epsilon: float, measure: str) -> list[float]:
        return list(self._held(table, method, epsilon, measure).values())

    def gain(self, table: str, method: str, other: str, epsilon: float, measure: str) -> Cell | None:
        """How much the method is above the other, fold by fold."""
        mine, theirs = (self._held(table, key, epsilon, measure) for key in (method, other))
        folds = sorted(mine.keys() & theirs.keys())
        return interval(np.array([mine[fold] - theirs[fold] for fold in folds])) if folds else None

    def epsilons(self, table: str) -> list[float]:
        return sorted({level for name, _, level in self.values if name == table and level > 0})

    def tables(self) -> list[str]:
        """Those of the classifiers, in their order."""
        return list(dict.fromkeys(name for (name, _, _), held in self.values.items() if "auc" in held))

    def columns(self) -> list[str]:
        return list(dict.fromkeys(name for (name, _, _), held in self.values.items() if "ise" in held))


def summarise(outcome: Outcome) -> Summary:
    """Refused points count for nothing here; the report names them."""
    values: dict[Place, dict[str, dict[Fold, float]]] = {}
    for point in outcome.points:
        task = point.task
        held = values.setdefault((task.table, task.method, task.epsilon), {})
        for name, value in point.measures.items():
            held.setdefault(name, {})[task.repeat, task.fold] = value
    return Summary(values)


def as_csv(summary: Summary) -> str:
    """One line for each measure at each place."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEAD)
    for (table, key, epsilon), held in summary.values.items():
        method = BY_KEY.get(key)
        label = f"{key} bins" if method is None else method.label
        delta = 0.0 if method is None else method.delta
        for name in held:
            cell = summary.get(table, key, epsilon, name)
            if cell is not None:
                numbers = [f"{number:.6g}" for number in (cell.mean, cell.low, cell.high)]
                level = f"{epsilon:g}" if epsilon > 0 else ""
                writer.writerow([table, key, label, level, f"{delta:g}", name, *numbers, cell.count])
    return file.getvalue()
