"""The results file, and how time grows with size."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.measure import Row

COLUMNS = tuple(field.name for field in fields(Row))
WHOLE = ("n", "d", "repeats")
NUMBERS = ("ratio", "low", "high", "seconds")


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return [_row(line) for line in csv.DictReader(lines)]


def _row(line: dict[str, str]) -> Row:
    values: dict[str, Any] = dict(line)
    values.update({name: int(line[name]) for name in WHOLE})
    values.update({name: float(line[name]) for name in NUMBERS})
    values["filled"] = int(line["filled"]) if line["filled"] else None
    values["gap"] = float(line["gap"]) if line["gap"] else None
    values["threads"] = int(line["threads"])
    return Row(**values)


def key(row: Row) -> tuple[str, int, int, int | None, str, str]:
    return row.problem, row.n, row.d, row.filled, row.contender, row.clock


def write(path: Path, rows: Iterable[Row]) -> None:
    """Later rows take the place of earlier ones about the same."""
    kept = {key(row): row for row in rows}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as out:
        lines = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        lines.writeheader()
        for row in kept.values():
            told = {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in asdict(row).items()}
            lines.writerow(told)


def exponent(sizes: Iterable[float], times: Iterable[float]) -> float:
    """p of time ~ size^p, by least squares in logarithms."""
    x, y = np.log(np.array(list(sizes))), np.log(np.array(list(times)))
    return float(np.polyfit(x, y, 1)[0])


AXES = ("n", "d", "filled")


def growth(rows: Iterable[Row], axis: str) -> dict[tuple[str, str], tuple[list[float], list[float], float]]:
    """For each (problem, contender): sizes, processor time and exponent along rows, columns or numbers other than zero,
    where the others stay as they are."""
    others = [name for name in AXES if name != axis]
    found: dict[tuple[str, str], dict[tuple[int | None, ...], list[tuple[float, float]]]] = {}
    for row in rows:
        if row.repeats and row.clock == "processor" and getattr(row, axis) is not None:
            fixed = tuple(getattr(row, name) for name in others)
            held = found.setdefault((row.problem, row.contender), {}).setdefault(fixed, [])
            held.append((float(getattr(row, axis)), row.seconds))
    result = {}
    for name, groups in found.items():
        _, points = max((len(group), sorted(group)) for group in groups.values())
        if len(points) >= 3:
            sizes, times = [size for size, _ in points], [taken for _, taken in points]
            result[name] = sizes, times, exponent(sizes, times)
    return result
