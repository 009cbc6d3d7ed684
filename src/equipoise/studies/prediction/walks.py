"""Thresholds and intervals on a simulated line: the walk's error on new rows, against what Theorem 5.3 promises.

Three kinds of labels over x uniform on [0, 1), each with k intervals of ones:

- "realisable": k intervals of equal length, gaps of the same length around them; the best intervals err nowhere.
- "flipped": the same, each label wrong with probability FLIPS, which is what the best intervals err.
- "wavy": 1 with probability (1 − cos 2πkx)/2; the best intervals are where it is above ½ and err ½ − 1/π.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import stats

from equipoise.answering import ThresholdPredictor
from equipoise.studies.prediction.answers import Task
from equipoise.theory.prediction.sample_size import WalkSetting, error_of_walk, walk_bound, walk_setting

Array = npt.NDArray[np.float64]

FLIPS = 0.1
BEST = {"realisable": 0.0, "flipped": FLIPS, "wavy": 0.5 - 1 / math.pi}
QUESTIONS = 5000
WIDEST = 0.5
"""Where the theorem promises nothing the walk aims for this."""


class Lines(Task, Protocol):
    """A task on a simulated line; its method is the number of intervals."""

    @property
    def table(self) -> str: ...


class Levels(Protocol):
    """The settings that matter here."""

    @property
    def walk_epsilons(self) -> tuple[float, ...]: ...
    @property
    def walk_rows(self) -> tuple[int, ...]: ...
    @property
    def intervals(self) -> tuple[int, ...]: ...


def places(levels: Levels) -> Iterator[tuple[str, str, float, int]]:
    """(kind, intervals, ε, rows)."""
    for kind in BEST:
        for count in levels.intervals:
            for epsilon in levels.walk_epsilons:
                yield from ((kind, f"{count}", epsilon, rows) for rows in levels.walk_rows)


def chance(kind: str, intervals: int, x: Array) -> Array:
    """Of a one at each place."""
    if kind == "wavy":
        return np.asarray((1 - np.cos(2 * math.pi * intervals * x)) / 2)
    inside = np.floor(x * (2 * intervals + 1)) % 2
    flips = BEST[kind]
    return np.asarray(flips + (1 - 2 * flips) * inside)


def drawn(kind: str, intervals: int, rows: int, seed: int) -> tuple[Array, Array]:
    """x, and labels by their chance."""
    x, coins = np.asarray(stats.uniform.rvs(size=(2, rows), random_state=seed))
    return x, np.asarray(coins < chance(kind, intervals, x), dtype=np.float64)


def promised(kind: str, intervals: int, epsilon: float, rows: int) -> tuple[WalkSetting, float]:
    """The setting of the least excess that the theorem promises for so many rows, and the error it allows."""
    best = BEST[kind]
    setting = walk_setting(min(WIDEST, error_of_walk(rows, epsilon, intervals, best)), epsilon, best)
    return setting, walk_bound(rows, setting, intervals, best)


def measure(task: Lines) -> dict[str, float]:
    """The share of wrong answers on new rows, and the bound."""
    intervals = int(task.method)
    setting, bound = promised(task.table, intervals, task.epsilon, task.size)
    seed = zlib.crc32(f"{task.table} {intervals} {task.size} {task.repeat}".encode())
    x, y = drawn(task.table, intervals, task.size + QUESTIONS, seed)
    walk = ThresholdPredictor(
        setting.epsilon, accuracy=setting.accuracy, intervals=intervals, bounds=(0.0, 1.0), random_state=task.noise_seed
    )
    answers = walk.fit(x[: task.size, None], y[: task.size]).predict(x[task.size :, None])
    return {
        "error": float(np.mean(answers != y[task.size :])),
        "bound": bound,
        "best": BEST[task.table],
        "price": setting.epsilon,
    }
