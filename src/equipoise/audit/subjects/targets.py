"""What is put under audit: a release, its claim, and the neighbouring tables on which it is most likely to give way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise._checks import whole
from equipoise.audit.frozen.pairs_at_corners import Data, Pair, corner_pairs
from equipoise.errors import InvalidInput
from equipoise.theory.plan import Plan

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A release with its claim; `release(table)` runs it once and gives everything a stranger would see.

    It hides no warning and no error: who runs it counts them as outputs.
    """

    name: str
    epsilon: float
    delta: float
    release: Callable[[Data], Any]
    pairs: tuple[Pair, ...]
    ours: bool = True
    """Whether it is made by this library, so that its noise can be frozen."""
    plan: Plan | None = None
    """Where the law of what is released can be computed from one."""
    law: Callable[[Pair], float] | None = None
    """The exact ε of a pair, where outcomes can be enumerated; it may raise the rest of the claim's δ."""
    effort: float = 1.0
    """The part of the draws it gets, for slow ones."""
    adjacency: str = "replace-one"
    labels: tuple[Any, Any] | None = None
    """The two labels of its tables, where a search may look for worse ones than `pairs`."""
    speaks_of: tuple[str, ...] = ()
    """Public names that this row of the audit table is about."""


def visible(model: Any) -> dict[str, Any]:
    """What a fitted estimator shows: the numbers in attributes whose names end in an underscore.

    Of a search also the setting it chose and the model it kept; of a density its cells.
    """
    shown: dict[str, Any] = {}
    for name, value in sorted(vars(model).items()):
        if name.startswith("_") or not name.endswith("_"):
            continue
        if name == "best_params_":
            shown[name] = {key: str(setting) for key, setting in value.items()}
        elif name == "best_estimator_":
            shown[name] = visible(value)
        elif name == "density_":
            shown[name] = [np.asarray(value.mass)]
        elif isinstance(value, int | float | np.number | np.ndarray) and np.asarray(value).dtype.kind in "fiub":
            shown[name] = np.asarray(value)
    return shown


def fits(make: Callable[[], Any]) -> Callable[[Data], Any]:
    """The release of an estimator: fit a fresh one, show what it shows."""

    def release(table: Data) -> Any:
        model = make().fit(*table)
        shown = visible(model)
        if any(_varies(value) for value in shown.values()):
            return shown
        return _predicted(model, table[0])  # trees and the like keep their numbers elsewhere

    return release


def answers(make: Callable[[], Any], queries: npt.ArrayLike) -> Callable[[Data], Any]:
    """The release of a predictor: fit a fresh one, ask it."""
    asked = np.asarray(queries, dtype=np.float64)

    def release(table: Data) -> Any:
        return np.asarray(make().fit(*table).predict(asked))

    return release


def _varies(value: Any) -> bool:
    """Whether there is a released number in it, not only counts of columns."""
    if isinstance(value, dict):
        return any(_varies(part) for part in value.values())
    return isinstance(value, list) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def _predicted(model: Any, X: Array) -> Any:
    try:
        return np.asarray(model.predict_proba(X))
    except (AttributeError, InvalidInput):
        return np.asarray(model.predict(X))


def corners(n: int, d: int = 1, *, labels: tuple[Any, Any] = (-1, 1), row_norm: float = 1.0) -> tuple[Pair, ...]:
    """Neighbouring tables of n labelled rows at the corners of what is allowed."""
    if whole(n=n) < 2:
        raise InvalidInput(f"rows={n}: must be at least 2, one to exchange and one to keep")
    return tuple(corner_pairs(n, whole(columns=d), labels, row_norm))


def density_corners(n: int, d: int = 1) -> tuple[Pair, ...]:
    """Neighbouring sets of n points in the unit box."""
    low, high = np.full((n, d), 0.1), np.full((n, d), 0.9)
    halves = np.where((np.arange(n) % 2)[:, None], high, low)
    cases = ("all points in one corner", low), ("points in two opposite corners", halves)
    return tuple(_moved(f"{where}; one moves to the opposite corner", points) for where, points in cases)


def _moved(case: str, points: Array) -> Pair:
    other, nobody = points.copy(), np.zeros(len(points))
    other[0] = 1 - other[0]
    return Pair(case, (points, nobody), (other, nobody))
