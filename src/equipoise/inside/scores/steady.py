"""Minimisers of many settings, gathered by the job they belong to: they are tried, never let out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from equipoise.inside.design.contract import Array
from equipoise.inside.private import Private
from equipoise.inside.solvers import Solution

Key = tuple[int, int]
"""Which setting, which draw of its noise."""
Points = dict[Key, Array]


def points_by_job(found: Sequence[Private[list[Solution]]], keys: Sequence[Sequence[Key]]) -> Private[Points]:
    """The minimisers of several paths in one table."""
    tables = [_table(path, own) for path, own in zip(found, keys, strict=True)]
    return reduce(_merged, tables, Private({}))


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One setting: its minimisers, the noise that is already drawn for each of its models, and the ball they end in."""

    keys: tuple[Key, ...]
    added: Array
    ball: float


def tried(points: Private[Points], trials: Sequence[Trial]) -> Private[list[Array]]:
    """For each setting one model per draw, as rows."""
    return points.map(lambda found: [_models(found, trial) for trial in trials])


def _models(points: Points, trial: Trial) -> Array:
    """A projection brings no two models farther apart."""
    models = np.array([points[key] for key in trial.keys]) + trial.added
    norms = np.linalg.norm(models, axis=1, keepdims=True)
    return np.where(norms <= trial.ball, models, models * (trial.ball / np.maximum(norms, trial.ball)))


def _table(path: Private[list[Solution]], keys: Sequence[Key]) -> Private[Points]:
    return path.map(lambda found: {key: solution.point for key, solution in zip(keys, found, strict=True)})


def _merged(left: Private[Points], right: Private[Points]) -> Private[Points]:
    return left.meet(right, lambda one, other: one | other)
