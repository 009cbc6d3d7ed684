"""One cell: fits with each seed, judged on held-out rows."""

from __future__ import annotations

import hashlib
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import equipoise
from benchmarks.utility import metrics, problems
from benchmarks.utility.contenders import CONTENDERS, Contender
from benchmarks.utility.contenders.contract import OURS, Task
from benchmarks.utility.doors.door import PeerRaised
from benchmarks.utility.problem import Problem, split
from benchmarks.utility.results import MEASURES, Cell, Result

IDLE = ("cli", "ledger", "studies", "audit")
"""Folders of the library that no figure depends on."""

Runs = list[dict[str, float]]


def measure(cell: Cell, seeds: int) -> Result:
    """Means and standard errors; an oracle's are those of its best setting."""
    problem, contender = problems.load(cell.problem), CONTENDERS[cell.contender]
    began, failed, mechanism = time.perf_counter(), "", ""
    tried: list[tuple[Any, Runs]] = []
    for setting in contender.settings:
        try:
            runs, mechanism = _runs(problem, contender, cell, setting, seeds)
            tried.append((setting, runs))
        except (PeerRaised, FloatingPointError, ValueError, np.linalg.LinAlgError, MemoryError) as error:
            failed = f"{type(error).__name__}: {' '.join(str(error).split())}"[:120].replace('"', "'").replace(",", ";")
    name = metrics.primary(problem.task)
    best: tuple[Any, Runs] = max(tried, key=lambda pair: np.mean([run[name] for run in pair[1]]), default=(None, []))
    count = max(1, len(contender.settings) * seeds)
    spent = (time.perf_counter() - began) / count
    return _result(cell, problem, contender, best, mechanism, spent, "" if tried else failed)


def _runs(problem: Problem, contender: Contender, cell: Cell, setting: Any, seeds: int) -> tuple[Runs, str]:
    found, mechanisms = [], []
    for seed in range(seeds):
        parts = split(problem, seed)
        answers = contender.fit(Task(problem, parts, cell.epsilon, cell.delta, seed), setting)
        found.append(metrics.judge(answers.values, parts.y_test, problem))
        mechanisms.append(answers.mechanism)
    return found, " ".join(sorted(set(mechanisms)))


def _result(
    cell: Cell,
    problem: Problem,
    contender: Contender,
    best: tuple[Any, Runs],
    mechanism: str,
    spent: float,
    failed: str,
) -> Result:
    setting, runs = best
    figures: dict[str, float | None] = {}
    for name in MEASURES:
        values = [run[name] for run in runs if name in run]
        figures[name] = float(np.mean(values)) if values else None
        figures[f"{name}_se"] = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    scores = " ".join(f"{run[metrics.primary(problem.task)]:.4f}" for run in runs)
    return Result(
        problem=problem.name,
        place=problems.SPECS[cell.problem].place,
        task=problem.task,
        n=problem.n,
        d=problem.d,
        contender=contender.name,
        kind=contender.kind,
        family=contender.family,
        epsilon=cell.epsilon,
        delta=cell.delta,
        seeds=len(runs),
        setting="" if setting is None else "/".join(f"{part:g}" for part in np.atleast_1d(setting)),
        mechanism=mechanism,
        scores=scores,
        seconds=spent,
        failed=failed,
        configuration=configuration(contender),
        **figures,
    )


def configuration(contender: Contender) -> str:
    """Changes when the figures might: with the library, or with the peer's version."""
    return f"equipoise {fingerprint()}" if contender.kind == OURS else f"{contender.kind} {contender.version}"


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Of the library's source, as far as figures depend on it."""
    digest, folder = hashlib.sha256(), Path(equipoise.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if path.relative_to(folder).parts[0] not in IDLE:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:10]
