"""A problem: a table of a given size, who works on it, and who the others are measured against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Work = Callable[[], object]
"""Something to be timed; what it returns says how well it was done, where the problem can tell."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of norm about one, and one label each."""

    X: Any
    y: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Size:
    """Rows, columns, and numbers other than zero in a row where that is not all of them."""

    n: int
    d: int
    filled: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is measured.  `contenders` is made for each table, so that preparing one is not timed."""

    name: str
    baseline: str
    make: Callable[[Size], Table]
    contenders: Callable[[Table], dict[str, Callable[[], Work]]]
    """By name: what prepares the work."""
    sizes: tuple[Size, ...]
    quick: Size
    gap: Callable[[Table, Any], float] | None = None
    """How far what a contender returns is from the best, in mean loss."""


def simulated(size: Size, kind: type[np.floating] = np.float64) -> Any:
    """Independent columns; one row in seven is longer than the bound of one, and will be clipped."""
    rng = np.random.default_rng(size.n + size.d)
    X = rng.standard_normal((size.n, size.d), dtype=np.float32).astype(kind)
    X *= kind(0.9 / size.d**0.5)
    return X


def scores_of(X: Any) -> Array:
    """What the labels are drawn around."""
    rng = np.random.default_rng(1)
    return np.asarray(X @ (3.0 * rng.normal(size=X.shape[1])), dtype=np.float64)


def classes_for(X: Any) -> npt.NDArray[np.intp]:
    """0 or 1, by a logistic model."""
    rng = np.random.default_rng(2)
    return np.asarray(scores_of(X) + rng.logistic(size=X.shape[0]) > 0, dtype=np.intp)


def numbers_for(X: Any) -> Array:
    """Within −8 and 8, around a linear model."""
    rng = np.random.default_rng(3)
    return np.asarray(np.clip(scores_of(X) + rng.normal(size=X.shape[0]), -8.0, 8.0))
