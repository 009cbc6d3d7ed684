"""What is to be run: which cells, with how many seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.utility import problems
from benchmarks.utility.contenders import CONTENDERS, Contender
from benchmarks.utility.contenders.contract import ORACLE, OURS, REFERENCE
from benchmarks.utility.problem import Problem
from benchmarks.utility.results import Cell
from equipoise.errors import InvalidInput

QUICK_EPSILONS = (0.3, 3.0)
QUICK_PROBLEMS = ("magic", "breast_cancer", "sim-small", "sim-number", "warfarin", "diabetes")
QUICK_SEEDS = 3
SEEDS = ((100_000, 20), (400_000, 10), (2_000_000, 5), (float("inf"), 3))
"""Up to so many numbers (`Problem.numbers`), so many seeds."""


def seeds(problem: Problem, contender: Contender, quick: bool = False, at_most: int | None = None) -> int:
    """Twenty on small tables whoever it is, fewer on large ones, and never more than are asked for."""
    if quick:
        return QUICK_SEEDS
    if at_most is not None:
        return min(at_most, seeds(problem, contender))
    most = next(count for limit, count in SEEDS if problem.numbers <= limit)
    if most == SEEDS[0][1]:
        return most
    if contender.kind == ORACLE and most == 3:
        most = 2
    return min(most, contender.most_seeds)


def cells(
    place: str | None, names: Iterable[str] | None, contenders: Iterable[str] | None, quick: bool = False
) -> list[tuple[str, list[Cell]]]:
    """Problem by problem, in the order of the lists; those that a contender does not serve come out when it is run."""
    chosen = _chosen(names, problems.SPECS, "problems") if names else _usual(quick)
    wanted = [CONTENDERS[name] for name in _chosen(contenders, CONTENDERS, "contenders")]
    found = []
    for name in chosen:
        spec = problems.SPECS[name]
        asked = wanted if place in (None, spec.place) else []
        found.append((name, [cell for each in asked for cell in _of(name, each, quick)]))
    return [(name, own) for name, own in found if own]


def _usual(quick: bool) -> list[str]:
    return list(QUICK_PROBLEMS) if quick else list(problems.SPECS)


def _of(name: str, contender: Contender, quick: bool) -> list[Cell]:
    prices = (0.0,) if contender.kind == REFERENCE else QUICK_EPSILONS if quick else contender.epsilons
    return [Cell(name, contender.name, epsilon, delta) for delta in contender.deltas for epsilon in prices]


def _chosen(names: Iterable[str] | None, known: Mapping[str, object], option: str) -> list[str]:
    """Names that are given, `ours` and `peers` among the contenders; all of them if none is."""
    found: list[str] = []
    for name in names or known:
        if option == "contenders" and name in ("ours", "peers"):
            mine = name == "ours"
            found += [each.name for each in CONTENDERS.values() if (each.kind == OURS) == mine]
        elif name in known:
            found.append(name)
        else:
            raise InvalidInput(f"{option}={name!r}: must be among {', '.join(known)}")
    return list(dict.fromkeys(found))
