"""Looking results up and comparing them: excess over what is possible, and who is ahead of whom."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.utility.contenders.contract import ORACLE, PEER, RULE
from benchmarks.utility.metrics import primary
from benchmarks.utility.problem import Array
from benchmarks.utility.results import Cell, Result

LARGEST_EXCESS = 2.0
"""In R²: whoever is worse than that is as bad as that, or one disaster would decide every mean."""


@dataclass(frozen=True, eq=False)
class Results:
    """All results, by cell."""

    cells: dict[Cell, Result]

    @cached_property
    def _by_contender(self) -> dict[str, list[Result]]:
        found: dict[str, list[Result]] = {}
        for each in self.cells.values():
            found.setdefault(each.contender, []).append(each)
        return found

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        """Of contenders, by kind."""
        found: dict[str, set[str]] = {}
        for each in self.cells.values():
            found.setdefault(each.kind, set()).add(each.contender)
        return found

    def get(self, problem: str, contender: str, epsilon: float, delta: float) -> Result | None:
        """A result that did not fail; what is private without δ is so with one, if nothing was run with it."""
        for price in (delta, 0.0):
            found = self.cells.get(Cell(problem, contender, epsilon, price))
            if found is not None and not found.failed:
                return found
        return None

    def reference(self, problem: str, name: str) -> Result | None:
        """`not private` or `constant`."""
        return self.get(problem, name, 0.0, 0.0)

    def of(self, contender: str, place: str | None, delta: float | None = None) -> list[Result]:
        """Every result of a contender on the tables of a set, failures included."""
        own = self._by_contender.get(contender, [])
        return [each for each in own if place in (None, each.place) and delta in (None, each.delta)]

    def rivals(self, own: Result, kinds: Iterable[str], family: str | None = None) -> list[Result]:
        """Results of those kinds at the same price, or a purer one."""
        names = set[str]().union(*(self._names.get(kind, set()) for kind in kinds))
        found = [self.get(own.problem, name, own.epsilon, own.delta) for name in sorted(names)]
        return [each for each in found if each is not None and family in (None, each.family)]

    def best(self, own: Result, kinds: Iterable[str], family: str | None = "linear") -> Result | None:
        """The rival with the best mean, cell by cell: nobody could have known which it is."""
        return max(self.rivals(own, kinds, family), key=score, default=None)

    def excess(self, result: Result, seeds: int | None = None) -> float | None:
        """What it lacks to the optimum without privacy, on the splits that both have, or on the first `seeds`."""
        optimum = self.reference(result.problem, "not private")
        if optimum is None or result.failed:
            return None
        return min(_gap(optimum, result, seeds), LARGEST_EXCESS)


def score(result: Result) -> float:
    """Accuracy or R²."""
    found = getattr(result, primary(result.task))
    return float("-inf") if found is None else float(found)


def _gaps(own: Result, other: Result, seeds: int | None = None) -> Array:
    """Split by split."""
    ours, theirs = own.by_seed, other.by_seed
    common = min(len(ours), len(theirs), seeds or len(ours))
    return np.asarray(np.array(ours[:common]) - np.array(theirs[:common]))


def _gap(own: Result, other: Result, seeds: int | None = None) -> float:
    """Its mean; of the means, where single scores were not kept."""
    gaps = _gaps(own, other, seeds)
    return float(gaps.mean()) if len(gaps) else score(own) - score(other)


def lead(own: Result, other: Result) -> tuple[float, float]:
    """How far ahead, and the standard error of that: over the seeds that both have, as they share their splits."""
    gaps = _gaps(own, other)
    if len(gaps) > 1:
        return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))
    errors = [getattr(each, f"{primary(each.task)}_se") or 0.0 for each in (own, other)]
    return score(own) - score(other), math.hypot(*errors)


def not_behind(own: Result, other: Result, errors: float = 1.0) -> bool:
    """Within so many standard errors."""
    if own.failed:
        return False
    ahead, error = lead(own, other)
    return ahead >= -errors * error - 1e-12


__all__ = ["ORACLE", "PEER", "RULE", "Results", "lead", "not_behind", "score"]
